/// A row that the server has sent to whoever copies, in the binary format: how many values it has, and each
/// one after its size.
struct CopiedRow {
    // Safety: the address of so many bytes of the caller's, who uses this value only while they are
    // valid. Each read is compared with what is left of them.
    private let start: UnsafeRawPointer
    private let end: Int
    private var place = 2
    /// How many values there are to read.
    let count: Int
    /// Whether the bytes have ended before a value did.
    private(set) var isBroken = false
    /// Whether nothing is left.
    var isAtEnd: Bool { place == end && !isBroken }

    /// - Parameter bytes: A row; nil is made of fewer bytes than tell how many values it has.
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
        // Safety: the four bytes before `begin` are among those of the row.
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

    // MARK: What else is copied

    private static let signature = 11

    /// The first message without what precedes the rows: a signature, flags, and as many bytes as it
    /// says itself. The first row may follow in the same message.
    static func withoutHeader(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let extra = Int(bytes.number(Int32.self, at: signature + 4))
        return UnsafeRawBufferPointer(rebasing: bytes.dropFirst(signature + 8 + max(0, extra)))
    }

    /// Whether a message is a row: it may be empty, or the mark of the end.
    static func isRow(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= 2 && bytes.number(Int16.self) >= 0
    }
}
