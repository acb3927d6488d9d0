import CambiumModel
import CambiumSQL

/// Whether a store keeps a history of what was changed, and what of it.
///
/// The history belongs to the store: once it is on, every program that writes to the store writes
/// to the history, a process that opens it without asking for one too. So nothing is missed, and no
/// program is locked out of its store. (With Core Data, a program that does not ask for the history
/// of a store that has one may only read.)
///
/// ```swift
/// var options = StoreOptions()
/// options.history = .values
/// options.historyRetention = HistoryRetention(maximumAge: .seconds(30 * 86_400))
/// ```
public enum HistoryTracking: Sendable, Hashable {
    /// As the store has it; a new store has none.
    case asStored
    /// None. One that was kept is removed with all that it holds. Another process that has the
    /// store open goes on without it.
    case off
    /// Which objects were inserted, updated and deleted, the names of the properties that were
    /// changed, and of deleted objects the attributes that the model preserves. A row that is
    /// changed costs a row in the history.
    case properties
    /// The values before and after, too: a row in the history for each of them. Large data that may
    /// lie in files is left out.
    case values

    /// What is to be kept, given what is.
    package func content(after current: HistorySettings.Content?) -> HistorySettings.Content? {
        switch self {
        case .asStored: current
        case .off: nil
        case .properties: .properties
        case .values: .values
        }
    }
}

/// How much of a history is kept. Older entries are deleted when the store is opened, and with
/// saves: each that adds a transaction removes at most two, so that no save pays for a long past.
public struct HistoryRetention: Sendable, Hashable {
    /// Transactions that are older go.
    public var maximumAge: Duration?
    /// Of more transactions the oldest go.
    public var maximumCount: Int?

    /// Describes what is kept; nil is no limit.
    public init(maximumAge: Duration? = nil, maximumCount: Int? = nil) {
        self.maximumAge = maximumAge
        self.maximumCount = maximumCount
    }

    /// The moment before which transactions are too old.
    package func oldestDate(now: Date) -> Date? {
        maximumAge.map { age in
            let (seconds, attoseconds) = age.components
            return now.addingTimeInterval(-(Double(seconds) + Double(attoseconds) / 1e18))
        }
    }
}
