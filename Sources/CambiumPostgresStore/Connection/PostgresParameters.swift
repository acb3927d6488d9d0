import CPostgres
import CambiumModel

/// The parameters of a statement, one after the other, in the binary form of the wire.
struct PostgresParameters: Sendable {
    /// What the server calls their types.
    private(set) var types: [Oid] = []
    /// Where each one's bytes are; nil for NULL.
    private(set) var places: [Range<Int>?] = []
    private(set) var bytes: [UInt8] = []

    init() {}

    var count: Int { places.count }

    /// Adds a value.
    mutating func append(_ value: StoredValue, as type: PostgresType) {
        types.append(type.oid)
        let start = bytes.count
        places.append(type.append(value, to: &bytes) ? start..<bytes.count : nil)
    }

    /// Adds bytes.
    mutating func append(_ value: UnsafeRawBufferPointer) {
        types.append(PostgresType.bytea.oid)
        let start = bytes.count
        bytes.append(contentsOf: value)
        places.append(start..<bytes.count)
    }

    /// Adds an array, all elements of one type.
    ///
    /// - Parameter write: Appends the element of an index to the bytes; answers false for NULL.
    mutating func appendArray(
        of type: PostgresType, count: Int, _ write: (_ index: Int, inout [UInt8]) -> Bool
    ) {
        types.append(type.arrayOID)
        let start = bytes.count
        bytes.append(bigEndian: Int32(count == 0 ? 0 : 1))
        let flags = bytes.count
        bytes.append(bigEndian: Int32(0))
        bytes.append(bigEndian: type.oid)
        if count > 0 {
            bytes.append(bigEndian: Int32(count))
            bytes.append(bigEndian: Int32(1))
        }
        var hasNull = false
        for index in 0..<count {
            if !bytes.appendSized({ write(index, &$0) }) { hasNull = true }
        }
        if hasNull { bytes.set(bigEndian: Int32(1), at: flags) }
        places.append(start..<bytes.count)
    }

    mutating func appendArray(of integers: [Int64]) {
        appendArray(of: .bigint, count: integers.count) { index, bytes in
            bytes.append(bigEndian: integers[index])
            return true
        }
    }

    /// Calls the body with what libpq takes: addresses, lengths and formats.
    func withPointers<Result>(
        _ body: (
            _ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]
        ) throws -> Result
    ) rethrows -> Result {
        try bytes.withUnsafeBytes { buffer in
            // An empty value needs an address too, which tells it from NULL.
            var empty: CChar = 0
            return try withUnsafePointer(to: &empty) { empty in
                let values = places.map { place -> UnsafePointer<CChar>? in
                    guard let place else { return nil }
                    guard let start = buffer.baseAddress, !place.isEmpty else { return empty }
                    // Safety: the place is one in the bytes, which stay for the call.
                    return (start + place.lowerBound).assumingMemoryBound(to: CChar.self)
                }
                return try body(
                    values, places.map { Int32($0?.count ?? 0) },
                    [Int32](repeating: 1, count: places.count))
            }
        }
    }
}

extension [UInt8] {
    /// Appends a number in the order of the network.
    mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    /// Appends a value with its size before it.
    ///
    /// - Parameter write: Appends the value; answers false for NULL.
    /// - Returns: What it answers.
    @discardableResult
    mutating func appendSized(_ write: (inout [UInt8]) -> Bool) -> Bool {
        let size = count
        append(bigEndian: Int32(-1))
        guard write(&self) else { return false }
        set(bigEndian: Int32(count - size - 4), at: size)
        return true
    }

    /// Writes a number over what is there.
    mutating func set(bigEndian number: Int32, at place: Int) {
        Swift.withUnsafeBytes(of: number.bigEndian) { bytes in
            for (offset, byte) in bytes.enumerated() { self[place + offset] = byte }
        }
    }
}
