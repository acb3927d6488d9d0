#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A block of memory that holds many records one after the other.
///
/// One allocation serves hundreds of rows, and releasing them is one call; an object that is read
/// decodes its values from here.
public final class RowPage: @unchecked Sendable {
    // Safety: a page is filled by one isolation at a time: the context that fetches or changes the
    // objects, or the thread that reads an import's rows, which hands each slice over with pages of
    // its own and does not touch them again. A record is written until it is published (handed to
    // another isolation in a change set, which happens under a lock) and never again: a later change
    // makes a copy first.
    @usableFromInline let start: UnsafeMutableRawPointer
    @usableFromInline let capacity: Int
    /// How many bytes it takes.
    public var size: Int { capacity }
    // Safety: a number, loaded and stored.
    @exclusivity(unchecked) @usableFromInline var used = 0

    @usableFromInline static let defaultCapacity = 64 * 1024

    @usableFromInline init(capacity: Int) {
        self.capacity = capacity
        start = .allocate(byteCount: capacity, alignment: 8)
    }

    deinit {
        start.deallocate()
    }

    /// Takes bytes from the page, or nil where it has too few left.
    @inlinable @inline(__always)
    func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
        // No overflow: what is used is never more than there is.
        guard count <= capacity &- used else { return nil }
        let address = start + used
        used &+= count
        return address
    }

    /// Rounds up, so that the next record is aligned.
    @inlinable @inline(__always)
    func align() {
        used = min(capacity, (used + 7) & ~7)
    }

    @inlinable @inline(__always)
    static func copy(
        _ source: UnsafeRawPointer, _ count: Int, to destination: UnsafeMutableRawPointer
    ) {
        destination.copyMemory(from: source, byteCount: count)
    }

    static func contains(_ byte: UInt8, in bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = bytes.baseAddress else { return false }
        return memchr(start, Int32(byte), bytes.count) != nil
    }

    static func areEqual(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        guard one.count == other.count else { return false }
        guard let start = one.baseAddress, let otherStart = other.baseAddress else { return true }
        return memcmp(start, otherStart, one.count) == 0
    }
}

/// A record together with the page that keeps it alive.
@frozen
public struct PlacedRecord: @unchecked Sendable {
    // Safety: see `RowPage`: who hands a record on does not write it any more.
    /// The page.
    public var page: RowPage
    /// The record in it.
    public var record: Record

    /// Keeps a record and its page together.
    @inlinable public init(page: RowPage, record: Record) {
        self.page = page
        self.record = record
    }
}
