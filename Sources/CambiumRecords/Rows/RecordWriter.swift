import CambiumModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Creates records, one after the other, in pages of its own.
public final class RecordWriter {
    // Safety: replaced completely, and no access calls code that replaces it.
    @exclusivity(unchecked) @usableFromInline var page = RowPage(capacity: 0)

    package init() {}

    /// - Parameter capacity: The size of the first page.
    public init(capacity: Int) {
        page = RowPage(capacity: capacity)
    }

    /// A record without any value.
    ///
    /// - Parameter room: The expected number of bytes of text and data; the page of the record has
    ///   room for them.
    @inlinable @inline(__always)
    public func makeRecord(_ shape: RecordShape, room: Int = 256) -> PlacedRecord {
        page.align()
        let size = shape.recordSize
        if page.capacity - page.used < size + room {
            page = RowPage(capacity: max(RowPage.defaultCapacity, size + room))
        }
        // The guard above has made sure that there is room.
        guard let address = page.allocate(size) else { return makeRecord(shape, room: room) }
        address.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        return PlacedRecord(page: page, record: Record(base: address + shape.prefixSize))
    }

    /// A copy of a record with bytes of its own.
    public func copy(_ source: Record, _ shape: RecordShape, room: Int = 64) -> PlacedRecord {
        let copy = makeRecord(shape, room: source.byteCount(shape) + room)
        Self.fill(copy, from: source, shape)
        return copy
    }

    /// Copies the values of a record into one of the same shape. Its page must have room for the
    /// bytes.
    static func fill(_ copy: PlacedRecord, from source: Record, _ shape: RecordShape) {
        RowPage.copy(
            source.base - shape.prefixSize, shape.recordSize,
            to: copy.record.base - shape.prefixSize)
        // By address: each element of an array would be checked to be inside.
        shape.byteSlots.withUnsafeBufferPointer { slots in
            for slot in slots where source.hasValue(slot) {
                let bytes = source.bytes(slot)
                guard let address = copy.page.allocate(bytes.count) else { continue }
                if let start = bytes.baseAddress { RowPage.copy(start, bytes.count, to: address) }
                copy.record.setBytes(slot, at: address, count: bytes.count)
            }
        }
    }

    /// Writes text or data into a slot. If there is not enough room, the record is moved to another
    /// page.
    public func setBytes(
        _ bytes: UnsafeRawBufferPointer, _ slot: Int, of placed: inout PlacedRecord,
        _ shape: RecordShape
    ) {
        let moved = setBytes(bytes, slot, of: placed.record, in: placed.page, shape)
        if let moved { placed = moved }
    }

    /// Writes text or data into a slot.
    ///
    /// - Returns: The record's new place, if it had to move to a page with more room.
    public func setBytes(
        _ bytes: UnsafeRawBufferPointer, _ slot: Int, of record: Record, in page: RowPage,
        _ shape: RecordShape
    ) -> PlacedRecord? {
        let count = bytes.count
        let old = record.bytes(slot)
        guard count <= old.count, record.hasValue(slot), let place = old.baseAddress else {
            return addBytes(bytes, slot, to: record, in: page, shape)
        }
        if let start = bytes.baseAddress {
            // The value may come from the record itself.
            UnsafeMutableRawPointer(mutating: place).copyMemory(from: start, byteCount: count)
        }
        record.setBytes(slot, at: place, count: count)
        return nil
    }

    /// Writes text or data into a slot that has no value.
    ///
    /// - Returns: The record's new place, if it had to move to a page with more room.
    @inlinable @inline(__always)
    public func addBytes(
        _ bytes: UnsafeRawBufferPointer, _ slot: Int, to record: Record, in page: RowPage,
        _ shape: RecordShape
    ) -> PlacedRecord? {
        guard let address = page.allocate(bytes.count) else {
            return moveAndAddBytes(bytes, slot, to: record, shape)
        }
        if let start = bytes.baseAddress { RowPage.copy(start, bytes.count, to: address) }
        record.setBytes(slot, at: address, count: bytes.count)
        return nil
    }

    @usableFromInline func moveAndAddBytes(
        _ bytes: UnsafeRawBufferPointer, _ slot: Int, to record: Record, _ shape: RecordShape
    ) -> PlacedRecord {
        let moved = copy(record, shape, room: bytes.count + 64)
        if let address = moved.page.allocate(bytes.count) {
            if let start = bytes.baseAddress { RowPage.copy(start, bytes.count, to: address) }
            moved.record.setBytes(slot, at: address, count: bytes.count)
        }
        return moved
    }

    /// A copy of a record in a page that holds nothing else, for records that are kept for long.
    public static func compactCopy(_ source: Record, _ shape: RecordShape) -> PlacedRecord {
        let page = RowPage(capacity: shape.recordSize + source.byteCount(shape))
        // There is room: the page is made for it.
        let start = page.allocate(shape.recordSize) ?? page.start
        let copy = PlacedRecord(page: page, record: Record(base: start + shape.prefixSize))
        fill(copy, from: source, shape)
        return copy
    }

    /// Writes a value in its stored form; the caller has made sure that it is of the slot's kind.
    public func set(
        _ value: StoredValue, _ slot: Int, of placed: inout PlacedRecord, _ shape: RecordShape
    ) {
        switch value {
        case .null: placed.record.setNull(slot)
        case .integer(let value): placed.record.setInteger(slot, value)
        case .real(let value): placed.record.setReal(slot, value)
        case .text(var text):
            text.withUTF8 { setBytes(UnsafeRawBufferPointer($0), slot, of: &placed, shape) }
        case .blob(let data):
            data.withUnsafeBytes { setBytes($0, slot, of: &placed, shape) }
        }
    }

    /// Copies one slot's value from a record of the same shape.
    public func copySlot(
        _ slot: Int, from source: Record, to placed: inout PlacedRecord, _ shape: RecordShape
    ) {
        guard source.hasValue(slot) else { return placed.record.setNull(slot) }
        switch shape.kinds[slot] {
        case .integer: placed.record.setInteger(slot, source.integer(slot))
        case .real: placed.record.setReal(slot, source.real(slot))
        case .text, .blob: setBytes(source.bytes(slot), slot, of: &placed, shape)
        }
    }
}

/// A block of memory that holds many records one after the other.
///
/// One allocation serves hundreds of rows, and releasing them is one call; an object that is read
/// decodes its values from here.
public final class RowPage: @unchecked Sendable {
    // Safety: a page is filled by one isolation at a time: the context that fetches or changes the
    // objects, or the thread that reads an import's rows. That thread passes on each slice with
    // pages of its own and does not access them again. A record is written until it is published
    // (sent to another isolation in a change set, under a lock) and never again: a later change
    // makes a copy first.
    @usableFromInline let start: UnsafeMutableRawPointer
    @usableFromInline let capacity: Int
    /// The size in bytes.
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

    /// Allocates bytes in the page, or returns nil if it has too few left.
    @inlinable @inline(__always)
    func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
        // No overflow: `used` is never more than `capacity`.
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
    // Safety: see `RowPage`: a record is not written any more after it was passed on.
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
