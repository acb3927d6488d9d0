/// What is said to have changed, object by object.
struct ChangedObjects {
    enum Change {
        /// Nothing that was said. Values that were not seen may be told of later, or never.
        case nothing
        /// Values, unless they were seen already.
        case values
        /// Relationships that are kept elsewhere.
        case links
    }

    private var changes: [ObjectIdentifier: Change] = [:]
    /// By the key: what is said of rows that the context had no objects for.
    private var rows: [Int64: Change] = [:]
    /// What holds for objects that are not named.
    private let others: Change

    /// - Parameters:
    ///   - isComplete: Whether all changes are named.
    ///   - family: The numbers of the entities that are asked for, all of one hierarchy.
    init(_ changes: ObjectChanges, isComplete: Bool = true, of family: Set<Int> = []) {
        others = isComplete ? .nothing : .values
        rows.reserveCapacity(changes.unregistered.count)
        self.changes.reserveCapacity(changes.inserted.count + changes.updated.count)
        for row in changes.unregistered where family.contains(row.entity) {
            rows[row.key] = row.slots?.isEmpty == true ? .links : .values
        }
        for object in changes.inserted { self.changes[ObjectIdentifier(object)] = .values }
        for update in changes.updated {
            let id = ObjectIdentifier(update.object)
            if update.changesLinks {
                self.changes[id] = .links
            } else if self.changes[id] == nil {
                self.changes[id] = .values
            }
        }
    }

    subscript(object: ManagedObject) -> Change {
        changes[ObjectIdentifier(object)] ?? rows[object.key] ?? others
    }
}

extension ChangedObjects.Change {
    /// Whether an object that is among the results is to be told as changed.
    ///
    /// - Parameter seen: How it looked the last time; now as it looks.
    func tells(_ object: ManagedObject, _ seen: inout SeenState) -> Bool {
        let hasOtherValues = seen.look(at: object)
        return switch self {
        case .links: true
        case .nothing, .values: hasOtherValues
        }
    }
}

extension ObjectChanges {
    /// The changed objects of some entities, with those of rows that the context takes in for it.
    func objects(adoptedBy context: ManagedObjectContext, of family: Set<Int>) -> [ManagedObject] {
        deleted + inserted + updated.map(\.object)
            + unregistered.filter { family.contains($0.entity) }.map {
                context.adopt(entity: $0.entity, key: $0.key, placed: $0.placed)
            }
    }

    /// The keys of the objects of some entities that may have other values of these properties, or
    /// are gone. New rows are not among them: who leads to them has changed too.
    func keys(
        thatChanged properties: Set<String>, of family: Set<Int>, in model: RuntimeModel
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
        // A new object of this context may have been told of before.
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
