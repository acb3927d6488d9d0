import CambiumMigration
import CambiumModel
import CambiumRecords

/// What one save, or one batch operation, changed in a store.
public struct HistoryTransaction: Sendable, Hashable, CustomStringConvertible {
    /// The number among the transactions of its store, in the order of the commits; on a server, of
    /// those that changed the same objects.
    public let number: Int64
    /// When it was committed; of what a program without Cambium has written, when that was first
    /// seen.
    public let date: Date
    /// Who made it: `ManagedObjectContext.transactionAuthor`, or ``migrationAuthor``.
    public let author: String?
    /// The name of the context (`ManagedObjectContext.name`). Of a migration, the versions: `from
    /// version 1 to version 2`.
    public let contextName: String?
    /// The name of the program; nil for one without Cambium.
    public let processName: String?
    /// The number of the process.
    public let processIdentifier: Int?
    /// The UUID of the store.
    public let storeIdentifier: UUID
    /// The place in the store's history after it.
    public let token: HistoryToken
    /// What was changed, one for each object, in the order in which they were first touched. Empty
    /// where a request leaves changes out.
    public package(set) var changes: [HistoryChange]
    /// Tells the opened store that wrote it apart from others.
    package let writer: String?

    package init(
        number: Int64, date: Date, author: String?, contextName: String?, processName: String?,
        processIdentifier: Int?, storeIdentifier: UUID, token: HistoryToken,
        changes: [HistoryChange], writer: String?
    ) {
        self.number = number
        self.date = date
        self.author = author
        self.contextName = contextName
        self.processName = processName
        self.processIdentifier = processIdentifier
        self.storeIdentifier = storeIdentifier
        self.token = token
        self.changes = changes
        self.writer = writer
    }

    /// The author of what migrations change: `migration`.
    public static let migrationAuthor = CarriedHistory.author

    /// The number, the author and how many objects it changed.
    public var description: String {
        "transaction \(number)\(author.map { " by \($0)" } ?? ""), \(changes.count) changes"
    }
}

/// What a request found in the history.
public struct HistoryResult: Sendable {
    /// The transactions, the oldest first.
    public let transactions: [HistoryTransaction]
    /// Where to go on: the next request's ``HistoryRequest/token``. It has seen what the request
    /// passed over, too.
    public let token: HistoryToken

    package init(transactions: [HistoryTransaction], token: HistoryToken) {
        self.transactions = transactions
        self.token = token
    }
}

/// What a transaction did to one object.
public struct HistoryChange: Sendable, Hashable, CustomStringConvertible {
    /// What was done. The raw values are those of Core Data.
    public enum Kind: Int, Sendable, Hashable, CaseIterable, Codable {
        /// The object is new.
        case insert
        /// The object has other values or links.
        case update
        /// The object was deleted.
        case delete
    }

    /// The object.
    public let objectID: ObjectID
    /// What was done to it.
    public let kind: Kind
    /// The names of the properties that an update changed: attributes (parts of composite values by
    /// their dotted names), derived ones too, and relationships of both sides. Empty for the other
    /// kinds, and where only the object's version was raised.
    public let updatedProperties: Set<String>
    /// The values before, where the history has them: those that an update changed, those that a
    /// deleted object had and that are not nil. To-one relationships are among them.
    public let oldValues: [String: PropertyValue]
    /// The values after, where the history has them: those that an update changed, those that a new
    /// object has and that are not nil.
    public let newValues: [String: PropertyValue]
    /// Of a deleted object, the values of the attributes that the model preserves
    /// (`preserved="true"`, Xcode's "Preserve After Deletion"); nil for the other kinds.
    public let tombstone: [String: Value]?

    package init(
        objectID: ObjectID, kind: Kind, updatedProperties: Set<String>,
        oldValues: [String: PropertyValue], newValues: [String: PropertyValue],
        tombstone: [String: Value]?
    ) {
        self.objectID = objectID
        self.kind = kind
        self.updatedProperties = updatedProperties
        self.oldValues = oldValues
        self.newValues = newValues
        self.tombstone = tombstone
    }

    /// The kind, the object and the names of the changed properties; no values.
    public var description: String {
        let names = updatedProperties.isEmpty ? "" : " \(updatedProperties.sorted())"
        return "\(kind) \(objectID)\(names)"
    }
}

/// What several transactions come to, for contexts that know some of them already.
package struct NetChanges {
    private struct Row {
        package var entity: EntityDescription
        /// Whether contexts have the row, by what they know.
        package var isKnown: Bool
        /// Whether the store has it.
        package var isThere: Bool
        /// Whether there is something to report.
        package var isNews = false
        /// Whether all its values may be other ones.
        package var isAnything = false
        package var properties: Set<String> = []
    }

    private let model: ModelDescription
    private var order: [RowIdentity] = []
    private var rows: [RowIdentity: Row] = [:]

    package init(_ model: ModelDescription) {
        self.model = model
    }

    /// - Parameter isKnown: Whether the contexts have heard of it.
    package mutating func add(_ transaction: HistoryTransaction, isKnown: Bool) {
        for change in transaction.changes {
            guard let entity = model[change.objectID.entityName] else { continue }
            add(change, entity, isKnown: isKnown)
        }
    }

    private mutating func add(
        _ change: HistoryChange, _ entity: EntityDescription, isKnown: Bool
    ) {
        let id = RowIdentity(root: entity.rootIndex, key: change.objectID.key)
        let wasThere = change.kind != .insert
        if rows[id] == nil { order.append(id) }
        var row = rows[id] ?? Row(entity: entity, isKnown: wasThere, isThere: wasThere)
        if model.families[row.entity.index].contains(entity.index) { row.entity = entity }
        row.isThere = change.kind != .delete
        if isKnown {
            row.isKnown = row.isThere
        } else {
            row.isNews = true
            switch change.kind {
            case .update where !change.updatedProperties.isEmpty:
                row.properties.formUnion(change.updatedProperties)
            case .insert, .update, .delete:
                row.isAnything = true
            }
        }
        rows[id] = row
    }

    /// How many objects there is something to report about.
    package var count: Int { rows.values.count { $0.isNews && ($0.isKnown || $0.isThere) } }

    /// The rows that it concerns.
    package var ids: [RowIdentity] { order.filter { rows[$0]?.isNews ?? false } }

    /// What is to be reported, in the order of the entities.
    package var entities: [EntityChanges] {
        var byEntity: [EntityChanges?] = Array(repeating: nil, count: model.entities.count)
        for id in order {
            guard let row = rows[id], row.isNews, row.isKnown || row.isThere else { continue }
            let index = row.entity.index
            if byEntity[index] == nil { byEntity[index] = EntityChanges(entity: row.entity) }
            switch (row.isKnown, row.isThere) {
            case (false, _):
                byEntity[index]?.inserted.append(.init(key: id.key, placed: nil))
            case (true, true):
                byEntity[index]?.updated.append(
                    row.isAnything
                        ? .anything(of: row.entity, id.key)
                        : .init(of: row.entity, id.key, properties: row.properties))
            case (true, false):
                byEntity[index]?.deleted.append(id.key)
            }
        }
        return byEntity.compactMap(\.self)
    }
}

extension EntityChanges.UpdatedRow {
    /// A row whose properties of these names are other now.
    fileprivate init(of entity: EntityDescription, _ key: Int64, properties: Set<String>) {
        var slots = SlotSet()
        for (slot, place) in entity.layout.slots.enumerated()
        where place.isStored && properties.contains(place.property) {
            slots.insert(slot)
        }
        let links = entity.relationships.filter { $0.slot == nil && !$0.isTransient }
            .map(\.relationship.name).filter(properties.contains)
        self.init(key: key, slots: slots, links: links, placed: nil)
    }
}
