import CambiumModel

/// What a save writes.
public struct SaveRequest {
    /// New rows, by entity.
    public struct Insertion {
        public let entity: EntityDescription
        public var records: [Record]
        /// For each record the defaults that were made for it; empty where the entity has none that
        /// a merge of unique values looks at.
        public var defaults: [[Int: StoredValue]] = []

        public init(
            entity: EntityDescription, records: [Record], defaults: [[Int: StoredValue]] = []
        ) {
            self.entity = entity
            self.records = records
            self.defaults = defaults
        }
    }

    /// Changed rows whose changes are in the same slots, by entity.
    public struct Update {
        public let entity: EntityDescription
        public let slots: SlotSet
        /// The new values, with the version that the change is based on.
        public var records: [Record]
        /// The rows that the changes are based on, as the context has read them; empty where the
        /// rows were read in the transaction that writes them.
        public var bases: [Record] = []

        public init(
            entity: EntityDescription, slots: SlotSet, records: [Record], bases: [Record] = []
        ) {
            self.entity = entity
            self.slots = slots
            self.records = records
            self.bases = bases
        }
    }

    /// Rows of which nothing is written, but a conflict counts, by entity.
    public struct Check {
        public let entity: EntityDescription
        public var records: [Record] = []
        /// For each record what was set to the value that it has; nil for an object that only has to
        /// be unchanged.
        public var changes: [Change?] = []

        public init(entity: EntityDescription, records: [Record] = [], changes: [Change?] = []) {
            self.entity = entity
            self.records = records
            self.changes = changes
        }

        public struct Change {
            /// The row that the change is based on; nil where links alone were changed.
            public let base: Record?
            /// The stored slots that were set.
            public let slots: SlotSet

            public init(base: Record?, slots: SlotSet) {
                self.base = base
                self.slots = slots
            }

            public static var linksAlone: Change { Change(base: nil, slots: SlotSet()) }
        }

        public mutating func add(_ record: Record, _ change: Change?) {
            records.append(record)
            changes.append(change)
        }
    }

    /// Rows to be deleted, by entity: key and version.
    public struct Deletion {
        public let entity: EntityDescription
        public var records: [Record]

        public init(entity: EntityDescription, records: [Record]) {
            self.entity = entity
            self.records = records
        }
    }

    /// Pairs of a relationship.
    public struct Links: Sendable {
        /// The relationship, of the side that the pairs come first with.
        public let relationship: RelationshipDescription
        /// The numbers of the root entities of both ends.
        public let sourceRoot: Int
        public let destinationRoot: Int
        public var added: [(source: Int64, destination: Int64)] = []
        public var removed: [(source: Int64, destination: Int64)] = []

        public init(
            relationship: RelationshipDescription, sourceRoot: Int, destinationRoot: Int
        ) {
            self.relationship = relationship
            self.sourceRoot = sourceRoot
            self.destinationRoot = destinationRoot
        }
    }

    /// What was done to the lists of an ordered relationship.
    public struct Order: Sendable {
        /// One list.
        public struct List: Sendable {
            public var owner: Int64
            public var order: LinkOrder

            public init(owner: Int64, order: LinkOrder) {
                self.owner = owner
                self.order = order
            }
        }

        public let relationship: RelationshipDescription
        /// The numbers of the root entities of the owners and of the members.
        public let ownerRoot: Int
        public let memberRoot: Int
        public var lists: [List]

        public init(
            relationship: RelationshipDescription, ownerRoot: Int, memberRoot: Int, lists: [List]
        ) {
            self.relationship = relationship
            self.ownerRoot = ownerRoot
            self.memberRoot = memberRoot
            self.lists = lists
        }
    }

    /// The members of an object's many-to-many relationship, as the context knows them.
    public struct Members {
        /// The pairs of the relationship, without any.
        public let pairs: Links
        /// Whether the object is the source of the pairs.
        public let isSource: Bool
        public let set: LinkSet

        public init(pairs: Links, isSource: Bool, set: LinkSet) {
            self.pairs = pairs
            self.isSource = isSource
            self.set = set
        }
    }

    /// Who saves, as the history names it.
    public var author = TransactionAuthor()
    public var checks: [Check] = []
    public var deletions: [Deletion] = []
    public var updates: [Update] = []
    public var insertions: [Insertion] = []
    public var links: [Links] = []
    public var orders: [Order] = []
    /// The members of changed objects, which a conflict may have written as a whole; empty under
    /// merge policies that write changes of links only.
    public var members: [RowIdentity: [Members]] = [:]
    /// Keeps the records of this request alive.
    public var pages: [RowPage] = []

    public init() {}
}

/// Who makes a transaction, as the history names it.
public struct TransactionAuthor: Sendable {
    public var name: String?
    public var contextName: String?

    public init(name: String? = nil, contextName: String? = nil) {
        self.name = name
        self.contextName = contextName
    }
}
