import CambiumModel
import CambiumRecords

/// The protection of a program's transaction from others; see
/// ``PersistentContainer/performTransaction(isolation:_:)``.
///
/// In SQLite, only one transaction at a time can write: both values are serializable there.
public enum TransactionIsolation: Sendable, Hashable {
    /// All reads see one state of the store. Other transactions do not change the rows that this
    /// one writes. They may change rows that it only reads, before it commits: two transactions
    /// that each read rows that the other one writes can both succeed (write skew).
    case snapshot
    /// The result is one that the transactions could have had one after the other.
    case serializable
}

/// A store to which a context saves.
package protocol SavingStore: SharedStore {
    /// Writes everything in one transaction.
    ///
    /// - Parameters:
    ///   - arbiter: Called inside the transaction with the conflicts, before anything is written;
    ///     decides the writes, or throws.
    ///   - willCommit: Called when everything is written and not committed yet; if it throws, the
    ///     transaction is rolled back.
    ///   - committed: Called after the commit, before another save can begin.
    func save(
        _ request: SaveRequest,
        arbiter: any ConflictArbiter,
        willCommit: () throws -> Void,
        committed: (_ outcome: SaveOutcome) -> Void
    ) throws

    /// Reserves keys of a root entity. They are never given again, unless a transaction that has
    /// reserved them is rolled back.
    func reserveKeys(root: Int, count: Int) throws -> Range<Int64>
}

/// A transaction that a context reads in and saves in. A save commits it. Only the thread that has
/// begun it may use it.
package protocol StoreTransaction: SavingStore {
    /// Whether another transaction has interfered with this one, so that it has to run again from
    /// its beginning.
    var mustRetry: Bool { get }

    /// Commits a transaction that has only read. Does nothing after a save.
    func commit() throws
}
