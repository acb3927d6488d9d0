import CPostgres
import CambiumModel
import CambiumPostgresSQL

/// The parameters of a statement, one after the other, in the binary form of the wire.
struct PostgresParameters: Sendable {
    /// The object ids of their types on the server.
    private(set) var types: [Oid] = []
    /// The range of each value's bytes; nil for NULL.
    private(set) var places: [Range<Int>?] = []
    private(set) var bytes: [UInt8] = []

    init() {}

    var count: Int { places.count }

    /// Adds a value.
    mutating func append(_ value: StoredValue, as type: PostgresType) {
        types.append(type.oid)
        var writer = WireWriter()
        let hasValue = type.append(value, to: &writer)
        append(writer, hasValue: hasValue)
    }

    /// Adds a key.
    mutating func append(_ key: Int64) {
        types.append(PostgresType.bigint.oid)
        let start = bytes.count
        withUnsafeBytes(of: key.bigEndian) { bytes.append(contentsOf: $0) }
        places.append(start..<bytes.count)
    }

    /// Adds bytes.
    mutating func append(_ value: UnsafeRawBufferPointer) {
        types.append(PostgresType.bytea.oid)
        let start = bytes.count
        bytes.append(contentsOf: value)
        places.append(start..<bytes.count)
    }

    private mutating func append(_ writer: borrowing WireWriter, hasValue: Bool = true) {
        let start = bytes.count
        writer.withBytes { bytes.append(contentsOf: $0) }
        places.append(hasValue ? start..<bytes.count : nil)
    }

    /// Adds an array, all elements of one type.
    ///
    /// - Parameter write: Appends the element of an index; answers false for NULL.
    @inline(__always)
    mutating func appendArray(
        of type: PostgresType, count: Int, _ write: (_ index: Int, inout WireWriter) -> Bool
    ) {
        types.append(type.arrayOID)
        var writer = WireWriter(capacity: 20 + 12 * count)
        writer.append(bigEndian: Int32(count == 0 ? 0 : 1))
        let flags = writer.count
        writer.append(bigEndian: Int32(0))
        writer.append(bigEndian: type.oid)
        if count > 0 {
            writer.append(bigEndian: Int32(count))
            writer.append(bigEndian: Int32(1))
        }
        var hasNull = false
        for index in 0..<count {
            if !writer.appendSized({ write(index, &$0) }) { hasNull = true }
        }
        if hasNull { writer.set(bigEndian: Int32(1), at: flags) }
        append(writer)
    }

    mutating func appendArray(of integers: [Int64]) {
        appendArray(of: .bigint, count: integers.count) { index, writer in
            writer.append(bigEndian: integers[index])
            return true
        }
    }

    /// Calls the body with the addresses, lengths and formats for libpq.
    func withPointers<Result>(
        _ body: (
            _ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]
        ) throws -> Result
    ) rethrows -> Result {
        try bytes.withUnsafeBytes { buffer in
            // An empty value needs an address too, to differ from NULL.
            var empty: CChar = 0
            return try withUnsafePointer(to: &empty) { empty in
                let values = places.map { place -> UnsafePointer<CChar>? in
                    guard let place else { return nil }
                    guard let start = buffer.baseAddress, !place.isEmpty else { return empty }
                    // Safety: the position is in the bytes, which are valid during the call.
                    return (start + place.lowerBound).assumingMemoryBound(to: CChar.self)
                }
                return try body(
                    values, places.map { Int32($0?.count ?? 0) },
                    [Int32](repeating: 1, count: places.count))
            }
        }
    }
}
