import CambiumModel

/// Identifies a save with an unknown outcome: ``StoreError/commit``.
///
/// A program may keep it, and call ``PersistentContainer/outcome(of:)`` later, or when it runs
/// again.
public struct CommitID: Sendable, Hashable, Codable {
    /// The id that the save has written into its store.
    public let uuid: UUID
    /// The identifier of the store.
    public let storeIdentifier: UUID

    package init(uuid: UUID, storeIdentifier: UUID) {
        self.uuid = uuid
        self.storeIdentifier = storeIdentifier
    }
}

/// The outcome of a save.
public enum CommitOutcome: Sendable, Hashable {
    /// All changes of the commit are in the store.
    case committed
    /// The changes of the commit are not in the store, and will not be written later.
    case rolledBack
    /// The server has not ended the transaction of the save yet.
    case undecided
    /// The save is older than a day: the store has forgotten it.
    case forgotten
}
