import CambiumModel

/// Values in a history, in the form that they have on the wire.
extension PostgresType {
    /// SQL for the bytes of a value.
    package func bytes(of value: String) -> String {
        switch self {
        case .boolean: "boolsend(\(value))"
        case .smallint: "int2send(\(value))"
        case .integer: "int4send(\(value))"
        case .bigint: "int8send(\(value))"
        case .real: "float4send(\(value))"
        case .double: "float8send(\(value))"
        case .decimal, .anyDecimal: "numeric_send(\(value))"
        case .timestamp: "timestamptz_send(\(value))"
        case .uuid: "uuid_send(\(value))"
        case .bytea: value
        case .text: "convert_to(\(value), 'UTF8')"
        }
    }

    /// SQL for the bytes of a value after its column's type has changed, from SQL for the old
    /// bytes. If the new type cannot store the value, the result is NULL.
    ///
    /// It supports only the pairs of types between which a store in SQLite keeps its values
    /// unchanged. Integers of all sizes and single-precision numbers need no conversion, because
    /// they are read by their length.
    package func bytes(from old: PostgresType, _ bytes: String) -> String {
        switch (old, self) {
        case (.timestamp, .double):
            let count = "(\(Self.number(bytes)) - \(Self.secondsTo2001 * 1_000_000))"
            return """
                float8send((\(count) / 1000000)::double precision \
                + (\(count) % 1000000)::double precision / 1000000::double precision)
                """
        case (.double, .timestamp):
            let range = PostgresTimestamp.keptSeconds
            return """
                (SELECT CASE WHEN d BETWEEN \(range.lowerBound) AND \(range.upperBound) \
                THEN int8send(trunc(d)::bigint * 1000000 \
                + round((d - trunc(d)) * 1000000::double precision)::bigint \
                + \(Self.secondsTo2001 * 1_000_000)) END \
                FROM (SELECT \(Self.real(bytes)) AS d) AS _d)
                """
        case (_, .decimal(let scale)) where old.isWhole:
            return """
                numeric_send((\(Self.number(bytes, old))::numeric \
                * \(PostgresConversion.unit(scale)))::numeric(38, \(scale)))
                """
        case (.decimal(let scale), _) where isWhole:
            return """
                (SELECT CASE WHEN n BETWEEN \(Int64.min) AND \(Int64.max) \
                THEN int8send(n::bigint) END FROM (SELECT \(Self.decimal(bytes)) \
                * \(DecimalStorage.powerOfTen(scale)) AS n) AS _n)
                """
        default:
            return bytes
        }
    }

    private var isWhole: Bool {
        switch self {
        case .boolean, .smallint, .integer, .bigint: true
        default: false
        }
    }

    /// The seconds from 2000, the beginning of the server's dates, to 2001.
    private static let secondsTo2001: Int64 = 366 * 86_400

    /// SQL for the number in bytes of an integer type.
    package static func number(_ bytes: String, _ type: PostgresType = .bigint) -> String {
        let digits = "('x' || encode(\(bytes), 'hex'))"
        switch type {
        case .boolean: return "get_byte(\(bytes), 0)::bigint"
        // A cast from fewer bits does not extend the sign.
        case .smallint: return "((\(digits)::bit(16)::integer # 32768) - 32768)::bigint"
        case .integer: return "\(digits)::bit(32)::integer::bigint"
        default: return "\(digits)::bit(64)::bigint"
        }
    }

    /// SQL for a double-precision number in bytes. Numbers far below a microsecond become 0, and
    /// numbers beyond all dates become infinite.
    private static func real(_ bytes: String) -> String {
        """
        (SELECT CASE WHEN e < 990 THEN 0::double precision ELSE \
        CASE WHEN b < 0 THEN -1 ELSE 1 END \
        * CASE WHEN e > 1100 THEN 'Infinity'::double precision \
        ELSE (m + 4503599627370496)::double precision * power(2::double precision, e - 1075) \
        END END FROM (SELECT b, (b >> 52) & 2047 AS e, b & 4503599627370495 AS m \
        FROM (SELECT \(number(bytes)) AS b) AS _b) AS _d)
        """
    }

    /// SQL for a decimal in bytes: digits of 10,000 each.
    private static func decimal(_ bytes: String) -> String {
        """
        (SELECT CASE WHEN get_byte(v, 4) = 64 THEN -1 ELSE 1 END * coalesce(sum( \
        (get_byte(v, 8 + 2 * i) * 256 + get_byte(v, 9 + 2 * i))::numeric \
        * power(10000::numeric, ((get_byte(v, 2) * 256 + get_byte(v, 3)) # 32768) - 32768 - i)), 0) \
        FROM (SELECT \(bytes) AS v) AS _v \
        LEFT JOIN generate_series(0, octet_length(v) / 2 - 5) AS i ON true GROUP BY v)
        """
    }
}
