import CambiumRecords

/// Gathers what a batch operation changes, for its observers and for its result.
package struct BatchChanges {
    /// Up to so many rows are handed to the observers.
    package static let attachedRows = 10_000

    /// How many objects the operation concerned.
    package var count = 0
    /// Their identities, where they are wanted.
    package var objectIDs: [ObjectID] = []
    package let store: StoreIdentifier
    /// Whether the identities of all objects are kept, however many.
    package let listsAll: Bool
    private let attachesRows: Bool
    private let model: ModelDescription
    private var byEntity: [EntityChanges?]
    private var attached = 0
    private var listed = 0
    /// Whether rows that came with changes were dropped because there are too many.
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

    /// All changes, in the order of the entities; nil where there are too many to be reported.
    package var entities: [EntityChanges]? {
        listed > EntityChanges.maximumListedRows ? nil : byEntity.compactMap(\.self)
    }

    /// All changes where the identities of all objects are kept; none otherwise.
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
        // What is derived from them in the same row may have changed with them.
        var slots = slots
        slots.formUnion(entity.derivedSlots)
        byEntity[index]?.updated += rows.map {
            EntityChanges.UpdatedRow(
                key: $0.record.key, slots: slots, links: [], placed: attaches ? $0 : nil)
        }
    }

    /// Notes rows of which only these slots are known.
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

    /// Notes rows whose derived values alone were written.
    package mutating func refresh(_ row: DerivedRow) {
        let entity = model.entities[row.entity]
        guard let index = start(entity, 1) else { return }
        var slots = SlotSet()
        for (slot, _) in row.values { slots.insert(slot) }
        byEntity[index]?.refreshed.append(
            EntityChanges.UpdatedRow(key: row.key, slots: slots, links: [], placed: nil))
    }

    /// The number of the entity, where its changes are still listed.
    private mutating func start(_ entity: EntityDescription, _ rows: Int) -> Int? {
        listed += rows
        guard listed <= EntityChanges.maximumListedRows || listsAll else {
            byEntity = Array(repeating: nil, count: byEntity.count)
            return nil
        }
        if byEntity[entity.index] == nil { byEntity[entity.index] = EntityChanges(entity: entity) }
        return entity.index
    }

    /// Notes rows of which a relationship changed that is kept elsewhere.
    package mutating func link(_ name: String, _ keys: [Int64], _ entity: EntityDescription) {
        guard let index = start(entity, keys.count) else { return }
        byEntity[index]?.updated += keys.map {
            EntityChanges.UpdatedRow(key: $0, slots: SlotSet(), links: [name], placed: nil)
        }
    }

    // MARK: Taking back

    /// How much was noted at one moment.
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

    /// Forgets what was noted since then. What was dropped because it was too much stays so.
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

    /// Whether some more rows are handed on. Values that the store computes, or keeps in files, are
    /// not in them as they are in the store.
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
