import CambiumModel

/// A row in memory: an address inside a ``RowPage``.
///
/// The presence bits are in front of the base: word i ends i words before the base, and a set bit
/// means that the slot has a value. The key and the version are at the base, then a slot of eight
/// bytes for each value. A slot of text or data holds a distance from the base (4 bytes, signed)
/// and a length (4 bytes); the bytes are in the same page. A slot without a value is zero. As a
/// result, a slot's address depends on its number alone, whatever the entity.
///
/// Safety: a record is valid as long as its page is; the owner of one keeps the page too. It is
/// written only before it is published (see ``RowPage``).
@frozen
public struct Record {
    @usableFromInline let base: UnsafeMutableRawPointer

    @inlinable
    init(base: UnsafeMutableRawPointer) {
        self.base = base
    }

    @usableFromInline static let slotsOffset = 16

    /// The object's key.
    @inlinable
    public var key: Int64 {
        get { base.load(as: Int64.self) }
        nonmutating set { base.storeBytes(of: newValue, as: Int64.self) }
    }

    /// The version of the row; 0 for a row that was never saved.
    @inlinable
    public var version: Int64 {
        get { base.load(fromByteOffset: 8, as: Int64.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: 8, as: Int64.self) }
    }

    /// Whether a slot has a value.
    @inlinable
    public func hasValue(_ slot: Int) -> Bool {
        let word = base.load(fromByteOffset: -8 * (slot &>> 6 &+ 1), as: UInt64.self)
        return word & (1 &<< UInt64(truncatingIfNeeded: slot & 63)) != 0
    }

    /// The integer in a slot; 0 without a value.
    @inlinable
    public func integer(_ slot: Int) -> Int64 {
        base.load(fromByteOffset: 16 &+ slot &* 8, as: Int64.self)
    }

    /// The floating-point number in a slot; 0 without a value.
    @inlinable
    public func real(_ slot: Int) -> Double {
        base.load(fromByteOffset: 16 &+ slot &* 8, as: Double.self)
    }

    /// The text or data in a slot; empty without a value. Valid as long as the page.
    @inlinable
    public func bytes(_ slot: Int) -> UnsafeRawBufferPointer {
        let distance = base.load(fromByteOffset: 16 &+ slot &* 8, as: Int32.self)
        let count = base.load(fromByteOffset: 20 &+ slot &* 8, as: UInt32.self)
        return UnsafeRawBufferPointer(start: base + Int(distance), count: Int(count))
    }

    /// Notes whether a slot has a value.
    @inlinable
    public func setHasValue(_ slot: Int, _ hasValue: Bool) {
        let offset = -8 * (slot &>> 6 &+ 1)
        let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: slot & 63)
        let word = base.load(fromByteOffset: offset, as: UInt64.self)
        base.storeBytes(
            of: hasValue ? word | bit : word & ~bit, toByteOffset: offset, as: UInt64.self)
    }

    /// Writes an integer.
    @inlinable
    public func setInteger(_ slot: Int, _ value: Int64) {
        base.storeBytes(of: value, toByteOffset: 16 &+ slot &* 8, as: Int64.self)
        setHasValue(slot, true)
    }

    /// Writes a floating-point number.
    @inlinable
    public func setReal(_ slot: Int, _ value: Double) {
        base.storeBytes(of: value, toByteOffset: 16 &+ slot &* 8, as: Double.self)
        setHasValue(slot, true)
    }

    /// Takes a slot's value away.
    @inlinable
    public func setNull(_ slot: Int) {
        base.storeBytes(of: 0, toByteOffset: 16 &+ slot &* 8, as: Int64.self)
        setHasValue(slot, false)
    }

    /// Points a slot at bytes of the same page.
    @inlinable @inline(__always)
    public func setBytes(_ slot: Int, at address: UnsafeRawPointer, count: Int) {
        let distance = address - UnsafeRawPointer(base)
        base.storeBytes(
            of: Int32(truncatingIfNeeded: distance), toByteOffset: 16 &+ slot &* 8, as: Int32.self)
        base.storeBytes(
            of: UInt32(truncatingIfNeeded: count), toByteOffset: 20 &+ slot &* 8, as: UInt32.self)
        setHasValue(slot, true)
    }

    /// A slot's value in its stored form.
    public func storedValue(_ slot: Int, _ kind: StorageClass) -> StoredValue {
        guard hasValue(slot) else { return .null }
        return switch kind {
        case .integer: .integer(integer(slot))
        case .real: .real(real(slot))
        case .text: .text(String(decoding: bytes(slot), as: UTF8.self))
        case .blob: .blob(Data(bytes(slot)))
        }
    }

    /// Whether a slot of text or data holds exactly these bytes.
    public func holds(_ bytes: [UInt8], _ slot: Int) -> Bool {
        bytes.withUnsafeBytes { RowPage.areEqual(self.bytes(slot), $0) }
    }

    /// The number of bytes of its text and data.
    public func byteCount(_ shape: RecordShape) -> Int {
        shape.byteSlots.withUnsafeBufferPointer { slots in
            slots.reduce(0) { $0 + bytes($1).count }
        }
    }

    /// The slots of text that hold a NUL character.
    public func slotsHoldingNUL(_ shape: RecordShape) -> [Int] {
        var found: [Int] = []
        shape.textSlots.withUnsafeBufferPointer { slots in
            for slot in slots where holdsNUL(slot) { found.append(slot) }
        }
        return found
    }

    /// Whether a slot of text contains a NUL character.
    public func holdsNUL(_ slot: Int) -> Bool {
        RowPage.contains(0, in: bytes(slot))
    }

    /// Whether two records (of one shape) hold the same value in a slot.
    public func isEqual(_ slot: Int, _ kind: StorageClass, to other: Record) -> Bool {
        guard hasValue(slot) == other.hasValue(slot) else { return false }
        return switch kind {
        case .integer: integer(slot) == other.integer(slot)
        // By bits: −0 is not 0 in the store's eyes, and NaN equals itself.
        case .real: real(slot).bitPattern == other.real(slot).bitPattern
        case .text, .blob: RowPage.areEqual(bytes(slot), other.bytes(slot))
        }
    }

    /// Feeds a slot's value into a hasher, consistent with ``isEqual(_:_:to:)``.
    public func hash(_ slot: Int, _ kind: StorageClass, into hasher: inout Hasher) {
        guard hasValue(slot) else { return hasher.combine(0 as UInt8) }
        switch kind {
        case .integer: hasher.combine(integer(slot))
        case .real: hasher.combine(real(slot).bitPattern)
        case .text, .blob:
            let bytes = bytes(slot)
            hasher.combine(bytes.count)
            hasher.combine(bytes: bytes)
        }
    }
}

/// The kinds of an entity's slots, in the dense form that the loops over rows need.
public final class RecordShape: Sendable {
    /// The storage class of each slot.
    public let kinds: [StorageClass]
    /// Words of presence bits in front of a record.
    public let maskWords: Int
    /// Bytes in front of a record's base: the presence bits.
    public let prefixSize: Int
    /// Bytes from a record's base to its end, without text and data.
    public let fixedSize: Int
    /// The size of a record in bytes, without text and data.
    @inlinable public var recordSize: Int { prefixSize + fixedSize }
    /// The slots that hold text or data.
    public let byteSlots: [Int]
    /// The slots that hold text.
    let textSlots: [Int]

    package init(kinds: [StorageClass]) {
        self.kinds = kinds
        maskWords = max(1, (kinds.count + 63) / 64)
        prefixSize = maskWords * 8
        fixedSize = Record.slotsOffset + kinds.count * 8
        textSlots = kinds.indices.filter { kinds[$0] == .text }
        byteSlots = kinds.indices.filter { kinds[$0] == .text || kinds[$0] == .blob }
    }
}

/// The version of a row: each save increments it by one.
package enum RowVersion {
    /// The version of a deleted row that is inserted again. It is the number of microseconds since
    /// 1970, so the row never had it before, and it differs if the row is inserted again twice. A
    /// context that has read the deleted row has a much lower version, so the new row is a change
    /// for it.
    package static var ofReinsertion: Int64 {
        Int64(Date().timeIntervalSince1970 * 1_000_000)
    }

    /// Returns whether a row with this version may be a deleted row that is inserted again. If so,
    /// another context may also have inserted it again.
    package static func mayBeOfReinsertion(_ version: Int64) -> Bool { version != 0 }
}

/// A row by its root entity and key.
public struct RowIdentity: Sendable, Hashable, Comparable {
    /// The number of the root entity.
    public let root: Int
    /// The row's key.
    public let key: Int64

    /// Names a row.
    @inlinable
    public init(root: Int, key: Int64) {
        self.root = root
        self.key = key
    }

    // Written out so that other modules can inline them: they are in the dictionaries of contexts.

    /// Whether both are the same row.
    @inlinable
    public static func == (one: RowIdentity, other: RowIdentity) -> Bool {
        one.key == other.key && one.root == other.root
    }

    /// Hashes the root and the key.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(root)
        hasher.combine(key)
    }

    /// By root, then by key.
    public static func < (one: RowIdentity, other: RowIdentity) -> Bool {
        (one.root, one.key) < (other.root, other.key)
    }
}

/// A set of slot numbers.
public struct SlotSet: Hashable, Sendable {
    @usableFromInline var first: UInt64 = 0
    /// The words after the first; nil for most sets, because each copy of a set would retain even
    /// an empty array.
    @usableFromInline var more: [UInt64]?

    /// No slots.
    @inlinable
    public init() {}

    /// One slot.
    @inlinable
    public init(_ slot: Int) {
        insert(slot)
    }

    /// Whether no slot is in the set.
    @inlinable
    public var isEmpty: Bool { first == 0 && more == nil }

    /// Adds a slot.
    @inlinable @inline(__always)
    public mutating func insert(_ slot: Int) {
        if slot < 64 {
            first |= 1 &<< UInt64(slot)
        } else {
            insertBeyond(slot - 64)
        }
    }

    @usableFromInline mutating func insertBeyond(_ slot: Int) {
        let word = slot >> 6
        var more = self.more ?? []
        self.more = nil
        while more.count <= word { more.append(0) }
        more[word] |= 1 << UInt64(slot & 63)
        self.more = more
    }

    /// Whether a slot is in the set.
    @inlinable @inline(__always)
    public func contains(_ slot: Int) -> Bool {
        slot < 64 ? first & (1 &<< UInt64(slot)) != 0 : containsBeyond(slot - 64)
    }

    @usableFromInline func containsBeyond(_ slot: Int) -> Bool {
        let word = slot >> 6
        guard let more else { return false }
        return word < more.count && more[word] & (1 << UInt64(slot & 63)) != 0
    }

    /// The slots in ascending order.
    @inlinable
    public var slots: [Int] {
        var slots: [Int] = []
        forEach { slots.append($0) }
        return slots
    }

    /// Calls the body with each slot in ascending order.
    @inlinable @inline(__always)
    public func forEach(_ body: (Int) -> Void) {
        Self.forEach(in: first, from: 0, body)
        guard let more else { return }
        for (index, word) in more.enumerated() {
            Self.forEach(in: word, from: (index + 1) * 64, body)
        }
    }

    @inlinable @inline(__always)
    static func forEach(in word: UInt64, from offset: Int, _ body: (Int) -> Void) {
        var rest = word
        while rest != 0 {
            body(offset + rest.trailingZeroBitCount)
            rest &= rest - 1
        }
    }

    /// The slots that are in both sets.
    public func intersection(_ other: SlotSet) -> SlotSet {
        var common = SlotSet()
        common.first = first & other.first
        guard let more, let others = other.more else { return common }
        common.more = Self.trimmed(zip(more, others).map { $0 & $1 })
        return common
    }

    /// The slots that are not in the other set.
    public func subtracting(_ other: SlotSet) -> SlotSet {
        var rest = self
        rest.first &= ~other.first
        guard var words = more, let others = other.more else { return rest }
        for (index, word) in others.enumerated() where index < words.count {
            words[index] &= ~word
        }
        rest.more = Self.trimmed(words)
        return rest
    }

    /// Equal sets have equal words.
    private static func trimmed(_ words: [UInt64]) -> [UInt64]? {
        var words = words
        while words.last == 0 { words.removeLast() }
        return words.isEmpty ? nil : words
    }

    package mutating func formUnion(_ other: SlotSet) {
        first |= other.first
        guard let others = other.more else { return }
        var words = more ?? []
        for (index, word) in others.enumerated() {
            if index < words.count { words[index] |= word } else { words.append(word) }
        }
        more = words
    }
}
