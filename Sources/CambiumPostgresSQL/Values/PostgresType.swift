import CambiumModel
import CambiumRecords
import CambiumSQL

/// A type of a column.
package enum PostgresType: Sendable, Hashable {
    case boolean
    case smallint
    case integer
    case bigint
    case real
    case double
    /// A decimal that a record holds as a number of units.
    case decimal(scale: Int)
    /// A decimal of any scale. A record holds it as bytes that sort as the numbers do.
    case anyDecimal
    case text
    case timestamp
    case uuid
    case bytea

    /// The type that holds the values of an attribute's type.
    package init(_ type: AttributeType, in model: Model) {
        self =
            switch type {
            case .bool: .boolean
            case .int16: .smallint
            case .int32: .integer
            case .int64, .duration: .bigint
            case .float: .real
            case .double: .double
            case .decimal(let scale): .decimal(scale: scale)
            case .anyDecimal: .anyDecimal
            case .string, .uri, .codable: .text
            case .date: .timestamp
            case .uuid: .uuid
            case .data: .bytea
            case .enumeration:
                model.storageClass(of: type) == .text ? .text : .bigint
            }
    }

    /// The name of the type in SQL.
    package var name: String {
        switch self {
        case .boolean: "boolean"
        case .smallint: "smallint"
        case .integer: "integer"
        case .bigint: "bigint"
        case .real: "real"
        case .double: "double precision"
        case .decimal(let scale): "numeric(\(max(19, scale)),\(scale))"
        case .anyDecimal: "numeric"
        case .text: "text"
        case .timestamp: "timestamptz"
        case .uuid: "uuid"
        case .bytea: "bytea"
        }
    }

    /// The name of the type without limits of its values.
    package var baseName: String {
        if case .decimal = self { "numeric" } else { name }
    }
}

/// Moments on the wire: microseconds since the year 2000.
package enum PostgresTimestamp {
    /// The number of microseconds from the start of 2000, a leap year, to the start of 2001.
    private static let distance: Int64 = 366 * 86_400 * 1_000_000
    /// The range of the server's timestamps.
    private static let range: ClosedRange<Int64> =
        -211_813_488_000_000_000...9_223_371_331_199_999_999
    /// Substitutes for moments before and after all others.
    private static let (beforeAll, afterAll) = (Int64.min, Int64.max)

    /// The dates that the server keeps.
    package static let kept = StoredDatePrecision(
        microseconds: range.lowerBound - distance...range.upperBound - distance,
        years: (-4712, 294_276))

    /// The moments that the server keeps, in seconds since 2001.
    package static var keptSeconds: ClosedRange<Double> {
        seconds(range.lowerBound)...seconds(range.upperBound)
    }

    /// The server's form of seconds since 2001. A moment outside of its range is infinitely far
    /// away. No row has such a moment, but constants of conditions may.
    package static func microseconds(of seconds: Double) -> Int64 {
        if let count = DateStorage.microseconds(ofSeconds: seconds) {
            let (sum, overflows) = count.addingReportingOverflow(distance)
            if !overflows, range.contains(sum) { return sum }
        }
        return seconds < 0 ? beforeAll : afterAll
    }

    /// A moment in SQL, independent of the session's time zone; nil if the server cannot keep it
    /// exactly.
    package static func literal(_ seconds: Double) -> String? {
        guard kept.kept(seconds) == seconds,
            let count = DateStorage.microseconds(ofSeconds: seconds)
        else { return nil }
        let rest = ((count % 1_000_000) + 1_000_000) % 1_000_000
        let whole = Double((count - rest) / 1_000_000)
        guard
            var text = ISO8601Text.text(of: Date(timeIntervalSinceReferenceDate: whole))?
                .dropLast().replacing("T", with: " ")
        else { return nil }
        var era = ""
        if text.first == "-" {
            // The year 0 is the first one before Christ.
            let digits = text.dropFirst().prefix { $0 != "-" }
            era = " BC"
            text =
                "\((Int(digits) ?? 0) + 1)".leftPadded(to: 4)
                + text.dropFirst(1 + digits.count)
        } else if text.hasPrefix("0000") {
            era = " BC"
            text = "0001" + text.dropFirst(4)
        }
        if text.first == "+" { text.removeFirst() }
        let fraction = rest == 0 ? "" : ".\("\(rest)".leftPadded(to: 6))"
        return "'\(text)\(fraction)+00\(era)'::timestamptz"
    }

    /// The first moment that the server keeps, at or after another moment; nil if there is none.
    package static func notBefore(_ seconds: Double) -> Double? { near(seconds) { $0 >= seconds } }

    /// The last moment that the server keeps, at or before another moment; nil if there is none.
    package static func notAfter(_ seconds: Double) -> Double? { near(seconds) { $0 <= seconds } }

    private static func near(_ seconds: Double, _ isOnSide: (Double) -> Bool) -> Double? {
        guard let count = DateStorage.microseconds(ofSeconds: seconds) else { return nil }
        let candidates = [0, 1, -1].map { DateStorage.seconds(ofMicroseconds: count + $0) }
        return candidates.first(where: isOnSide).flatMap { kept.kept($0) }
    }

    package static func seconds(_ microseconds: Int64) -> Double {
        switch microseconds {
        case beforeAll: -.infinity
        case afterAll: .infinity
        default: DateStorage.seconds(ofMicroseconds: microseconds - distance)
        }
    }
}

extension PostgresType {
    /// The type of the column of an attribute. Values that are computed may be greater than the
    /// attribute's.
    package static func column(of attribute: Attribute, in model: Model) -> PostgresType {
        switch PostgresType(attribute.type, in: model) {
        case .smallint where attribute.derivation != nil,
            .integer where attribute.derivation != nil:
            .bigint
        case let type: type
        }
    }

    /// The type of the values in a column.
    ///
    /// - Parameter attribute: The attribute of the column, if it has one.
    package init(of content: Table.Column.Content, _ attribute: Attribute?, in model: Model) {
        self =
            switch content {
            case .system, .key, .position: .bigint
            case .entity, .entityOfKey: .text
            case .attribute: attribute.map { .column(of: $0, in: model) } ?? .text
            }
    }

    /// A constant in SQL; nil if the value has no constant.
    package func literal(_ value: StoredValue) -> String? {
        switch (self, value) {
        case (_, .null): return "NULL"
        case (.boolean, .integer(let number)): return number == 0 ? "false" : "true"
        case (.decimal(let scale), .integer(let units)):
            return DecimalStorage.decimal(ofUnits: units, scale: scale).description
        case (_, .integer(let number)): return "\(number)"
        case (.timestamp, .real(let seconds)): return PostgresTimestamp.literal(seconds)
        case (_, .real(let number)):
            guard number.isFinite else { return nil }
            return "'\(number)'::double precision"
        case (_, .text(let text)): return SQLText.literal(text)
        case (.anyDecimal, .blob(let bytes)):
            return OrderedDecimal.decimal(of: bytes)?.description
        case (.uuid, .blob(let bytes)):
            return "'\(Self.hexadecimal(bytes))'::uuid"
        case (_, .blob(let bytes)): return "'\\x\(Self.hexadecimal(bytes))'::bytea"
        }
    }

    /// A constant of exactly this type; nil if the value has no constant.
    package func constant(_ value: StoredValue) -> String? {
        guard let text = literal(value) else { return nil }
        switch self {
        case .boolean, .double, .real, .uuid, .bytea, .timestamp: return text
        case .text: return "\(text)::text"
        case .smallint, .integer, .bigint, .decimal, .anyDecimal:
            return "'\(text)'::\(self == .smallint || self == .integer ? "bigint" : baseName)"
        }
    }

    private static func hexadecimal(_ bytes: Data) -> String {
        bytes.map { byte in
            let text = String(byte, radix: 16)
            return byte < 16 ? "0\(text)" : text
        }.joined()
    }
}

extension String {
    /// With zeros before it.
    fileprivate func leftPadded(to count: Int) -> String {
        String(repeating: "0", count: max(0, count - utf8.count)) + self
    }
}
