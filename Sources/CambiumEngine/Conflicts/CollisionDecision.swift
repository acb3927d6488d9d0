import CambiumModel
import CambiumRecords

/// A row that claims unique values, or a partner in a one-to-one, that another row claims too.
package enum ClaimKind: Int, CaseIterable, Sendable {
    /// The store has the row with these values already.
    case stored
    /// The row was saved before and gets the values now.
    case updated
    /// The row was deleted meanwhile and is inserted again.
    case reinserted
    /// The row is new.
    case inserted
}

/// Two rows that claim the same values: the winner comes first in the order of ``ClaimKind``.
package struct ClaimPair {
    package let winner: ClaimKind
    package let loser: ClaimKind
    /// Whether they claim a partner in a one-to-one, not unique values.
    package let isPartner: Bool
    /// Whether a row must have the values.
    package let isRequired: Bool
}

/// What a save does about two rows that claim the same values.
package enum CollisionDecision: Hashable, Sendable {
    /// One of the two rows.
    package enum Side: Hashable, Sendable { case winner, loser }

    /// The values of a new row that are written into the row which it becomes.
    package enum HandedOver: Hashable, Sendable {
        /// None, and its links are discarded.
        case none
        /// None; its links are kept.
        case linksOnly
        /// Those that the program has set.
        case setValues
        /// All.
        case allValues
    }

    /// The loser is not inserted: it becomes the winner.
    case unite(HandedOver)
    /// A row keeps the values that it had before: those in conflict, or all of its values.
    case takeBack(Side, all: Bool)
    /// A row loses its partner.
    case clear(Side)
    /// The save fails.
    case refuse
}

extension ConflictStrategy {
    /// Decides which of two rows gets the values that both claim.
    package func decide(_ pair: ClaimPair) -> CollisionDecision {
        pair.isPartner ? decidePartner(pair) : decideValues(pair)
    }

    private func decideValues(_ pair: ClaimPair) -> CollisionDecision {
        switch pair.loser {
        case .inserted, .reinserted:
            switch self {
            case .rollback: .unite(.none)
            case .storeTrump: .unite(.linksOnly)
            case .objectTrump: .unite(.setValues)
            case .overwrite: .unite(.allValues)
            }
        // Both rows are in the store: neither is discarded for a value of the other.
        case .updated: keepsOurs ? .refuse : .takeBack(.loser, all: self == .rollback)
        case .stored: .refuse
        }
    }

    private func decidePartner(_ pair: ClaimPair) -> CollisionDecision {
        // A link that others have made meanwhile loses against ours, or the reverse.
        let side: CollisionDecision.Side = keepsOurs && pair.winner == .stored ? .winner : .loser
        let kind = side == .winner ? pair.winner : pair.loser
        if self == .rollback, kind == .updated { return .takeBack(side, all: true) }
        return pair.isRequired ? .refuse : .clear(side)
    }
}

/// What a save does about a key that would reference no row.
package enum DanglingDecision: Hashable, Sendable {
    /// The row with the key is deleted too.
    case delete
    /// The key is cleared.
    case clear
    /// The row, which was to be inserted again, stays deleted.
    case leaveDeleted
    /// Nothing; the save fails if nothing else settles it.
    case none

    /// Decides about a key.
    ///
    /// - Parameters:
    ///   - rule: The delete rule of the row that the key references, where this save deletes that
    ///     row and others have made the key; nil elsewhere.
    ///   - isOptional: Whether the key may be empty.
    ///   - isInserted: Whether the save inserts the row with the key.
    ///   - wasDeleted: Whether that row was deleted meanwhile and is inserted again.
    package static func decide(
        rule: DeleteRule?, isOptional: Bool, isInserted: Bool, wasDeleted: Bool
    ) -> DanglingDecision {
        switch rule {
        case .cascade: return isInserted ? .none : .delete
        case .deny: return .none
        default:
            if isOptional { return .clear }
            // An object that others deleted, and what it cannot be without.
            return isInserted && wasDeleted ? .leaveDeleted : .none
        }
    }
}
