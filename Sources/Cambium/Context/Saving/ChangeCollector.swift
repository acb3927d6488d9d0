import CambiumRecords

/// Gathers what a save changed, by entity.
struct ChangeCollector {
    private let attachesRows: Bool
    private let namesOwners: Bool
    /// Those to whom other rows lead than before: by entity and key, the names of the relationships.
    private var owners: [Int: [Int64: Set<String>]] = [:]
    /// By the number of the entity; nil for those without changes.
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
    ///   - attachesRows: Whether the rows come along.
    ///   - namesOwners: Whether objects are named to which other rows lead than before, though the
    ///     context has no changes of them.
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
        // Where only links changed the row was not written, and others may have a newer one.
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

    /// Notes a row that the context has no changes of and that the save wrote all the same.
    mutating func update(_ entity: EntityDescription, _ placed: PlacedRecord, _ slots: SlotSet) {
        let row = EntityChanges.UpdatedRow(
            key: placed.record.key, slots: slots, links: [], placed: attachesRows ? placed : nil)
        gathering(of: entity).use { $0.changes.updated.append(row) }
    }

    /// Notes that the save deleted a row, for which the context may have no object.
    mutating func delete(_ entity: EntityDescription, _ key: Int64) {
        gathering(of: entity).use { $0.changes.deleted.append(key) }
    }

    /// Notes a row that the save did not write and whose derived values changed.
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

    /// Names those to whom a row has led or leads, where the two are not the same.
    ///
    /// - Parameters:
    ///   - former: The row before; nil where there was none.
    ///   - now: The row now; nil where there is none.
    ///   - slots: What was set; nil where anything may have been.
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
        // Safety: the object's state holds the coordinator, which holds the descriptions.
        uncounted(object.entityDescription).use { gathering(of: $0) }
    }

    @inline(__always)
    private mutating func gathering(of entity: EntityDescription) -> Unmanaged<Gathering> {
        // Safety: the list keeps it, for as long as the collector is there.
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
                changes.updated[index].links = names.union(row.links).sorted()
            }
            for (key, names) in owners.sorted(by: { $0.key < $1.key }) {
                changes.updated.append(
                    .init(key: key, slots: SlotSet(), links: names.sorted(), placed: nil))
            }
            return changes
        }
    }
}
