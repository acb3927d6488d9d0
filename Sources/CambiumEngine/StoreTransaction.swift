import CambiumModel
import CambiumRecords

/// What a transaction of a program's own is protected from; see
/// ``PersistentContainer/performTransaction(isolation:_:)``.
///
/// SQLite lets one transaction at a time write, so there both are serializable.
public enum TransactionIsolation: Sendable, Hashable {
    /// All reads see one state of the store. Nobody else has changed what the transaction writes. What
    /// it reads and does not write may be changed by others before it commits: two transactions that
    /// each read what the other one writes can both succeed (write skew).
    case snapshot
    /// The result is one that the transactions could have had one after the other.
    case serializable
}

/// Where a context saves.
package protocol SavingStore: SharedStore {
    /// Writes everything in one transaction.
    ///
    /// - Parameters:
    ///   - arbiter: Asked inside the transaction about what others did meanwhile, before anything
    ///     is written; answers what to write instead, or throws.
    ///   - willCommit: Called when everything is written and not committed yet; where it throws,
    ///     nothing is kept.
    ///   - committed: Called after the commit, before another save can begin.
    func save(
        _ request: SaveRequest,
        arbiter: any ConflictArbiter,
        willCommit: () throws -> Void,
        committed: (_ outcome: SaveOutcome) -> Void
    ) throws

    /// Reserves keys of a root entity; they are never given again, unless a transaction that has
    /// reserved them is taken back.
    func reserveKeys(root: Int, count: Int) throws -> Range<Int64>
}

/// A transaction that a context reads in and saves in. A save commits it. Only the thread that has
/// begun it may use it.
package protocol StoreTransaction: SavingStore {
    /// Whether another transaction stood in the way of this one, which has to be run again from its
    /// beginning.
    var isToBeRepeated: Bool { get }

    /// Commits what was only read. Does nothing after a save.
    func commit() throws
}
