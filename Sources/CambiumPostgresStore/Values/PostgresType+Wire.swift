import CPostgres
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords

/// The form of values on the wire.
extension PostgresType {
    /// The server's OID of the type. It is the same on all servers.
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

    /// The type of a column, as the server describes it; nil for a type that no store uses.
    ///
    /// - Parameter modifier: The server's type modifier, such as the scale of a number.
    init?(_ oid: Oid, modifier: Int32) {
        // The modifier of a number is 4 plus the precision in the upper half and the scale in the
        // lower bits.
        let header: Int32 = 4
        let number: PostgresType =
            modifier < header ? .anyDecimal : .decimal(scale: Int((modifier - header) & 0x7ff))
        let types: [PostgresType] = [
            .boolean, .smallint, .integer, .bigint, .real, .double, number, .text, .timestamp,
            .uuid, .bytea,
        ]
        guard let type = types.first(where: { $0.oid == oid }) else { return nil }
        self = type
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
    /// - Returns: False if the record has no value for the slot.
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
        // A history may have values of a time when the column had less precision.
        case .double where bytes.count == 4: PostgresType.real.value(of: bytes)
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
