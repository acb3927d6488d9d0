import CambiumRecords

/// What a save writes.
struct SaveRequest {
    /// New rows, by entity.
    struct Insertion {
        let entity: EntityDescription
        var records: [Record]
        /// For each record the defaults that were made for it; empty where the entity has none that
        /// a merge of unique values looks at.
        var defaults: [[Int: StoredValue]] = []
    }

    /// Changed rows whose changes are in the same slots, by entity.
    struct Update {
        let entity: EntityDescription
        let slots: SlotSet
        /// The new values, with the version that the change is based on.
        var records: [Record]
        /// The rows that the changes are based on, as the context has read them; empty where the
        /// rows were read in the transaction that writes them.
        var bases: [Record] = []
    }

    /// Rows of which nothing is written, but a conflict counts, by entity.
    struct Check {
        let entity: EntityDescription
        var records: [Record] = []
        /// For each record what was set to the value that it has; nil for an object that only has to
        /// be unchanged.
        var changes: [Change?] = []

        struct Change {
            /// The row that the change is based on; nil where links alone were changed.
            let base: Record?
            /// The stored slots that were set.
            let slots: SlotSet

            static var linksAlone: Change { Change(base: nil, slots: SlotSet()) }
        }

        mutating func add(_ record: Record, _ change: Change?) {
            records.append(record)
            changes.append(change)
        }
    }

    /// Rows to be deleted, by entity: key and version.
    struct Deletion {
        let entity: EntityDescription
        var records: [Record]
    }

    /// Pairs of a relationship.
    struct Links {
        /// The relationship, of the side that the pairs come first with.
        let relationship: RelationshipDescription
        /// The numbers of the root entities of both ends.
        let sourceRoot: Int
        let destinationRoot: Int
        var added: [(source: Int64, destination: Int64)] = []
        var removed: [(source: Int64, destination: Int64)] = []
    }

    /// What was done to the lists of an ordered relationship.
    struct Order {
        /// One list.
        struct List {
            var owner: Int64
            var order: LinkOrder
        }

        let relationship: RelationshipDescription
        /// The numbers of the root entities of the owners and of the members.
        let ownerRoot: Int
        let memberRoot: Int
        var lists: [List]
    }

    /// The members of an object's many-to-many relationship, as the context knows them.
    struct Members {
        /// The pairs of the relationship, without any.
        let pairs: Links
        /// Whether the object is the source of the pairs.
        let isSource: Bool
        let set: LinkSet
    }

    /// Who saves, as the history names it.
    var author = TransactionAuthor()
    var checks: [Check] = []
    var deletions: [Deletion] = []
    var updates: [Update] = []
    var insertions: [Insertion] = []
    var links: [Links] = []
    var orders: [Order] = []
    /// The members of changed objects, which a conflict may have written as a whole; empty under
    /// merge policies that write changes of links only.
    var members: [RowID: [Members]] = [:]
    /// Keeps the records of this request alive.
    var pages: [RowPage] = []
}
