import CambiumModel

/// What a save is found by whose outcome is unknown: ``StoreError/commit``.
///
/// A program may keep it, and ask ``PersistentContainer/outcome(of:)`` later, or when it runs again.
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

/// What has become of a save.
public enum CommitOutcome: Sendable, Hashable {
    /// All its changes are in the store.
    case committed
    /// None of its changes are in the store, and none will be.
    case rolledBack
    /// The server has not ended the transaction of the save yet.
    case undecided
    /// The save is older than a day: the store has forgotten it.
    case forgotten
}
