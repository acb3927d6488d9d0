import CambiumModel

/// The kinds of an entity's slots, in the dense form that the loops over rows need.
public final class RecordShape: Sendable {
    /// How each slot is kept.
    public let kinds: [StorageClass]
    /// Words of presence bits in front of a record.
    public let maskWords: Int
    /// Bytes in front of a record's base: the presence bits.
    public let prefixSize: Int
    /// Bytes from a record's base to its end, without text and data.
    public let fixedSize: Int
    /// How many bytes a record takes, without text and data.
    @inlinable public var recordSize: Int { prefixSize + fixedSize }
    /// The slots that hold text or data.
    public let byteSlots: [Int]
    /// Those of them that hold text.
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
