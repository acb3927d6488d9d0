import CambiumModel

// Values as texts, and back. What another program may have written in any of many ways, such as a
// moment, has no form of its own here.
extension AttributeConversion {
    /// The text of a value, from which the value can be read again.
    static func written(_ old: AttributeType) -> AttributeConversion? {
        switch old {
        case .bool:
            return AttributeConversion(
                value: { "CASE WHEN \($0) = 1 THEN 'true' WHEN \($0) = 0 THEN 'false' END" })
        case .double:
            // The usual 15 digits, or as many as there are where those are not enough.
            let text = { (column: String) in
                "CASE WHEN CAST(CAST(\(column) AS TEXT) AS REAL) = \(column) "
                    + "THEN CAST(\(column) AS TEXT) "
                    + "WHEN \(column) IS NOT NULL THEN printf('%!.17g', \(column)) END"
            }
            return AttributeConversion(
                value: text, fits: { "CAST(\(text($0)) AS REAL) = \($0)" })
        case .decimal(let scale):
            return AttributeConversion(
                value: {
                    let bytes = "\(ConversionFunction.decimalBytes.rawValue)(\($0), \(scale))"
                    return "\(ConversionFunction.decimalText.rawValue)(\(bytes))"
                })
        case .uuid:
            return AttributeConversion(
                value: { column in
                    let groups = [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)].map {
                        "substr(hex(\(column)), \($0), \($1))"
                    }
                    return "CASE WHEN \(column) IS NOT NULL "
                        + "THEN \(groups.joined(separator: " || '-' || ")) END"
                })
        default:
            return nil
        }
    }

    /// The value that a text is of, where it is the text of one.
    static func read(as new: AttributeType) -> AttributeConversion? {
        switch new {
        case .bool:
            return AttributeConversion(
                value: {
                    "CASE WHEN \($0) IN ('1', 'true') THEN 1 "
                        + "WHEN \($0) IN ('0', 'false') THEN 0 END"
                }, fits: { "\($0) IN ('0', '1', 'false', 'true')" })
        case .int16, .int32, .int64:
            guard let range = range(of: new) else { return nil }
            let isFree = range == Int64.min...Int64.max
            return AttributeConversion(
                value: { "CAST(\($0) AS INTEGER)" },
                fits: { column in
                    "CAST(CAST(\(column) AS INTEGER) AS TEXT) = \(column)"
                        + (isFree
                            ? ""
                            : " AND CAST(\(column) AS INTEGER) BETWEEN \(range.lowerBound) "
                                + "AND \(range.upperBound)")
                }, isExact: { "CAST(CAST(\($0) AS INTEGER) AS TEXT) = \($0)" })
        case .double:
            // What JSON takes for a number is one, to its end and not beyond what there is.
            return AttributeConversion(
                value: { "CAST(\($0) AS REAL)" },
                fits: {
                    "CASE WHEN json_valid(\($0)) "
                        + "THEN json_type(\($0)) IN ('integer', 'real') "
                        + "AND instr(\($0), char(0)) = 0 "
                        + "AND abs(CAST(\($0) AS REAL)) <= 1.7976931348623157e308 ELSE 0 END"
                })
        case .decimal(let scale):
            let units = { (column: String) in
                "\(ConversionFunction.decimalUnits.rawValue)("
                    + "\(ConversionFunction.decimalOfText.rawValue)(\(column)), \(scale))"
            }
            return AttributeConversion(value: units, fits: { "\(units($0)) IS NOT NULL" })
        default:
            return nil
        }
    }
}
