import CambiumRecords

/// Builds the request of a save.
struct SaveRequestBuilder {
    let context: ManagedObjectContext
    private(set) var written: [ManagedObject] = []
    private var links = [Int: SaveRequest.Links]()
    private var orders = [Int: SaveRequest.Order]()
    private var checks = [Int: SaveRequest.Check]()
    private var members = [RowIdentity: [SaveRequest.Members]]()

    init(context: ManagedObjectContext) {
        self.context = context
    }

    mutating func build() -> SaveRequest {
        var request = SaveRequest()
        request.author = context.author
        // By the number of the entity, so that equal saves write equal files.
        let entityCount = context.coordinator.model.entities.count
        var insertions = [SaveRequest.Insertion?](repeating: nil, count: entityCount)
        context.changes.inserted.forEachUncounted { object in
            guard let record = object.record else { return }
            // Safety: here and below, the object's state holds the coordinator, and this holds the
            // descriptions.
            uncounted(object.entityDescription).use { entity in
                if insertions[entity.index] == nil {
                    insertions[entity.index] = .init(entity: entity, records: [])
                }
                insertions[entity.index]?.records.append(record)
                if entity.remembersDefaults {
                    insertions[entity.index]?.defaults.append(object.extras?.dynamicDefaults ?? [:])
                }
            }
            collectLinks(of: object)
        }
        var deletions = [SaveRequest.Deletion?](repeating: nil, count: entityCount)
        context.changes.deleted.forEachUncounted { object in
            let base = object.extras?.snapshot?.record ?? object.record
            guard let record = base else { return }
            uncounted(object.entityDescription).use { entity in
                if deletions[entity.index] == nil {
                    deletions[entity.index] = .init(entity: entity, records: [])
                }
                deletions[entity.index]?.records.append(record)
            }
        }
        request.insertions = insertions.compactMap(\.self)
        request.updates = collectUpdates()
        // A changed object is looked at anyway.
        for object in context.changes.locked where object.lifecycle == .clean {
            guard let record = object.record else { continue }
            let entity = object.entityDescription
            checks[entity.index, default: .init(entity: entity)].add(record, nil)
        }
        request.checks = checks.ordered { $0.key < $1.key }.map { $0.value }
        request.deletions = deletions.compactMap(\.self)
        request.links = links.ordered { $0.key < $1.key }.map { $0.value }
        request.orders = orders.ordered { $0.key < $1.key }.map { $0.value }
        request.members = members
        return request
    }

    /// The changed rows, grouped by entity and then by changed slots, in this order.
    private mutating func collectUpdates() -> [SaveRequest.Update] {
        var updates: [SaveRequest.Update] = []
        var places = [UpdateGroup: Int]()
        context.changes.updated.forEachUncounted { object in
            collectLinks(of: object)
            guard let record = object.record,
                // Others have deleted the row of one that has new links only: that is a conflict.
                let (change, differs) = change(of: object)
                    ?? (object.extras?.deferred == .deletion ? (.linksAlone, false) : nil)
            else { return }
            collectMembers(of: object)
            guard differs, let base = change.base else {
                let entity = object.entityDescription
                checks[entity.index, default: .init(entity: entity)].add(record, change)
                return
            }
            let slots = change.slots
            written.append(object)
            // Most objects are changed like the one before.
            var place = updates.count - 1
            if place < 0 || updates[place].slots != slots
                || uncounted(object.entityDescription).use({ updates[place].entity !== $0 })
            {
                let entity = object.entityDescription
                let group = UpdateGroup(entity: entity.index, slots: slots)
                place = places[group] ?? updates.count
                if place == updates.count {
                    places[group] = place
                    updates.append(.init(entity: entity, slots: slots, records: []))
                }
            }
            updates[place].records.append(record)
            updates[place].bases.append(base)
        }
        return places.ordered { $0.key < $1.key }.map { updates[$0.value] }
    }

    private struct UpdateGroup: Hashable, Comparable {
        let entity: Int
        let slots: SlotSet

        static func < (one: UpdateGroup, other: UpdateGroup) -> Bool {
            one.entity == other.entity
                ? one.slots.slots.lexicographicallyPrecedes(other.slots.slots)
                : one.entity < other.entity
        }
    }

    /// The stored slots that were set, with the row before, and whether one of them has another
    /// value now; nil if none was set.
    private func change(
        of object: ManagedObject
    ) -> (change: SaveRequest.Check.Change, differs: Bool)? {
        object.tracking.noteQuietChanges()
        guard let extras = object.extras.map({ uncounted($0) }),
            let base = extras.use(\.snapshot?.record), let record = object.record
        else { return nil }
        let (stored, differs) = uncounted(object.entityDescription).use { entity in
            let stored = extras.use { $0.changedSlots.intersection(entity.storedSlots) }
            var differs = false
            stored.forEach { slot in
                differs = differs || !record.isEqual(slot, entity.shape.kinds[slot], to: base)
            }
            return (stored, differs)
        }
        if stored.isEmpty { return nil }
        return (.init(base: base, slots: stored), differs)
    }

    /// Records the members of an object's many-to-many relationships that the context has, if a
    /// conflict may require writing all of them.
    private mutating func collectMembers(of object: ManagedObject) {
        guard context.mergePolicy.mayWriteAllLinks, let links = object.extras?.links,
            !links.isEmpty
        else { return }
        let entity = object.entityDescription
        for relationship in entity.relationships {
            guard let set = links[relationship.ordinal],
                let pairs = context.coordinator.model.pairs(of: relationship, entity)
            else { continue }
            members[RowIdentity(object), default: []].append(
                .init(pairs: pairs, isSource: relationship.ownsPairs, set: set))
        }
    }

    private mutating func collectLinks(of object: ManagedObject) {
        guard let extras = object.extras.map({ uncounted($0) }), extras.use({ !$0.links.isEmpty })
        else { return }
        let changed = extras.use(\.links)
        for (ordinal, set) in changed where set.hasChanges {
            let relationship = object.entityDescription.relationships[ordinal]
            if relationship.keepsOrder, let order = set.order, !order.isEmpty {
                let destination = context.coordinator.model.entities[relationship.destination]
                orders[
                    relationship.identity,
                    default: .init(
                        relationship: relationship,
                        ownerRoot: object.entityDescription.rootIndex,
                        memberRoot: destination.rootIndex, lists: [])
                ].lists.append(.init(owner: object.key, order: order))
            }
            guard relationship.ownsPairs,
                let empty = context.coordinator.model.pairs(
                    of: relationship, object.entityDescription)
            else { continue }
            // Taken out, because otherwise each object would copy the existing links.
            var links = self.links.removeValue(forKey: relationship.identity) ?? empty
            for key in set.added.keys { links.added.append((object.key, key)) }
            for key in set.removed.sorted() { links.removed.append((object.key, key)) }
            self.links[relationship.identity] = links
        }
    }
}

/// Collects the changes of a save, by entity.
struct ChangeCollector {
    private let attachesRows: Bool
    private let namesOwners: Bool
    /// The objects with changed references from other rows: by entity and key, the names of the
    /// relationships.
    private var owners = [Int: [Int64: Set<String>]]()
    /// By the number of the entity; nil for entities without changes.
    private var byEntity: [Gathering?]

    /// The changes of one entity. An object: of a value in a list each addition would count the
    /// references.
    private final class Gathering {
        // Safety: an addition calls nothing that could look at it.
        @exclusivity(unchecked) var changes: EntityChanges

        init(of entity: EntityDescription) {
            changes = EntityChanges(entity: entity)
        }
    }

    /// - Parameters:
    ///   - attachesRows: Whether the changes contain the rows.
    ///   - namesOwners: Whether to name objects with changed references from other rows, though the
    ///     context has no changes of the objects.
    init(entityCount: Int, attachesRows: Bool, namesOwners: Bool) {
        self.attachesRows = attachesRows
        self.namesOwners = namesOwners
        byEntity = Array(repeating: nil, count: entityCount)
    }

    mutating func insert(_ object: ManagedObject) {
        let row = EntityChanges.InsertedRow(
            key: object.key, placed: attachesRows ? object.placed : nil)
        gathering(of: object).use { $0.changes.inserted.append(row) }
    }

    mutating func update(_ object: ManagedObject) {
        let slots = object.extras.map { uncounted($0).use(\.changedSlots) } ?? SlotSet()
        // If only links changed, the row was not written, and another context may have written a
        // newer one.
        let row = EntityChanges.UpdatedRow(
            key: object.key, slots: slots, links: changedLinks(of: object),
            placed: attachesRows && !slots.isEmpty ? object.placed : nil)
        gathering(of: object).use { $0.changes.updated.append(row) }
        if namesOwners, !slots.isEmpty, let context = object.state.context {
            nameOwners(
                of: object.entityDescription, from: object.extras?.snapshot?.record,
                to: object.record, in: context, slots: slots)
        }
    }

    /// Notes a row that the save wrote although the context has no changes of it.
    mutating func update(_ entity: EntityDescription, _ placed: PlacedRecord, _ slots: SlotSet) {
        let row = EntityChanges.UpdatedRow(
            key: placed.record.key, slots: slots, links: [], placed: attachesRows ? placed : nil)
        gathering(of: entity).use { $0.changes.updated.append(row) }
    }

    /// Notes that the save deleted a row. The context may have no object for it.
    mutating func delete(_ entity: EntityDescription, _ key: Int64) {
        gathering(of: entity).use { $0.changes.deleted.append(key) }
    }

    /// Notes a row with changed derived values that the save did not write.
    mutating func refresh(_ key: Int64, _ entity: EntityDescription, _ slots: SlotSet) {
        let row = EntityChanges.UpdatedRow(key: key, slots: slots, links: [], placed: nil)
        gathering(of: entity).use { $0.changes.refreshed.append(row) }
    }

    mutating func delete(_ object: ManagedObject) {
        gathering(of: object).use { $0.changes.deleted.append(object.key) }
        if namesOwners, let context = object.state.context {
            let former = object.extras?.snapshot?.record ?? object.record
            nameOwners(of: object.entityDescription, from: former, to: nil, in: context)
        }
    }

    /// Names the former and the present targets of a row's references, if they differ.
    ///
    /// - Parameters:
    ///   - former: The row before; nil if there was none.
    ///   - now: The row now; nil if there is none.
    ///   - slots: The slots that were set; nil if any may have been.
    mutating func nameOwners(
        of entity: EntityDescription, from former: Record?, to now: Record?,
        in context: ManagedObjectContext, slots: SlotSet? = nil
    ) {
        guard namesOwners else { return }
        for relationship in entity.relationships {
            guard let slot = relationship.slot, let inverse = relationship.inverse,
                slots?.contains(slot) ?? true
            else { continue }
            func key(_ record: Record?) -> Int64? {
                record.flatMap { $0.hasValue(slot) ? $0.integer(slot) : nil }
            }
            if key(former) == key(now) { continue }
            for record in [former, now] {
                guard let record, let key = key(record) else { continue }
                noteOwner(key, of: relationship, inverse, in: record, context)
            }
        }
    }

    private mutating func noteOwner(
        _ key: Int64, of relationship: RelationshipDescription, _ inverse: Int, in record: Record,
        _ context: ManagedObjectContext
    ) {
        let model = context.coordinator.model
        let owner = model.entities[model.destination(of: relationship, in: record)]
        owners[owner.index, default: [:]][key, default: []]
            .insert(owner.relationships[inverse].relationship.name)
        _ = gathering(of: owner)
    }

    @inline(__always)
    private mutating func gathering(of object: ManagedObject) -> Unmanaged<Gathering> {
        // Safety: the object's state holds the coordinator, and this holds the descriptions.
        uncounted(object.entityDescription).use { gathering(of: $0) }
    }

    @inline(__always)
    private mutating func gathering(of entity: EntityDescription) -> Unmanaged<Gathering> {
        // Safety: the list keeps it, for as long as the collector exists.
        if let known = byEntity[entity.index] { return uncounted(known) }
        let new = Gathering(of: entity)
        byEntity[entity.index] = new
        return uncounted(new)
    }

    private func changedLinks(of object: ManagedObject) -> [String] {
        guard let extras = object.extras.map({ uncounted($0) }), extras.use({ !$0.links.isEmpty })
        else { return [] }
        let links = extras.use(\.links)
        return links.filter { $0.value.hasChanges }
            .map { object.entityDescription.relationships[$0.key].relationship.name }
    }

    /// All changes, in the order of the entities.
    var entities: [EntityChanges] {
        byEntity.compactMap { gathering in
            guard var changes = gathering?.changes else { return nil }
            var owners = owners[changes.entity.index] ?? [:]
            if owners.isEmpty { return changes }
            for key in changes.deleted + changes.inserted.map(\.key) { owners[key] = nil }
            for (index, row) in changes.updated.enumerated() {
                guard let names = owners.removeValue(forKey: row.key) else { continue }
                changes.updated[index].links = names.union(row.links).ordered(by: <)
            }
            for (key, names) in Array(owners).sorted(byKey: { $0.key }) {
                changes.updated.append(
                    .init(key: key, slots: SlotSet(), links: names.ordered(by: <), placed: nil))
            }
            return changes
        }
    }
}
