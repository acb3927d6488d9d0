import CambiumModel
import CambiumRecords

/// A save has met another writer: a row is not as the context last saw it, or an object has a
/// partner already. All is looked at then, before anything is written.
package struct SaveConflict: Error {
    package init() {}
}

/// A row that is not in the store as the context last saw it.
package struct RowConflict {
    package let entity: EntityDescription
    package let key: Int64
    /// The row as it is in the store now; nil if it was deleted.
    package let theirs: PlacedRecord?
    /// Whether this save wants to delete the row.
    package let isDeletion: Bool
    /// The row as the row cache had it.
    package var cached: PlacedRecord?
    /// Whether `theirs` is the row of the cache, and was not read from the store.
    package var isFoundInCache = false

    package init(
        entity: EntityDescription, key: Int64, theirs: PlacedRecord?, isDeletion: Bool,
        cached: PlacedRecord? = nil, isFoundInCache: Bool = false
    ) {
        self.entity = entity
        self.key = key
        self.theirs = theirs
        self.isDeletion = isDeletion
        self.cached = cached
        self.isFoundInCache = isFoundInCache
    }

    package var id: RowIdentity { RowIdentity(root: entity.rootIndex, key: key) }
}

extension [RowConflict] {
    /// The conflicts in the order of their decisions and in errors, independent of the order in the
    /// store.
    package func sortedByRow() -> [RowConflict] { ordered { $0.id < $1.id } }
}

/// Rows that would have the same unique values after a save, or the same partner in a one-to-one.
package struct UniqueCollision {
    package let key: UniqueKey
    /// The claims, at least two. The first row keeps the values. The order is: a row in the store
    /// with these values, then rows that were saved before, then new rows in the order of their
    /// insertion.
    package let claims: [Claim]

    /// A row that has, or is to have, the values.
    package struct Claim {
        package let id: RowIdentity
        package let entity: EntityDescription
        package let kind: ClaimKind
        /// The row as it would be after the save.
        package let record: Record
        /// Keeps the record alive if the plan has made or read it: later decisions replace it
        /// there.
        package let page: RowPage?

        /// - Parameter kind: Nil for a row that the save writes.
        init(id: RowIdentity, _ row: SavePlan.Row, kind: ClaimKind? = nil) {
            self.id = id
            entity = row.entity
            record = row.record
            page = row.placed?.page
            let written: ClaimKind =
                !row.isInserted ? .updated : row.origin == .inserted ? .inserted : .reinserted
            self.kind = kind ?? written
        }
    }
}

/// Keys and pairs that would dangle.
package struct DanglingKeys: Sendable {
    package var keys: [DanglingKey] = []
    /// The rows that are not there, or will not be; pairs may reference them too.
    package var missing: Set<RowIdentity> = []

    package var isEmpty: Bool { keys.isEmpty && missing.isEmpty }
}

/// A row with a key that references a missing row, or one that will be missing.
package struct DanglingKey: Sendable {
    package let row: RowIdentity
    package let relationship: RelationshipDescription
    /// The delete rule of the referenced row, if this save deletes it and the referencing row is
    /// not in the save.
    package let rule: DeleteRule?
}

/// The decision about one conflict.
package struct Verdict: Sendable {
    package var strategy: ConflictStrategy
    /// Values that the program has chosen, by slot.
    package var chosen: [Int: StoredValue] = [:]

    package init(strategy: ConflictStrategy, chosen: [Int: StoredValue] = [:]) {
        self.strategy = strategy
        self.chosen = chosen
    }
}

/// The outcome of a save.
package struct SaveOutcome: Sendable {
    /// The rows that are not in the store as the context wanted.
    package var resolutions: [ConflictResolution] = []
    /// The pairs that are not as the context wanted.
    package var droppedPairs: [DroppedPair] = []
    /// The derived values of the written rows, and of rows that depend on them.
    package var derived: [DerivedRow] = []

    package init(
        resolutions: [ConflictResolution] = [], droppedPairs: [DroppedPair] = [],
        derived: [DerivedRow] = []
    ) {
        self.resolutions = resolutions
        self.droppedPairs = droppedPairs
        self.derived = derived
    }
}

/// The derived values of a row after a save.
package struct DerivedRow: Sendable {
    /// The number of the row's own entity.
    package let entity: Int
    package let key: Int64
    /// The values by slot.
    package var values: [(slot: Int, value: StoredValue)]

    package init(entity: Int, key: Int64, values: [(slot: Int, value: StoredValue)]) {
        self.entity = entity
        self.key = key
        self.values = values
    }
}

/// A pair of a join table that a save has left as it was.
package struct DroppedPair: Sendable {
    /// The relationship of the side that writes the pairs.
    package let relationship: RelationshipDescription
    package let source: RowIdentity
    package let destination: RowIdentity
}

/// The resolution of a row in a conflict.
package struct ConflictResolution: Sendable {
    package enum Action: Sendable {
        /// These slots of this record were written over the row; the record has the version before.
        case update(PlacedRecord, SlotSet)
        /// A new row was inserted with this record.
        case insert(PlacedRecord)
        /// The row was inserted again; the record has the version before the new one.
        case reinsert(PlacedRecord)
        /// The row was deleted, in another state than the context knew it in or without being
        /// asked.
        case delete
        /// The store keeps the row of the others: nil if it was deleted.
        case keepStored(PlacedRecord?)
        /// The new row was not inserted: another one has its unique values, and all references to
        /// it reference that one. Includes the other row if it was read.
        case replace(EntityDescription, Int64, PlacedRecord?)
    }

    package let entity: EntityDescription
    package let key: Int64
    package let action: Action
    /// The row in the store, if the save has read it.
    package let theirs: PlacedRecord?
    /// Whether the context did not want to change the row.
    package let isUnrequested: Bool

    package var id: RowIdentity { RowIdentity(root: entity.rootIndex, key: key) }
}

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
    /// Whether the rows claim the same partner in a one-to-one relationship, and not the same
    /// unique values.
    package let isPartner: Bool
    /// Whether a row must have the values.
    package let isRequired: Bool
}

/// The decision about two rows that claim the same values.
package enum CollisionDecision: Hashable, Sendable {
    /// One of the two rows.
    package enum Side: Hashable, Sendable { case winner, loser }

    /// The values of a new row that are written into its replacement.
    package enum HandedOver: Hashable, Sendable {
        /// No values are written, and the links of the new object are discarded.
        case none
        /// No values are written, but the links of the new object are kept.
        case linksOnly
        /// The values that the program has set.
        case setValues
        /// All values.
        case allValues
    }

    /// The loser is not inserted: it becomes the winner.
    case unite(HandedOver)
    /// A row keeps its former values: the ones in conflict, or all.
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
        // A link that another context or program has set meanwhile loses the conflict with this
        // save's link, or wins it.
        let side: CollisionDecision.Side = keepsOurs && pair.winner == .stored ? .winner : .loser
        let kind = side == .winner ? pair.winner : pair.loser
        if self == .rollback, kind == .updated { return .takeBack(side, all: true) }
        return pair.isRequired ? .refuse : .clear(side)
    }
}

/// The decision about a key that would reference no row.
package enum DanglingDecision: Hashable, Sendable {
    /// The row with the key is deleted too.
    case delete
    /// The key is cleared.
    case clear
    /// The row was to be inserted again, and stays deleted.
    case leaveDeleted
    /// The conflict remains. The save fails if no other decision resolves it.
    case none

    /// Decides about a key.
    ///
    /// - Parameters:
    ///   - rule: The delete rule of the row that the key references, if this save deletes that row
    ///     and others have set the key; otherwise nil.
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
            // An object that another context deleted, and a required reference to it.
            return isInserted && wasDeleted ? .leaveDeleted : .none
        }
    }
}
