import CambiumMigration
import CambiumModel
import CambiumRecords

/// The changes of one save, or of one batch operation, in a store.
///
/// ## Topics
///
/// ### Changes
///
/// - ``changes``
/// - ``objectIDs``
///
/// ### Place in the history
///
/// - ``token``
/// - ``number``
/// - ``date``
/// - ``storeIdentifier``
///
/// ### Origin
///
/// - ``author``
/// - ``contextName``
/// - ``processName``
/// - ``processIdentifier``
/// - ``migrationAuthor``
/// - ``repairAuthor``
///
/// ### Printing
///
/// - ``description``
public struct HistoryTransaction: Sendable, Hashable, CustomStringConvertible {
    /// The number among the transactions of its store, in the order of the commits; on a server,
    /// among the transactions that changed the same objects.
    public let number: Int64
    /// The date of the commit. If a program without Cambium wrote the changes, the date at which
    /// they were first seen.
    public let date: Date
    /// The author: `ManagedObjectContext.transactionAuthor`, ``migrationAuthor`` or
    /// ``repairAuthor``.
    public let author: String?
    /// The name of the context (`ManagedObjectContext.name`). For a migration, the versions: `from
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
    /// The changes, one for each object, in the order of their first changes. Empty if a request
    /// does not include changes.
    public package(set) var changes: [HistoryChange]
    /// Identifies the opened store that wrote it.
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

    /// The author of migrations: `migration`.
    public static let migrationAuthor = CarriedHistory.author

    /// The author of repairs by `cambium check-store --repair`: `repair`.
    public static let repairAuthor = "repair"

    /// The number, the author and how many objects it changed.
    public var description: String {
        "transaction \(number)\(author.map { " by \($0)" } ?? ""), \(changes.count) changes"
    }
}

/// The result of a request to the history.
public struct HistoryResult: Sendable {
    /// The transactions, the oldest first.
    public let transactions: [HistoryTransaction]
    /// The token for the next request's ``HistoryRequest/token``. It includes the transactions that
    /// the request skipped.
    public let token: HistoryToken

    package init(transactions: [HistoryTransaction], token: HistoryToken) {
        self.transactions = transactions
        self.token = token
    }
}

/// The change of one object in a transaction.
public struct HistoryChange: Sendable, Hashable, CustomStringConvertible {
    /// The kind of change. The raw values are those of Core Data.
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
    /// The kind of change.
    public let kind: Kind
    /// The names of the properties that an update changed: attributes (parts of composite values by
    /// their dotted names), derived ones too, and relationships of both sides. Empty for the other
    /// kinds, and if only the object's version was increased.
    public let updatedProperties: Set<String>
    /// The values before, if the history has them: of an update, the changed ones; of a deleted
    /// object, the ones that are not nil. To-one relationships are included.
    public let oldValues: [String: PropertyValue]
    /// The values after, if the history has them: of an update, the changed ones; of a new object,
    /// the ones that are not nil.
    public let newValues: [String: PropertyValue]
    /// If the object was deleted, the values of the attributes that the model preserves
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

/// The combined changes of several transactions, for contexts that have merged some of them
/// already.
package struct NetChanges {
    private struct Row {
        package var entity: EntityDescription
        /// Whether contexts have the row, according to the changes that they have merged.
        package var isKnown: Bool
        /// Whether the store has it.
        package var exists: Bool
        /// Whether there is something to report.
        package var needsReport = false
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

    /// - Parameter isKnown: Whether the contexts have received the change.
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
        let existed = change.kind != .insert
        if rows[id] == nil { order.append(id) }
        var row = rows[id] ?? Row(entity: entity, isKnown: existed, exists: existed)
        if model.families[row.entity.index].contains(entity.index) { row.entity = entity }
        row.exists = change.kind != .delete
        if isKnown {
            row.isKnown = row.exists
        } else {
            row.needsReport = true
            switch change.kind {
            case .update where !change.updatedProperties.isEmpty:
                row.properties.formUnion(change.updatedProperties)
            case .insert, .update, .delete:
                row.isAnything = true
            }
        }
        rows[id] = row
    }

    /// The number of objects with changes to report.
    package var count: Int { rows.values.count { $0.needsReport && ($0.isKnown || $0.exists) } }

    /// The rows that it concerns.
    package var ids: [RowIdentity] { order.filter { rows[$0]?.needsReport ?? false } }

    /// The changes to report, in the order of the entities.
    package var entities: [EntityChanges] {
        var byEntity: [EntityChanges?] = Array(repeating: nil, count: model.entities.count)
        for id in order {
            guard let row = rows[id], row.needsReport, row.isKnown || row.exists else { continue }
            let index = row.entity.index
            if byEntity[index] == nil { byEntity[index] = EntityChanges(entity: row.entity) }
            switch (row.isKnown, row.exists) {
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
    /// A row with changed properties of these names.
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
