import RawSQLite

/// The sum of the values that were read, in a form that does not depend on rounding. Sums wrap
/// around.
struct Checksum: Equatable {
    var rows: Int64 = 0
    /// The number of rows with a department.
    var links: Int64 = 0
    /// The bits of the numbers; the length, the first and the last byte of the texts.
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

    /// Returns the contribution of a text: its length, first and last byte.
    @inline(__always)
    static func touch(_ text: String) -> UInt64 {
        // `withUTF8` is not used, because it needs a variable, and so another reference count.
        let sum = text.utf8.withContiguousStorageIfAvailable { bytes -> UInt64 in
            guard let first = bytes.first, let last = bytes.last else { return 0 }
            return UInt64(bytes.count) &+ UInt64(first) &+ UInt64(last)
        }
        return sum ?? 0
    }
}
