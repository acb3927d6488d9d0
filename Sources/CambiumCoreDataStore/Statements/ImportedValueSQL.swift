import CambiumModel
import CambiumSQL

/// SQL for the values that a column of Core Data's holds, in the form in which our store keeps
/// them. What has no such form becomes a value of a type that the column does not take, so that the
/// row is refused, and never nil.
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
            // A number that does not fit is of another type than what is none, so that the two can be
            // told apart.
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
            // A text that is no number is taken by no column of numbers, a BLOB by none of texts.
            return "CASE WHEN \(column) IS NULL OR \(column) IN (\(values)) THEN \(column) "
                + "ELSE \(model.storageClass(of: attribute.type) == .text ? Self.noText : Self.noNumber) END"
        case .codable(let type):
            return Self.json(of: column, as: type)
        default:
            return column
        }
    }

    /// - Parameter type: The type of Swift's that is to take it; empty for any.
    static func json(of column: String, as type: String) -> String {
        "\(ConversionFunction.archiveJSON.rawValue)(CAST(\(column) AS BLOB), "
            + "\(SQLText.literal(.text(type))))"
    }

    /// The condition that a decimal is NaN, which Core Data keeps as a text.
    static func isNaN(_ column: String) -> String { "\(column) = 'NaN' COLLATE NOCASE" }

    /// NaN becomes nil, and the default where a value is required. Without a default the row is
    /// refused.
    private func number(_ value: String, _ column: String, _ attribute: Attribute) -> String {
        let replacement =
            attribute.isOptional
            ? "NULL" : model.sqlDefault(of: attribute).map(SQLText.literal) ?? Self.noNumber
        return "CASE WHEN \(Self.isNaN(column)) THEN \(replacement) ELSE \(value) END"
    }

    /// Whether what cannot be understood becomes nil, which has to be said then.
    static func mayBecomeNil(_ attribute: Attribute) -> Bool {
        if case .codable = attribute.type { true } else { false }
    }

    private static let noText = "x''"
    private static let noBlob = "'no such value'"
    private static let noNumber = "'no such value'"

    /// Core Data's way out of a column of numbers is their text, which is that of 15 digits. Numbers
    /// as people write them need no text for that.
    private func decimalBytes(of column: String) -> String {
        "coalesce(\(ConversionFunction.decimalOfShortNumber.rawValue)(\(column)), "
            + "\(ConversionFunction.decimalOfNumber.rawValue)(CAST(\(column) AS TEXT)))"
    }

    private func required(_ value: String, _ column: String, else other: String) -> String {
        "CASE WHEN \(column) IS NOT NULL THEN coalesce(\(value), \(other)) END"
    }

    /// Core Data takes a text, which only another program can have written, for its bytes. Texts
    /// come after numbers and before bytes.
    private func bytes(of column: String) -> String {
        "CASE WHEN \(column) < x'' AND \(column) >= '' THEN CAST(\(column) AS BLOB) "
            + "ELSE \(column) END"
    }

    /// Both have a byte in front that says where the value is, and the same one for within the row.
    /// A number, which comes before texts, is no bytes.
    private func externalForm(of column: String) -> String {
        let tags = [ExternalForm.inline, ExternalForm.file].map {
            SQLText.literal(.blob(Data([$0])))
        }
        return "CASE WHEN \(column) IS NULL OR \(column) < '' OR substr(\(column), 1, 1) IN "
            + "(\(tags.joined(separator: ", "))) THEN \(column) "
            + "ELSE CAST(\(tags[0]) || \(column) AS BLOB) END"
    }
}
