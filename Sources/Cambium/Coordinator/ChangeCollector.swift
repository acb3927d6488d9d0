/// Gathers what a save changed, by entity.
struct ChangeCollector {
    let attachesRows: Bool
    private var byEntity: [Int: EntityChanges] = [:]

    init(attachesRows: Bool) {
        self.attachesRows = attachesRows
    }

    mutating func insert(_ object: ManagedObject) {
        let row = EntityChanges.InsertedRow(
            key: object.key, placed: attachesRows ? object.placed : nil)
        byEntity[object.entityDescription.index, default: Self.start(object)].inserted.append(row)
    }

    mutating func update(_ object: ManagedObject) {
        let links = object.extras?.links.filter { $0.value.hasChanges }.keys.sorted() ?? []
        let row = EntityChanges.UpdatedRow(
            key: object.key, slots: object.extras?.changedSlots ?? SlotSet(),
            links: links.map { object.entityDescription.relationships[$0].relationship.name },
            placed: attachesRows ? object.placed : nil)
        byEntity[object.entityDescription.index, default: Self.start(object)].updated.append(row)
    }

    mutating func delete(_ object: ManagedObject) {
        byEntity[object.entityDescription.index, default: Self.start(object)].deleted
            .append(object.key)
    }

    private static func start(_ object: ManagedObject) -> EntityChanges {
        EntityChanges(entity: object.entityDescription)
    }

    /// All changes, in the order of the entities.
    var entities: [EntityChanges] {
        byEntity.sorted { $0.key < $1.key }.map(\.value)
    }
}
