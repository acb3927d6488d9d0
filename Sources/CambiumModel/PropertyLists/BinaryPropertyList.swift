/// The binary form of a property list, including the references between objects that keyed archives
/// have. Foundation's reader does not expose these references.
package final class BinaryPropertyList: Sendable {
    /// A value.
    package enum Value: Sendable {
        /// An integer.
        case integer(Int)
        /// An integer that is greater than any `Int`.
        case unsigned(UInt64)
        /// A number with a fraction.
        case real(Double)
        /// True or false.
        case bool(Bool)
        /// Seconds since 2001-01-01 UTC.
        case date(Double)
        /// Bytes.
        case data(Data)
        /// Text.
        case string(String)
        /// The numbers of the members.
        case array([Int])
        /// The numbers of the values, by the numbers of the keys.
        case dictionary([Int: Int])
        /// A keyed archive's reference to one of its objects.
        case reference(Int)
        /// A value of another kind.
        case other
    }

    private let bytes: [UInt8]
    private let offsets: [Int]
    private let referenceSize: Int
    private let rootNumber: Int

    /// Reads the table of a list, or returns nil if the bytes are not a list.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count > 40, bytes.starts(with: Array("bplist00".utf8)) else { return nil }
        let trailer = bytes.count - 32
        let offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard let count = Self.number(in: bytes, at: trailer + 8, size: 8),
            let root = Self.number(in: bytes, at: trailer + 16, size: 8),
            let table = Self.number(in: bytes, at: trailer + 24, size: 8),
            (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            (0...trailer).contains(table), count >= 0, root >= 0,
            count <= (trailer - table) / offsetSize, root < count
        else { return nil }
        offsets = (0..<count).compactMap {
            Self.number(in: bytes, at: table + $0 * offsetSize, size: offsetSize)
        }
        guard offsets.count == count else { return nil }
        self.bytes = bytes
        rootNumber = root
    }

    /// The outermost dictionary by its keys.
    package var dictionary: [String: Value] { members(of: rootNumber) }

    /// The outermost value.
    package var root: Value { value(rootNumber) }

    /// Returns the value of a dictionary for a key; nil if there is none.
    package func member(_ name: String, of dictionary: Value) -> Value? {
        guard case .dictionary(let pairs) = dictionary else { return nil }
        for (key, member) in pairs {
            if case .string(let own) = value(key), own == name { return value(member) }
        }
        return nil
    }

    /// Returns the dictionary with a number, by its keys; empty if the value is not a dictionary.
    package func members(of index: Int) -> [String: Value] {
        guard case .dictionary(let pairs) = value(index) else { return [:] }
        var members: [String: Value] = [:]
        for (key, member) in pairs {
            if case .string(let name) = value(key) { members[name] = value(member) }
        }
        return members
    }

    /// The value with that number.
    package func value(_ index: Int) -> Value {
        guard offsets.indices.contains(index), bytes.indices.contains(offsets[index]) else {
            return .other
        }
        let offset = offsets[index]
        let (kind, low) = (bytes[offset] >> 4, Int(bytes[offset] & 0x0F))
        switch kind {
        case 0x0: return low == 8 ? .bool(false) : low == 9 ? .bool(true) : .other
        case 0x1:
            // A number that needs all bits of eight bytes has eight more, so that it is not
            // negative.
            if low == 4 { return unsigned(at: offset + 1) }
            guard low <= 3 else { return .other }
            let number = Self.number(in: bytes, at: offset + 1, size: 1 << low)
            return number.map { .integer($0) } ?? .other
        case 0x2: return real(at: offset + 1, size: low)
        case 0x3:
            guard low == 3, case .real(let seconds) = real(at: offset + 1, size: 3) else {
                return .other
            }
            return .date(seconds)
        case 0x8:
            let number = Self.number(in: bytes, at: offset + 1, size: low + 1)
            return number.map { .reference($0) } ?? .other
        default: return counted(kind, low, offset)
        }
    }

    // MARK: Kinds

    /// Returns a number of sixteen bytes. The first eight must be 0.
    private func unsigned(at offset: Int) -> Value {
        guard offset <= bytes.count - 16, bytes[offset..<(offset + 8)].allSatisfy({ $0 == 0 })
        else {
            return .other
        }
        let number = bytes[(offset + 8)..<(offset + 16)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(exactly: number).map { .integer($0) } ?? .unsigned(number)
    }

    private func real(at offset: Int, size: Int) -> Value {
        guard size == 2 || size == 3, offset + (1 << size) <= bytes.count else { return .other }
        let bits = bytes[offset..<(offset + (1 << size))].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return size == 3
            ? .real(Double(bitPattern: bits))
            : .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
    }

    private func counted(_ kind: UInt8, _ low: Int, _ offset: Int) -> Value {
        var (count, start) = (low, offset + 1)
        if low == 15 {
            guard start < bytes.count, bytes[start] >> 4 == 1, bytes[start] & 0x0F <= 3 else {
                return .other
            }
            let size = 1 << Int(bytes[start] & 0x0F)
            guard let number = Self.number(in: bytes, at: start + 1, size: size) else {
                return .other
            }
            (count, start) = (number, start + 1 + size)
        }
        let width = [0x4: 1, 0x5: 1, 0x6: 2, 0xA: referenceSize, 0xD: 2 * referenceSize][kind]
        guard let width, count >= 0, count <= (bytes.count - start) / width else { return .other }
        switch kind {
        case 0x4:
            return .data(Data(bytes[start..<(start + count)]))
        case 0x5:
            return .string(String(decoding: bytes[start..<(start + count)], as: UTF8.self))
        case 0x6:
            let units = (0..<count).map {
                UInt16(bytes[start + 2 * $0]) << 8 | UInt16(bytes[start + 2 * $0 + 1])
            }
            return .string(String(decoding: units, as: UTF16.self))
        case 0xA:
            return .array(references(at: start, count: count))
        default:
            let keys = references(at: start, count: count)
            let values = references(at: start + count * referenceSize, count: count)
            return .dictionary(
                Dictionary(zip(keys, values), uniquingKeysWith: { first, _ in first }))
        }
    }

    private func references(at start: Int, count: Int) -> [Int] {
        (0..<count).compactMap {
            Self.number(in: bytes, at: start + $0 * referenceSize, size: referenceSize)
        }
    }

    /// An unsigned number of up to eight bytes that fits into `Int`.
    private static func number(in bytes: [UInt8], at offset: Int, size: Int) -> Int? {
        guard size <= 8, offset >= 0, offset <= bytes.count - size else { return nil }
        let number = bytes[offset..<(offset + size)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        // A negative number is kept as eight bytes.
        return Int(exactly: number) ?? Int(Int64(bitPattern: number))
    }
}

extension BinaryPropertyList.Value {
    var string: String? { if case .string(let text) = self { text } else { nil } }
    var data: Data? { if case .data(let bytes) = self { bytes } else { nil } }
    var real: Double? { if case .real(let number) = self { number } else { nil } }
}
