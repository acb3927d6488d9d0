/// A row that the server sends during COPY, in the binary format: the number of its values, and
/// each value after its size.
struct CopiedRow {
    // Safety: the address of this number of bytes of the caller. The caller uses this value only
    // while they are valid. Each read is checked against the remaining bytes.
    private let start: UnsafeRawPointer
    private let end: Int
    private var place = 2
    /// The number of values to read.
    let count: Int
    /// Whether the bytes have ended before a value did.
    private(set) var isBroken = false
    /// Whether nothing is left.
    var isAtEnd: Bool { place == end && !isBroken }

    /// - Parameter bytes: A row. The result is nil if there are too few bytes for the number of
    ///   values.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 2, let start = bytes.baseAddress else { return nil }
        (self.start, end) = (start, bytes.count)
        count = Int(bytes.number(Int16.self))
    }

    /// The next value; nil for NULL.
    @inline(__always)
    mutating func next() -> UnsafeRawBufferPointer? {
        let begin = place &+ 4
        guard begin <= end else {
            isBroken = true
            return nil
        }
        // Safety: the four bytes before `begin` are within the row.
        let size = Int(Int32(bigEndian: start.loadUnaligned(fromByteOffset: place, as: Int32.self)))
        place = begin
        guard size >= 0 else { return nil }
        guard size <= end &- begin else {
            isBroken = true
            return nil
        }
        place = begin &+ size
        // Safety: so many bytes are left.
        return UnsafeRawBufferPointer(start: start + begin, count: size)
    }

    // MARK: Other messages of COPY

    private static let signature = 11

    /// The first message without the header before the rows: a signature, flags, and an extension
    /// with its own length. The first row may follow in the same message.
    static func withoutHeader(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let extra = Int(bytes.number(Int32.self, at: signature + 4))
        return UnsafeRawBufferPointer(rebasing: bytes.dropFirst(signature + 8 + max(0, extra)))
    }

    /// Whether a message is a row. It can also be empty, or the mark of the end.
    static func isRow(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= 2 && bytes.number(Int16.self) >= 0
    }
}
