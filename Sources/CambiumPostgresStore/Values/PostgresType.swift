import CPostgres
import CambiumModel
import CambiumRecords
import CambiumSQL

/// A type of a column, with the form of its values on the wire.
enum PostgresType: Sendable, Hashable {
    case boolean
    case smallint
    case integer
    case bigint
    case real
    case double
    /// A decimal that a record holds as a number of units.
    case decimal(scale: Int)
    /// A decimal of any scale, which a record holds as bytes that sort as the numbers do.
    case anyDecimal
    case text
    case timestamp
    case uuid
    case bytea

    /// The type that holds the values of an attribute's type.
    init(_ type: AttributeType, in model: Model) {
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

    /// What SQL calls it.
    var name: String {
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

    /// The same without what limits its values.
    var baseName: String {
        if case .decimal = self { "numeric" } else { name }
    }

    /// The server's number of the type, which is the same everywhere.
    var oid: Oid {
        switch self {
        case .boolean: 16
        case .smallint: 21
        case .integer: 23
        case .bigint: 20
        case .real: 700
        case .double: 701
        case .decimal, .anyDecimal: 1700
        case .text: 25
        case .timestamp: 1184
        case .uuid: 2950
        case .bytea: 17
        }
    }

    /// The number of the type of arrays of it.
    var arrayOID: Oid {
        switch self {
        case .boolean: 1000
        case .smallint: 1005
        case .integer: 1007
        case .bigint: 1016
        case .real: 1021
        case .double: 1022
        case .decimal, .anyDecimal: 1231
        case .text: 1009
        case .timestamp: 1185
        case .uuid: 2951
        case .bytea: 1001
        }
    }

    // MARK: Writing

    /// Appends a value in its form on the wire, without its length.
    ///
    /// - Returns: False for NULL.
    func append(_ value: StoredValue, to wire: inout WireWriter) -> Bool {
        switch value {
        case .null: return false
        case .integer(let number): append(number, to: &wire)
        case .real(let number): append(number, to: &wire)
        case .text(let text): wire.append(text)
        case .blob(let data): data.withUnsafeBytes { append($0, to: &wire) }
        }
        return true
    }

    /// Appends the value of a record's slot.
    ///
    /// - Returns: False where it has none.
    @inline(__always)
    func append(_ record: Record, _ slot: Int, to wire: inout WireWriter) -> Bool {
        guard record.hasValue(slot) else { return false }
        switch self {
        case .boolean, .smallint, .integer, .bigint, .decimal:
            append(record.integer(slot), to: &wire)
        case .real, .double, .timestamp: append(record.real(slot), to: &wire)
        case .text, .uuid, .bytea, .anyDecimal: append(record.bytes(slot), to: &wire)
        }
        return true
    }

    @inline(__always)
    private func append(_ number: Int64, to wire: inout WireWriter) {
        switch self {
        case .boolean: wire.append(bigEndian: number == 0 ? 0 : 1 as UInt8)
        case .smallint: wire.append(bigEndian: Int16(truncatingIfNeeded: number))
        case .integer: wire.append(bigEndian: Int32(truncatingIfNeeded: number))
        case .decimal(let scale): PostgresNumeric(units: number, scale: scale).append(to: &wire)
        default: wire.append(bigEndian: number)
        }
    }

    @inline(__always)
    private func append(_ number: Double, to wire: inout WireWriter) {
        switch self {
        case .real: wire.append(bigEndian: Float(number).bitPattern)
        case .timestamp: wire.append(bigEndian: PostgresTimestamp.microseconds(of: number))
        default: wire.append(bigEndian: number.bitPattern)
        }
    }

    @inline(__always)
    private func append(_ value: UnsafeRawBufferPointer, to wire: inout WireWriter) {
        switch self {
        case .anyDecimal: PostgresNumeric(ordered: Data(value)).append(to: &wire)
        default: wire.append(contentsOf: value)
        }
    }

    // MARK: Reading

    /// A value from its form on the wire, which is not NULL.
    func value(of bytes: UnsafeRawBufferPointer) -> StoredValue {
        switch self {
        case .boolean, .smallint, .integer, .bigint: .integer(bytes.wholeNumber)
        case .real: .real(Double(Float(bitPattern: bytes.number(UInt32.self))))
        case .double: .real(Double(bitPattern: bytes.number(UInt64.self)))
        case .decimal(let scale):
            PostgresNumeric(bytes).units(scale: scale).map { .integer($0) } ?? .null
        case .anyDecimal: PostgresNumeric(bytes).ordered.map { .blob($0) } ?? .null
        case .text: .text(String(decoding: bytes, as: UTF8.self))
        case .timestamp: .real(PostgresTimestamp.seconds(bytes.number(Int64.self)))
        case .uuid, .bytea: .blob(Data(bytes))
        }
    }

    /// Writes a value, which is not NULL, from its form on the wire into a record's slot.
    @inline(__always)
    func read(
        _ bytes: UnsafeRawBufferPointer, into placed: inout PlacedRecord, _ slot: Int,
        _ writer: RecordWriter, _ shape: RecordShape
    ) {
        switch self {
        case .text, .uuid, .bytea:
            if let moved = writer.addBytes(
                bytes, slot, to: placed.record, in: placed.page, shape)
            {
                placed = moved
            }
        case .boolean, .smallint, .integer, .bigint:
            placed.record.setInteger(slot, bytes.wholeNumber)
        case .double: placed.record.setReal(slot, Double(bitPattern: bytes.number(UInt64.self)))
        case .timestamp:
            placed.record.setReal(slot, PostgresTimestamp.seconds(bytes.number(Int64.self)))
        case .real, .decimal, .anyDecimal: writer.set(value(of: bytes), slot, of: &placed, shape)
        }
    }
}

/// Moments on the wire: microseconds since the year 2000.
enum PostgresTimestamp {
    /// How many microseconds 2001 began after 2000, a leap year.
    private static let distance: Int64 = 366 * 86_400 * 1_000_000
    /// Beyond these the server holds no moment.
    private static let range: ClosedRange<Int64> =
        -211_813_488_000_000_000...9_223_371_331_199_999_999
    /// What stands for moments before and after all others.
    private static let (beforeAll, afterAll) = (Int64.min, Int64.max)

    /// What the server keeps of dates.
    static let kept = KeptDates(
        microseconds: range.lowerBound - distance...range.upperBound - distance,
        years: (-4712, 294_276))

    /// The moments that the server keeps, in seconds since 2001.
    static var keptSeconds: ClosedRange<Double> {
        seconds(range.lowerBound)...seconds(range.upperBound)
    }

    /// What the server keeps of seconds since 2001. What it cannot hold is infinitely far away: no row
    /// has it, but constants of conditions may.
    static func microseconds(of seconds: Double) -> Int64 {
        if let count = DateStorage.microseconds(ofSeconds: seconds) {
            let (sum, overflows) = count.addingReportingOverflow(distance)
            if !overflows, range.contains(sum) { return sum }
        }
        return seconds < 0 ? beforeAll : afterAll
    }

    /// A moment in SQL, whatever the session's time zone; nil where the server does not keep it as it
    /// is.
    static func literal(_ seconds: Double) -> String? {
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

    /// The first moment that the server keeps which is not before another one; nil without one.
    static func notBefore(_ seconds: Double) -> Double? { near(seconds) { $0 >= seconds } }

    /// The last moment that the server keeps which is not after another one; nil without one.
    static func notAfter(_ seconds: Double) -> Double? { near(seconds) { $0 <= seconds } }

    private static func near(_ seconds: Double, _ isOnSide: (Double) -> Bool) -> Double? {
        guard let count = DateStorage.microseconds(ofSeconds: seconds) else { return nil }
        let candidates = [0, 1, -1].map { DateStorage.seconds(ofMicroseconds: count + $0) }
        return candidates.first(where: isOnSide).flatMap { kept.kept($0) }
    }

    static func seconds(_ microseconds: Int64) -> Double {
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
    static func column(of attribute: Attribute, in model: Model) -> PostgresType {
        switch PostgresType(attribute.type, in: model) {
        case .smallint where attribute.derivation != nil,
            .integer where attribute.derivation != nil:
            .bigint
        case let type: type
        }
    }

    /// A constant in SQL; nil where a value has no such form.
    func literal(_ value: StoredValue) -> String? {
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

    /// A constant of the very type; nil where a value has no such form.
    func constant(_ value: StoredValue) -> String? {
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
