import CambiumModel
import CambiumSQL

/// SQL for the values in a column of Core Data, converted to the form of our store. If a value
/// cannot be converted, it becomes a value of a type that the column does not accept. The row is
/// then rejected; the value never becomes nil.
struct ImportedValueSQL {
    let model: Model

    /// - Parameter column: The column, quoted and with its table.
    func sql(of column: String, for attribute: Attribute) -> String {
        switch attribute.type {
        case .string, .uri:
            return "CASE WHEN \(TextCheck.name)(\(column)) THEN \(Self.noText) ELSE \(column) END"
        case .uuid:
            return "CASE WHEN length(\(column)) <> 16 THEN \(Self.noBlob) ELSE \(column) END"
        case .data:
            return attribute.usesExternalForm ? externalForm(of: column) : bytes(of: column)
        case .anyDecimal:
            return number(
                required(decimalBytes(of: column), column, else: Self.noBlob), column, attribute)
        case .decimal(let scale):
            // A number that does not fit becomes another type than a value that is not a number, so
            // that the two can be distinguished.
            let (units, bytes) = (
                ConversionFunction.decimalUnits.rawValue, decimalBytes(of: column)
            )
            return number(
                required(
                    "\(units)(\(bytes), \(scale))", column,
                    else: "CASE WHEN \(bytes) IS NULL THEN \(Self.noNumber) "
                        + "ELSE \(Self.noText) END"), column, attribute)
        case .enumeration(let name):
            let cases = model.enumeration(named: name)?.cases ?? []
            let values = cases.compactMap { model.stored($0.rawValue, as: attribute.type) }
                .map(SQLText.literal).joined(separator: ", ")
            // A column of numbers rejects a string that is not a number, and a column of strings
            // rejects a BLOB.
            return "CASE WHEN \(column) IS NULL OR \(column) IN (\(values)) THEN \(column) "
                + "ELSE \(model.storageClass(of: attribute.type) == .text ? Self.noText : Self.noNumber) END"
        case .codable(let type):
            return Self.json(of: column, as: type)
        default:
            return column
        }
    }

    /// - Parameter type: The Swift type that decodes the JSON; empty for any.
    static func json(of column: String, as type: String) -> String {
        "\(ConversionFunction.archiveJSON.rawValue)(CAST(\(column) AS BLOB), "
            + "\(SQLText.literal(.text(type))))"
    }

    /// The condition that a decimal is NaN. Core Data stores NaN as a string.
    static func isNaN(_ column: String) -> String { "\(column) = 'NaN' COLLATE NOCASE" }

    /// NaN becomes nil, or the default if a value is required. Without a default the row is
    /// rejected.
    private func number(_ value: String, _ column: String, _ attribute: Attribute) -> String {
        let replacement =
            attribute.isOptional
            ? "NULL" : model.sqlDefault(of: attribute).map(SQLText.literal) ?? Self.noNumber
        return "CASE WHEN \(Self.isNaN(column)) THEN \(replacement) ELSE \(value) END"
    }

    /// Whether an unreadable value of the attribute becomes nil. Such a value must be reported.
    static func mayBecomeNil(_ attribute: Attribute) -> Bool {
        if case .codable = attribute.type { true } else { false }
    }

    private static let noText = "x''"
    private static let noBlob = "'no such value'"
    private static let noNumber = "'no such value'"

    /// Core Data reads a decimal from a column of numbers through the number's text with 15 digits.
    /// Short numbers do not need the text.
    private func decimalBytes(of column: String) -> String {
        "coalesce(\(ConversionFunction.decimalOfShortNumber.rawValue)(\(column)), "
            + "\(ConversionFunction.decimalOfNumber.rawValue)(CAST(\(column) AS TEXT)))"
    }

    private func required(_ value: String, _ column: String, else other: String) -> String {
        "CASE WHEN \(column) IS NOT NULL THEN coalesce(\(value), \(other)) END"
    }

    /// Core Data reads a string as its bytes; only another program can have written one. In
    /// SQLite's order, strings come after numbers and before bytes.
    private func bytes(of column: String) -> String {
        "CASE WHEN \(column) < x'' AND \(column) >= '' THEN CAST(\(column) AS BLOB) "
            + "ELSE \(column) END"
    }

    /// Both stores use a first byte for the place of the value, with the same code for a value in
    /// the row. A number, which comes before strings, is not bytes.
    private func externalForm(of column: String) -> String {
        let tags = [ExternalForm.inline, ExternalForm.file].map {
            SQLText.literal(.blob(Data([$0])))
        }
        return "CASE WHEN \(column) IS NULL OR \(column) < '' OR substr(\(column), 1, 1) IN "
            + "(\(tags.joined(separator: ", "))) THEN \(column) "
            + "ELSE CAST(\(tags[0]) || \(column) AS BLOB) END"
    }
}
