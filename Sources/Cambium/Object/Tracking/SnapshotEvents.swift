/// By what an object got other values than by its setters.
///
/// The numbers are Core Data's.
public struct SnapshotEvents: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Makes a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Its insertion was undone, so that it is gone.
    public static let undoInsertion = SnapshotEvents(rawValue: 2)
    /// Its deletion (or the undoing of its insertion) was undone, so that it is there again.
    public static let undoDeletion = SnapshotEvents(rawValue: 4)
    /// A change was undone or redone.
    public static let undoUpdate = SnapshotEvents(rawValue: 8)
    /// The context was rolled back.
    public static let rollback = SnapshotEvents(rawValue: 16)
    /// The object was refreshed, and its own changes were kept.
    public static let refresh = SnapshotEvents(rawValue: 32)
    /// A merge policy gave it values that another context has saved.
    public static let mergePolicy = SnapshotEvents(rawValue: 64)
}
