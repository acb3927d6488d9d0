import CambiumModel
import CambiumPlan
import CambiumSQL

/// The conversion of values from one type to another on the server. It has the same meaning as
/// ``AttributeConversion`` for the stored forms of SQLite. The server first converts the old value
/// to its stored form, and at the end converts a stored form to the new value.
package struct PostgresConversion {
    package let conversion: AttributeConversion
    private let (old, new): (PostgresType, PostgresType)

    package init(_ conversion: AttributeConversion, in model: Model) {
        self.conversion = conversion
        old = PostgresType(conversion.types.old, in: model)
        new = PostgresType(conversion.types.new, in: model)
    }

    /// Whether the old column has the very values of the new one.
    package var keepsValues: Bool { conversion.keepsValues && old == new }

    /// The new value.
    package func value(of column: String) -> String {
        if keepsValues { return column }
        let stored = conversion.value.postgres(Self.stored(column, old))
        switch new {
        case .boolean: return "((\(stored)) <> 0)"
        case .smallint, .integer, .bigint: return "(\(stored))::bigint"
        case .decimal(let scale): return "((\(stored)) * \(Self.unit(scale)))"
        case .real, .double: return "(\(stored))::\(new.name)"
        case .timestamp:
            return """
                ('2001-01-01 00:00:00+00'::timestamptz + (\(stored)) * '1 second'::interval)
                """
        case .uuid: return "encode(\(stored), 'hex')::uuid"
        case .anyDecimal, .text, .bytea: return stored
        }
    }

    /// A condition that an old value, which is not NULL, can be converted; nil if all values can.
    package func fits(_ column: String, _ condition: ConversionCondition?) -> String? {
        let stored = Self.stored(column, old)
        var conditions = condition.map { [$0.postgres(stored)] } ?? []
        if new == .timestamp, old != .timestamp {
            let range = PostgresTimestamp.keptSeconds
            conditions.append(
                "\(stored) BETWEEN \(range.lowerBound) AND \(range.upperBound)")
        }
        return conditions.isEmpty ? nil : conditions.joined(separator: " AND ")
    }

    /// The value as a store in a file has it.
    private static func stored(_ column: String, _ type: PostgresType) -> String {
        switch type {
        case .boolean: "\(column)::integer"
        case .decimal(let scale):
            scale == 0 ? column : "(\(column) * \(DecimalStorage.powerOfTen(scale)))"
        case .real: "\(column)::double precision"
        case .timestamp: PostgresExpression.seconds(since2001: column)
        case .uuid: "uuid_send(\(column))"
        case .smallint, .integer, .bigint, .double, .anyDecimal, .text, .bytea: column
        }
    }

    /// One unit of a decimal, as a constant.
    package static func unit(_ scale: Int) -> String {
        DecimalStorage.decimal(ofUnits: 1, scale: scale).description
    }
}

extension ConvertedValue {
    /// SQL for the new stored value, from SQL for the old one.
    fileprivate func postgres(_ old: String) -> String {
        switch self {
        case .same: return old
        case .cast(.integer): return "(\(old))::bigint"
        case .cast(.real): return "(\(old))::double precision"
        case .cast(.text): return "(\(old))::text"
        case .cast(.blob): return "convert_to(\(old), 'UTF8')"
        case .multiplied(let factor): return "((\(old))::numeric * \(factor))"
        case .divided(let factor): return "div((\(old))::numeric, \(factor))"
        case .real(let units):
            return "((\(old))::double precision / \(units)::double precision)"
        case .units(let factor):
            return "round(\(old) * \(factor)::double precision)::bigint"
        case .call(let function, let value, let scale):
            return function.postgres(value.postgres(old), scale ?? 0)
        case .textOfBool:
            return "CASE WHEN \(old) = 1 THEN 'true' WHEN \(old) = 0 THEN 'false' END"
        case .boolOfText:
            return """
                CASE WHEN \(old) IN ('1', 'true') THEN 1 \
                WHEN \(old) IN ('0', 'false') THEN 0 END
                """
        case .textOfReal:
            // As SQLite writes a number: with 15 digits, or with all of them if 15 are not enough.
            return """
                (SELECT CASE WHEN abs(n) > 1.79769313486e308 THEN more \
                WHEN few::double precision = n THEN few ELSE more END \
                FROM (SELECT n, \(Self.text("short", digits: 15)) AS few, \
                \(Self.text("long", digits: 17)) AS more \
                FROM (SELECT n, ltrim(to_char(n, '9.\(Self.nines(14))EEEE')) AS short, \
                ltrim(to_char(n, '9.\(Self.nines(16))EEEE')) AS long \
                FROM (SELECT \(old) AS n) AS _n WHERE n IS NOT NULL) AS _n) AS _n)
                """
        case .textOfUUID: return "upper(encode(\(old), 'hex')::uuid::text)"
        case .replaced(let ways, let value):
            let cases = ways.map {
                "WHEN \(SQLText.literal($0.gone)) THEN \(SQLText.literal($0.other))"
            }
            return "CASE \(old) \(cases.joined(separator: " ")) ELSE \(value.postgres(old)) END"
        case .external(let value): return "('\\x01'::bytea || \(value.postgres(old)))"
        case .content(let value): return value.postgres("substr(\(old), 2)")
        }
    }

    private static func nines(_ count: Int) -> String { String(repeating: "9", count: count) }

    /// The usual form of a number that is written as d.ddde+dd.
    private static func text(_ number: String, digits: Int) -> String {
        func withPoint(_ number: String) -> String {
            """
            trim_scale(\(number))::text \
            || CASE WHEN min_scale(\(number)) = 0 THEN '.0' ELSE '' END
            """
        }
        let exponent = "split_part(\(number), 'e', 2)"
        return """
            CASE WHEN \(exponent)::integer BETWEEN -4 AND \(digits - 1) \
            THEN \(withPoint("\(number)::numeric")) \
            ELSE \(withPoint("split_part(\(number), 'e', 1)::numeric")) \
            || 'e' || \(exponent) END
            """
    }
}

extension ConversionFunction {
    fileprivate func postgres(_ value: String, _ scale: Int) -> String {
        switch self {
        case .decimalBytes: return "((\(value)) * \(PostgresConversion.unit(scale)))"
        case .decimalUnits:
            let units = "(\(value)) * \(DecimalStorage.powerOfTen(scale))"
            return """
                CASE WHEN \(units) = trunc(\(units)) \
                AND \(units) BETWEEN \(Int64.min) AND \(Int64.max) THEN \(units) END
                """
        case .decimalText: return "trim_scale(\(value))::text"
        case .decimalOfText:
            return """
                CASE WHEN \(value) ~ '^-?[0-9]+(\\.[0-9]+)?$' \
                AND char_length(translate(\(value), '-.', '')) <= 38 THEN (\(value))::numeric END
                """
        // No conversion of attributes has these.
        case .decimalOfNumber, .decimalOfShortNumber, .archiveJSON, .wholeText: return value
        }
    }
}

extension ConversionCondition {
    /// SQL that is true if the condition is, from SQL for the old stored value.
    fileprivate func postgres(_ old: String) -> String {
        func isWithin(_ value: String, _ range: ClosedRange<Int64>) -> String {
            "\(value) BETWEEN \(range.lowerBound) AND \(range.upperBound)"
        }
        // A value that fails the first test may be an error in the second one.
        func both(_ test: String, _ other: String?) -> String {
            other.map { "CASE WHEN \(test) THEN \($0) ELSE false END" } ?? "(\(test))"
        }
        switch self {
        case .within(let range): return isWithin(old, range)
        case .has(let value, nil): return "(\(value.postgres(old))) IS NOT NULL"
        case .has(let value, let range?):
            return "coalesce(\(isWithin("(\(value.postgres(old)))", range)), false)"
        case .isMultiple(let factor, let range):
            let quotient = "div((\(old))::numeric, \(factor))"
            return both(
                "mod((\(old))::numeric, \(factor)) = 0", range.map { isWithin(quotient, $0) })
        case .isUUID: return "octet_length(\(old)) = 16"
        case .isWhole(let range):
            let isNear = range.map { isWithin(old, $0) } ?? "abs(\(old)) <= 9007199254740992"
            return both(isNear, "trunc(\(old)) = \(old)")
        case .hasUnits(let factor):
            let units = "\(old) * \(factor)::double precision"
            return both(
                "abs(\(old)) <= 9007199254740992",
                """
                abs(\(units)) <= 9007199254740992 \
                AND round(\(units)) / \(factor)::double precision = \(old)
                """)
        case .isReadAgainFromText:
            let text = ConvertedValue.textOfReal.postgres(old)
            return both(
                "abs(\(old)) < 'Infinity'::double precision",
                "\(text)::double precision = \(old)")
        case .isTextOfBool: return "\(old) IN ('0', '1', 'false', 'true')"
        case .isTextOfInteger(let range):
            return both(
                "\(old) ~ '^(0|-?[1-9][0-9]{0,18})$'",
                isWithin("(\(old))::numeric", range ?? Int64.min...Int64.max))
        case .isTextOfReal:
            // A JSON number. A number nearer to 0 than any that the server has is rejected.
            return both(
                """
                \(old) ~ '^[ \\t\\n\\r]*-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]{1,3})?[ \\t\\n\\r]*$' \
                AND char_length(\(old)) < 2000
                """,
                """
                (\(old))::numeric = 0 OR abs((\(old))::numeric) BETWEEN 1e-307 \
                AND 1.7976931348623157e308
                """)
        case .isOne(let cases, let value, let other):
            let list = cases.map(SQLText.literal).joined(separator: ", ")
            let isCase = "(\(value.postgres(old))) IN (\(list))"
            return other.map { both($0.postgres(old), isCase) } ?? isCase
        case .isReplaced(let ways, let other):
            let removed = ways.map { SQLText.literal($0.gone) }.joined(separator: ", ")
            return "(\(old) IN (\(removed)) OR \(other.postgres(old)))"
        case .isInline(let other):
            return both(
                "substr(\(old), 1, 1) = '\\x01'::bytea", other?.postgres("substr(\(old), 2)"))
        }
    }
}
