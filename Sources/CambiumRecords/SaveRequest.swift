import CambiumModel
import Synchronization

/// The content of a save.
package struct SaveRequest {
    /// New rows, by entity.
    package struct Insertion {
        package let entity: EntityDescription
        package var records: [Record]
        /// For each record the defaults that were generated for it; empty if the entity has none
        /// that a merge of unique values needs.
        package var defaults: [[Int: StoredValue]] = []

        package init(entity: EntityDescription, records: [Record]) {
            self.entity = entity
            self.records = records
        }
    }

    /// Changed rows with changes in the same slots, by entity.
    package struct Update {
        package let entity: EntityDescription
        package let slots: SlotSet
        /// The new values, with the version that the change is based on.
        package var records: [Record]
        /// The rows that the context read before it made the changes. The array is empty if the
        /// rows were read in the transaction that writes them.
        package var bases: [Record] = []

        package init(
            entity: EntityDescription, slots: SlotSet, records: [Record], bases: [Record] = []
        ) {
            self.entity = entity
            self.slots = slots
            self.records = records
            self.bases = bases
        }
    }

    /// Rows that are not written but checked for conflicts, by entity.
    package struct Check {
        package let entity: EntityDescription
        package var records: [Record] = []
        /// For each record the slots that were set to equal values; nil for an object that only has
        /// to be unchanged.
        package var changes: [Change?] = []

        package init(entity: EntityDescription) {
            self.entity = entity
        }

        package struct Change {
            /// The row that the context read before the change, or nil if only links were changed.
            package let base: Record?
            /// The stored slots that were set.
            package let slots: SlotSet

            package init(base: Record?, slots: SlotSet) {
                self.base = base
                self.slots = slots
            }

            package static var linksAlone: Change { Change(base: nil, slots: SlotSet()) }
        }

        package mutating func add(_ record: Record, _ change: Change?) {
            records.append(record)
            changes.append(change)
        }
    }

    /// Rows to be deleted, by entity: key and version.
    package struct Deletion {
        package let entity: EntityDescription
        package var records: [Record]

        package init(entity: EntityDescription, records: [Record]) {
            self.entity = entity
            self.records = records
        }
    }

    /// Pairs of a relationship.
    package struct Links {
        /// The relationship, of the side that the pairs come first with.
        package let relationship: RelationshipDescription
        /// The numbers of the root entities of both ends.
        package let sourceRoot: Int
        package let destinationRoot: Int
        package var added: [(source: Int64, destination: Int64)] = []
        package var removed: [(source: Int64, destination: Int64)] = []

        package init(
            relationship: RelationshipDescription, sourceRoot: Int, destinationRoot: Int
        ) {
            self.relationship = relationship
            self.sourceRoot = sourceRoot
            self.destinationRoot = destinationRoot
        }
    }

    /// The changes to the lists of an ordered relationship.
    package struct Order {
        /// An ordered list.
        package struct List {
            package var owner: Int64
            package var order: LinkOrder

            package init(owner: Int64, order: LinkOrder) {
                self.owner = owner
                self.order = order
            }
        }

        package let relationship: RelationshipDescription
        /// The numbers of the root entities of the owners and of the members.
        package let ownerRoot: Int
        package let memberRoot: Int
        package var lists: [List]

        package init(
            relationship: RelationshipDescription, ownerRoot: Int, memberRoot: Int, lists: [List]
        ) {
            self.relationship = relationship
            self.ownerRoot = ownerRoot
            self.memberRoot = memberRoot
            self.lists = lists
        }
    }

    /// The members of an object's many-to-many relationship, as the context has them.
    package struct Members {
        /// The pairs of the relationship, without any.
        package let pairs: Links
        /// Whether the object is the source of the pairs.
        package let isSource: Bool
        package let set: LinkSet

        package init(pairs: Links, isSource: Bool, set: LinkSet) {
            self.pairs = pairs
            self.isSource = isSource
            self.set = set
        }
    }

    /// The author of the save in the history.
    package var author = TransactionAuthor()
    package var checks: [Check] = []
    package var deletions: [Deletion] = []
    package var updates: [Update] = []
    package var insertions: [Insertion] = []
    package var links: [Links] = []
    package var orders: [Order] = []
    /// The members of changed objects. A conflict may require writing all of them. Empty if the
    /// merge policy writes changes of links only.
    package var members: [RowIdentity: [Members]] = [:]
    /// Keeps the records of this request alive.
    package var pages: [RowPage] = []

    package init() {}
}

/// The author of a transaction in the history.
package struct TransactionAuthor: Sendable {
    package var name: String?
    package var contextName: String?

    package init(name: String? = nil, contextName: String? = nil) {
        self.name = name
        self.contextName = contextName
    }
}

/// The changes of the objects of one entity.
public struct EntityChanges: Sendable {
    /// A new row.
    public struct InsertedRow: Sendable {
        @usableFromInline package let key: Int64
        /// The row, if rows are attached.
        public let placed: PlacedRecord?

        /// Describes a new row.
        @inlinable
        public init(key: Int64, placed: PlacedRecord?) {
            self.key = key
            self.placed = placed
        }
    }

    /// A changed row.
    public struct UpdatedRow: Sendable {
        @usableFromInline package let key: Int64
        /// The slots that were set; empty if only links changed, and the row is unchanged.
        public let slots: SlotSet
        /// The names of relationships kept elsewhere that changed.
        public var links: [String]
        /// The row, if rows are attached and there is one.
        public let placed: PlacedRecord?

        /// Describes a changed row.
        @inlinable
        public init(key: Int64, slots: SlotSet, links: [String], placed: PlacedRecord?) {
            self.key = key
            self.slots = slots
            self.links = links
            self.placed = placed
        }
    }

    /// If a commit changed more rows, observers do not receive their keys: it is cheaper to read
    /// everything again than to keep lists for all observers.
    public static let maximumListedRows = 100_000

    package let entity: EntityDescription
    package var inserted: [InsertedRow] = []
    package var updated: [UpdatedRow] = []
    /// Rows with changed values in derived columns only. Their versions are unchanged; a reader
    /// that needs the values reads them again.
    public var refreshed: [UpdatedRow] = []
    package var deleted: [Int64] = []

    package init(entity: EntityDescription) { self.entity = entity }
}

extension EntityChanges.UpdatedRow {
    /// A row with possible changes to any property.
    public static func anything(of entity: EntityDescription, _ key: Int64) -> Self {
        let links = entity.relationships.filter { $0.slot == nil && !$0.isTransient }
        return Self(
            key: key, slots: entity.storedSlots, links: links.map(\.relationship.name), placed: nil)
    }
}

/// A request to end another request early. Any thread may make it.
package final class Interruption: Sendable {
    private let isWished = Atomic(false)
    private let condition: @Sendable () -> Bool

    /// - Parameter condition: An additional condition that ends the request. It is called on the
    ///   thread of the request.
    package init(when condition: @escaping @Sendable () -> Bool = { false }) {
        self.condition = condition
    }

    /// The cancellation of the task that the request runs in.
    package static let ofTask = Interruption { Task.isCancelled }

    /// Whether the end was requested.
    package var isRequested: Bool { isWished.load(ordering: .relaxed) || condition() }

    /// Requests the end.
    package func request() {
        isWished.store(true, ordering: .relaxed)
    }
}
