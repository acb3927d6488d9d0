import CambiumRecords

/// A row by its root entity and key.
struct RowID: Hashable, Comparable {
    /// The number of the root entity.
    let root: Int
    let key: Int64

    init(root: Int, key: Int64) {
        self.root = root
        self.key = key
    }

    init(_ object: ManagedObject) {
        self.init(root: object.entityDescription.rootIndex, key: object.key)
    }

    static func < (one: RowID, other: RowID) -> Bool {
        (one.root, one.key) < (other.root, other.key)
    }
}

/// A row that is not in the store as the context last saw it.
struct RowConflict {
    let entity: EntityDescription
    let key: Int64
    /// The row as it is in the store now; nil where it is gone.
    let theirs: PlacedRecord?
    /// Whether this save wants to delete the row.
    let isDeletion: Bool
    /// The row as the row cache had it.
    var cached: PlacedRecord?
    /// Whether theirs is the row of the cache, and the store was not asked.
    var isFoundInCache = false

    var id: RowID { RowID(root: entity.rootIndex, key: key) }
}

/// Rows that would have the same unique values after a save, or the same partner in a one-to-one.
struct UniqueCollision {
    let key: UniqueKey
    /// At least two; the one that stays comes first: whoever is in the store with these values,
    /// then rows that were saved before, then new ones in the order of their insertion.
    let claims: [Claim]

    /// A row that has, or is to have, the values.
    struct Claim {
        let id: RowID
        let entity: EntityDescription
        let kind: ClaimKind
        /// The row as it would be after the save.
        let record: Record
        /// Keeps the record alive, where the plan has made or read it: later decisions replace it
        /// there.
        let page: RowPage?
    }
}

/// Keys and pairs that would lead nowhere.
struct DanglingKeys {
    var keys: [DanglingKey] = []
    /// The rows that are not there, or will not be; pairs may lead to them too.
    var missing: Set<RowID> = []

    var isEmpty: Bool { keys.isEmpty && missing.isEmpty }
}

/// A row whose key leads to a row that is not there, or will not be.
struct DanglingKey {
    let row: RowID
    let relationship: RelationshipDescription
    /// The delete rule of what it leads to, where this save deletes that and does not know of the
    /// row.
    let rule: DeleteRule?
}

/// How one conflict is decided.
struct Verdict {
    var strategy: ConflictStrategy
    /// Values that the program has chosen, by slot.
    var chosen: [Int: StoredValue] = [:]
}

/// Says how the conflicts of a save are decided: a merge policy, or a program's own. It is called
/// inside the transaction, before anything is written, and changes nothing.
protocol ConflictArbiter {
    /// How conflicts are decided that nobody is asked about; nil where they are not.
    var strategy: ConflictStrategy? { get }

    /// Whether keys that reference no row are looked for. Otherwise the store refuses them.
    var checksKeys: Bool { get }

    /// How each of these conflicts is decided.
    ///
    /// - Throws: What says that the save is refused.
    func judge(_ conflicts: [RowConflict]) throws -> [Verdict]

    /// How each of these collisions is decided.
    ///
    /// - Throws: What says that the save is refused.
    func judge(_ collisions: [UniqueCollision]) throws -> [ConflictStrategy]

    /// The error for collisions that the strategies do not resolve.
    func refusal(of collisions: [UniqueCollision]) -> any Error

    /// Throws what there is to say about keys that still reference deleted rows. What it says
    /// nothing about, the store refuses.
    func refuse(_ keys: [DanglingKey], in plan: SavePlan) throws
}

/// What a save came to.
struct SaveOutcome {
    /// The rows that are not in the store as the context wanted.
    var resolutions: [ConflictResolution] = []
    /// The pairs that are not as the context wanted.
    var droppedPairs: [DroppedPair] = []
    /// The derived values of the rows that were written, and of those that look at them.
    var derived: [DerivedRow] = []
}

/// A pair of a join table that a save has left as it was.
struct DroppedPair {
    /// The relationship of the side that writes the pairs.
    let relationship: RelationshipDescription
    let source: RowID
    let destination: RowID
}

/// What became of a row in a conflict.
struct ConflictResolution {
    enum Action {
        /// These slots of this record were written over the row; the record has the version before.
        case update(PlacedRecord, SlotSet)
        /// A new row was inserted with this record.
        case insert(PlacedRecord)
        /// The row was inserted again; the record has the version before the new one.
        case reinsert(PlacedRecord)
        /// The row was deleted, in another state than the context knew it in or without being asked.
        case delete
        /// The store has the row as others left it: nil where it is gone.
        case yield(PlacedRecord?)
        /// The new row was not inserted: another one has its unique values, and all that led here
        /// leads there; with its row, where that was read.
        case forward(EntityDescription, Int64, PlacedRecord?)
    }

    let entity: EntityDescription
    let key: Int64
    let action: Action
    /// The row as the store had it, where the save has read it.
    let theirs: PlacedRecord?
    /// Whether the context had not asked for anything to happen to the row.
    let isBystander: Bool

    var id: RowID { RowID(root: entity.rootIndex, key: key) }
}
