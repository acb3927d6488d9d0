import RawSQLite

/// What was read, in a form that does not depend on rounding. Sums wrap around.
struct Checksum: Equatable {
    var rows: Int64 = 0
    /// The rows that have a department.
    var links: Int64 = 0
    /// Bits of the numbers, length and ends of the texts.
    var values: UInt64 = 0
    /// The names, weighted by their position.
    var order: UInt64 = 0

    init() {}

    init(_ raw: RawChecksum) {
        rows = raw.rows
        links = raw.links
        values = raw.values
        order = raw.order
    }

    /// Adds one row. `values` includes `name`.
    @inline(__always)
    mutating func add(name: UInt64, values: UInt64, isLinked: Bool) {
        rows += 1
        links += isLinked ? 1 : 0
        self.values &+= values
        order &+= UInt64(bitPattern: rows) &* name
    }

    /// Adds the rows of a part, its values weighted by `weight`.
    mutating func add(_ part: Checksum, weight: Int) {
        rows += part.rows
        links += part.links
        values &+= part.values &* UInt64(weight)
    }

    /// What looking at a text contributes: its length, first and last byte.
    @inline(__always)
    static func touch(_ text: String) -> UInt64 {
        // Not `withUTF8`, which wants a variable, and so one more reference that is counted.
        let sum = text.utf8.withContiguousStorageIfAvailable { bytes -> UInt64 in
            guard let first = bytes.first, let last = bytes.last else { return 0 }
            return UInt64(bytes.count) &+ UInt64(first) &+ UInt64(last)
        }
        return sum ?? 0
    }
}
