import Cambium
import CambiumEngine
import CambiumRecords
import EverythingModel
import Synchronization

/// What an engine may lack. Whether it does is for the engine to say.
package enum EngineCapability: String, Sendable, CaseIterable {
    /// Batch insertion, update and deletion.
    case batches
    /// A record of all transactions.
    case history
    /// Contexts that read the store as it was.
    case generations
    /// Transactions that a closure reads and saves in.
    case transactions
    /// Settings that transactions begin with.
    case transactionSettings
    /// Attributes whose values the store computes.
    case derivedValues

    /// Whether stores of an engine have it: asks ``StoreCapabilities`` of a new one.
    package func isOffered(by entry: EngineEntry) throws -> Bool {
        // A store that has none refuses to be made.
        if self == .derivedValues { return (try? entry.withStore(Ledger.model) { _ in }) != nil }
        var options = StoreOptions()
        if self == .history { options.history = .properties }
        return try entry.withStore(Everything.model, options) { store in
            let engine = try store.engine
            switch self {
            case .batches: return Self.runsBatches(engine)
            case .history: return try engine.historyPosition() != nil
            case .generations: return engine.keepsGenerations
            case .transactions:
                return (try? engine.withTransaction(.serializable) { _ in }) != nil
            case .transactionSettings:
                return (try? engine.view(with: ["app.tenant": "1"])) != nil
            case .derivedValues: return true
            }
        }
    }

    private static func runsBatches(_ engine: some StoreEngine) -> Bool {
        let work = NoWork()
        try? engine.run(work, by: TransactionAuthor(), attachesRows: false) { _ in }
        return work.hasRun
    }
}

extension EngineEntry {
    private static let knownDates = Mutex<[String: StoredDatePrecision?]>([:])

    /// How its stores keep dates, nil where every one comes back to the bit: asks a new one, once.
    package var datePrecision: StoredDatePrecision? {
        get throws {
            if let known = Self.knownDates.withLock({ $0[name] }) { return known }
            let dates = try withStore(Album.model) { try $0.engine.datePrecision }
            Self.knownDates.withLock { $0[name] = .some(dates) }
            return dates
        }
    }
}

/// A batch operation that changes nothing and notes whether an engine runs it.
private final class NoWork: BatchWork {
    private(set) var hasRun = false

    var resultType: BatchResultType { .count }
    var canPlan: Bool { false }
    var canRunAgain: Bool { false }

    func run(in transaction: any BatchTransaction) throws { hasRun = true }
}
