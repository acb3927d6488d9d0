import CambiumModel
import CambiumRecords

/// The transaction of a batch operation: finds rows, and writes them with all that belongs to them.
package protocol BatchTransaction: AnyObject {
    /// The store's.
    var identifier: StoreIdentifier { get }
    var model: ModelDescription { get }
    /// The changes of the operation until now.
    var changes: BatchChanges { get set }
    /// Whether everything is looked at before anything is written.
    var isPlanned: Bool { get }
    /// Whether writing rows may change derived attributes of others.
    var derivesValues: Bool { get }
    /// The rows as they are in the transaction, at each moment.
    var lookup: any SaveLookup { get }
    /// The look-up for planning. It reads all rows in the same state.
    var planningLookup: any SaveLookup { get }

    /// Runs a part of the work. If it throws, its writes and notes are rolled back, and the work
    /// before it is kept.
    func savepoint(_ body: () throws -> Void) throws

    /// The rows that a request finds: by a condition or by keys.
    func rowKeys(_ request: RowRequest) throws -> [RowKey]

    /// The rows at the other end of a relationship, each with the key of this end.
    func related(
        _ relationship: RelationshipDescription, of entity: EntityDescription, _ keys: [Int64]
    ) throws -> [(source: Int64, row: RowKey)]

    /// The rows of an entity that reference the keys by a relationship without an inverse, each
    /// with the referenced key.
    func owners(
        of relationship: RelationshipDescription, _ entity: EntityDescription, _ keys: [Int64]
    ) throws -> [(source: Int64, row: RowKey)]

    /// Returns a computation of values for rows of an entity.
    func computation(
        of expressions: [(expression: ModelExpression, type: AttributeType)],
        for entity: EntityDescription
    ) throws -> BatchComputation

    /// Reserves keys of a root entity; they are never given again.
    func reserveKeys(root: Int, count: Int) throws -> Range<Int64>

    /// Writes rows in the stages of their source, one after the other. The owner of the request's
    /// records keeps them alive.
    ///
    /// - Parameter swapped: Rows that are removed from their tables meanwhile, because others get
    ///   their unique values.
    /// - Throws: ``RefusedRow`` if the store or a rule rejects a row that is updated or inserted.
    ///   After this error, the transaction has to be rolled back.
    func write(
        _ request: SaveRequest, from source: RowSource, swapping swapped: Set<RowIdentity>) throws
}

extension BatchTransaction {
    /// Writes rows that do not swap unique values.
    package func write(_ request: SaveRequest, from source: RowSource) throws {
        try write(request, from: source, swapping: [])
    }

    /// Writes changed rows that may swap unique values: reads all of them first.
    ///
    /// - Throws: The error of the arbiter if a row has a unique value that another one keeps; any
    ///   error of ``write(_:from:swapping:)``.
    package func writePlanned(_ request: SaveRequest, _ arbiter: any ConflictArbiter) throws {
        try write(request, arbiter, planningLookup)
    }

    private func write(
        _ request: SaveRequest, _ arbiter: any ConflictArbiter, _ lookup: some SaveLookup
    ) throws {
        let planner = SavePlanner(lookup: lookup, model: model)
        let plan = try planner.plan(request, arbiter)
        let settled = plan.request
        try withExtendedLifetime(plan) {
            try write(settled, from: .batch, swapping: try planner.rowsWithSwappedValues(in: plan))
        }
    }
}

/// Computes values for rows, in the order of the expressions.
package struct BatchComputation {
    /// Whether nothing but a row itself is looked at for its values.
    package let isOfOwnRow: Bool
    package let types: [ExpressionType]
    /// The values of rows, by their keys.
    package let values: (_ keys: [Int64]) throws -> [Int64: [StoredValue]]

    package init(
        isOfOwnRow: Bool, types: [ExpressionType],
        values: @escaping (_ keys: [Int64]) throws -> [Int64: [StoredValue]]
    ) {
        self.isOfOwnRow = isOfOwnRow
        self.types = types
        self.values = values
    }
}

/// The work of a batch operation in its transaction.
package protocol BatchWork {
    /// Whether the result names the objects.
    var resultType: BatchResultType { get }
    /// Whether to read everything before anything is written, if a first try conflicts with unique
    /// values of other rows. Not possible if the input can be read only once.
    var canPlan: Bool { get }
    /// Whether the work can run again from its beginning, in another transaction, if the store has
    /// rolled back the first one.
    var canRunAgain: Bool { get }

    func run(in transaction: any BatchTransaction) throws
}

extension BatchWork {
    /// Whether planning may resolve the conflict behind an error.
    ///
    /// - Parameter isOfUniqueValues: Whether an error of the store is about unique values.
    package func canPlan(
        around error: any Error, _ isOfUniqueValues: (any Error) -> Bool
    ) -> Bool {
        guard canPlan else { return false }
        if let refused = error as? RefusedRow { return refused.isOfUniqueValues }
        return error is SaveConflict || isOfUniqueValues(error)
    }
}

extension RelationshipStorage {
    /// The storage of the links from other rows; nil if these rows keep the links, or if no row
    /// does.
    package var fromDestination: RelationshipStorage? {
        switch self {
        case .key(let column, _): .inverseKey(column: column)
        case .joinTable(let table, let source, let destination):
            .joinTable(name: table, sourceColumn: destination, destinationColumn: source)
        case .inverseKey, .transient: nil
        }
    }
}

/// The key, the version and the entity of a row.
package struct RowKey {
    package let entity: Int
    package let key: Int64
    package let version: Int64

    package init(entity: Int, key: Int64, version: Int64) {
        self.entity = entity
        self.key = key
        self.version = version
    }
}

/// The content of a batch operation's result.
public enum BatchResultType: Sendable, Hashable {
    /// The number of objects. Costs nothing.
    case count
    /// The number and the ids of the objects, which take some bytes of memory each.
    case objectIDs
}

/// The form of the values of a spool in its database: each as a record.
package protocol SpoolForm {
    associatedtype Element

    /// The shape of the records.
    var shape: RecordShape { get }

    /// The record of a value; the spool gives it a key.
    func record(of element: Element, by writer: RecordWriter) throws -> PlacedRecord

    /// The value of a record. Its key is the number of values before it.
    func element(of record: Record, by writer: RecordWriter) throws -> Element
}

/// Collects the changes of a batch operation, for its observers and for its result.
package struct BatchChanges {
    /// The greatest number of rows that observers receive.
    package static let attachedRows = 10_000

    /// The number of objects of the operation.
    package var count = 0
    /// The ids of the objects, if they are requested.
    package var objectIDs: [ObjectID] = []
    package let store: StoreIdentifier
    /// Whether the identities of all objects are kept, however many.
    package let listsAll: Bool
    private let attachesRows: Bool
    private let model: ModelDescription
    private var byEntity: [EntityChanges?]
    private var attached = 0
    private var listed = 0
    /// Whether attached rows were discarded because there are too many.
    private var isStripped = false

    package init(
        _ model: ModelDescription, store: StoreIdentifier, listsAll: Bool, attachesRows: Bool
    ) {
        self.model = model
        self.store = store
        self.listsAll = listsAll
        self.attachesRows = attachesRows
        byEntity = Array(repeating: nil, count: model.entities.count)
    }

    /// All changes, in the order of the entities; nil if there are too many to report.
    package var entities: [EntityChanges]? {
        listed > EntityChanges.maximumListedRows ? nil : byEntity.compactMap(\.self)
    }

    /// All changes if the ids of all objects are kept; none otherwise.
    package var allEntities: [EntityChanges] { listsAll ? byEntity.compactMap(\.self) : [] }

    /// Whether nothing was changed.
    package var isEmpty: Bool { listed == 0 }

    // MARK: Noting

    package mutating func insert(_ rows: [PlacedRecord], _ entity: EntityDescription) {
        guard let index = start(entity, rows.count) else { return }
        let attaches = attach(rows.count, entity)
        byEntity[index]?.inserted += rows.map {
            EntityChanges.InsertedRow(key: $0.record.key, placed: attaches ? $0 : nil)
        }
    }

    package mutating func update(
        _ rows: [PlacedRecord], _ slots: SlotSet, _ entity: EntityDescription
    ) {
        guard let index = start(entity, rows.count) else { return }
        let attaches = attach(rows.count, entity)
        // Derived values in the same row may have changed with them.
        var slots = slots
        slots.formUnion(entity.derivedSlots)
        byEntity[index]?.updated += rows.map {
            EntityChanges.UpdatedRow(
                key: $0.record.key, slots: slots, links: [], placed: attaches ? $0 : nil)
        }
    }

    /// Notes rows with known values in these slots only.
    package mutating func clear(_ slots: SlotSet, _ keys: [Int64], _ entity: EntityDescription) {
        guard let index = start(entity, keys.count) else { return }
        var slots = slots
        slots.formUnion(entity.derivedSlots)
        byEntity[index]?.updated += keys.map {
            EntityChanges.UpdatedRow(key: $0, slots: slots, links: [], placed: nil)
        }
    }

    package mutating func delete(_ keys: [Int64], _ entity: EntityDescription) {
        guard let index = start(entity, keys.count) else { return }
        byEntity[index]?.deleted += keys
    }

    /// Notes rows that were written only because of derived values.
    ///
    /// - Parameter request: The written request; its own rows are noted elsewhere.
    package mutating func refresh(_ rows: [DerivedRow], besides request: SaveRequest) {
        guard !rows.isEmpty else { return }
        func ids(_ records: [Record], _ entity: EntityDescription) -> [RowIdentity] {
            records.map { RowIdentity(root: entity.rootIndex, key: $0.key) }
        }
        let own = Set(
            request.insertions.flatMap { ids($0.records, $0.entity) }
                + request.updates.flatMap { ids($0.records, $0.entity) })
        for row in rows {
            let root = model.entities[row.entity].rootIndex
            if !own.contains(RowIdentity(root: root, key: row.key)) { refresh(row) }
        }
    }

    private mutating func refresh(_ row: DerivedRow) {
        let entity = model.entities[row.entity]
        guard let index = start(entity, 1) else { return }
        var slots = SlotSet()
        for (slot, _) in row.values { slots.insert(slot) }
        byEntity[index]?.refreshed.append(
            EntityChanges.UpdatedRow(key: row.key, slots: slots, links: [], placed: nil))
    }

    /// The number of the entity if its changes are still listed.
    private mutating func start(_ entity: EntityDescription, _ rows: Int) -> Int? {
        listed += rows
        guard listed <= EntityChanges.maximumListedRows || listsAll else {
            byEntity = Array(repeating: nil, count: byEntity.count)
            return nil
        }
        if byEntity[entity.index] == nil { byEntity[entity.index] = EntityChanges(entity: entity) }
        return entity.index
    }

    /// Notes rows with a changed relationship that is kept elsewhere.
    package mutating func link(_ name: String, _ keys: [Int64], _ entity: EntityDescription) {
        guard let index = start(entity, keys.count) else { return }
        byEntity[index]?.updated += keys.map {
            EntityChanges.UpdatedRow(key: $0, slots: SlotSet(), links: [name], placed: nil)
        }
    }

    // MARK: Reverting

    /// The number of notes at one moment.
    package struct Mark {
        fileprivate let count: Int
        fileprivate let objectIDs: Int
        fileprivate let byEntity: [[Int]?]
        fileprivate let attached: Int
        fileprivate let listed: Int
    }

    package var mark: Mark {
        Mark(
            count: count, objectIDs: objectIDs.count,
            byEntity: byEntity.map { $0.map(\.counts) }, attached: attached, listed: listed)
    }

    /// Forgets everything that was noted since the mark. If rows were discarded because there were
    /// too many, they are not restored.
    package mutating func revert(to mark: Mark) {
        count = mark.count
        objectIDs.removeLast(objectIDs.count - mark.objectIDs)
        for (index, counts) in mark.byEntity.enumerated() {
            guard let counts else {
                byEntity[index] = nil
                continue
            }
            byEntity[index]?.keep(counts)
        }
        guard listed <= EntityChanges.maximumListedRows || listsAll else { return }
        attached = mark.attached
        listed = mark.listed
    }

    /// Whether more rows are attached. Values that the store computes, or keeps in files, are
    /// different in them.
    private mutating func attach(_ rows: Int, _ entity: EntityDescription) -> Bool {
        guard attachesRows, entity.derivedSlots.isEmpty, entity.externalSlots.isEmpty else {
            return false
        }
        attached += rows
        if attached <= Self.attachedRows { return true }
        if !isStripped {
            isStripped = true
            for index in byEntity.indices { byEntity[index]?.dropRows() }
        }
        return false
    }
}

extension EntityChanges {
    fileprivate var counts: [Int] {
        [inserted.count, updated.count, refreshed.count, deleted.count]
    }

    fileprivate mutating func keep(_ counts: [Int]) {
        inserted.removeLast(inserted.count - counts[0])
        updated.removeLast(updated.count - counts[1])
        refreshed.removeLast(refreshed.count - counts[2])
        deleted.removeLast(deleted.count - counts[3])
    }

    fileprivate mutating func dropRows() {
        inserted = inserted.map { InsertedRow(key: $0.key, placed: nil) }
        updated = updated.map {
            UpdatedRow(key: $0.key, slots: $0.slots, links: $0.links, placed: nil)
        }
    }
}
