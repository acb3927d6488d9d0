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
