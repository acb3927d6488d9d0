import CambiumRecords

/// The objects of which it is said that relationships changed that are kept elsewhere. Other values
/// need not be said: they are seen, also where they are reported later, or never.
struct ChangedObjects {
    private var objects: Set<ObjectIdentifier> = []
    /// The keys of rows that the context had no objects for.
    private var rows: Set<Int64> = []

    /// - Parameter family: The numbers of the entities that are asked for, all of one hierarchy.
    init(_ changes: ObjectChanges, of family: Set<Int> = []) {
        for update in changes.updated where update.changesLinks {
            objects.insert(ObjectIdentifier(update.object))
        }
        for row in changes.unregistered where family.contains(row.entity) {
            // Nothing of its own was set.
            if row.slots?.isEmpty == true { rows.insert(row.key) }
        }
    }

    /// Whether an object that is among the results is reported as changed.
    ///
    /// - Parameter seen: How it looked the last time; now as it looks.
    func concerns(_ object: ManagedObject, _ seen: inout SeenState) -> Bool {
        let hasOtherValues = seen.look(at: object)
        return hasOtherValues || objects.contains(ObjectIdentifier(object))
            || rows.contains(object.key)
    }
}

extension ObjectChanges {
    /// The changed objects of some entities, with those of rows that the context registers for it.
    func objects(registeredIn context: ManagedObjectContext, of family: Set<Int>) -> [ManagedObject]
    {
        deleted + inserted + updated.map(\.object)
            + unregistered.filter { family.contains($0.entity) }.map {
                context.faulting.registerFresh(entity: $0.entity, key: $0.key, placed: $0.placed)
            }
    }

    /// The keys of the objects of some entities that may have other values of these properties, or
    /// are gone. New rows are not among them: who leads to them has changed too.
    func keys(
        thatChanged properties: Set<String>, of family: Set<Int>, in model: ModelDescription
    ) -> Set<Int64> {
        func touches(_ slots: SlotSet?, _ entity: EntityDescription) -> Bool {
            guard let slots else { return true }
            return slots.slots.contains { properties.contains(entity.layout.slots[$0].property) }
        }
        var keys: Set<Int64> = []
        for update in updated where family.contains(update.object.entityDescription.index) {
            if touches(update.slots, update.object.entityDescription) {
                keys.insert(update.object.key)
            }
        }
        // A new object of this context may have been reported before.
        for object in inserted + deleted
        where object.lifecycle != .clean && family.contains(object.entityDescription.index) {
            keys.insert(object.key)
        }
        for row in unregistered where row.slots != nil && family.contains(row.entity) {
            if touches(row.slots, model.entities[row.entity]) { keys.insert(row.key) }
        }
        return keys
    }
}
