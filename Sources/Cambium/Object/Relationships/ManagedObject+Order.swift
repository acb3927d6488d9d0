import CambiumRecords

// The order of ordered to-manys.
extension ManagedObject {
    /// The objects that an ordered to-many relationship leads to.
    @_spi(Generated)
    public final func orderedToMany<Destination: ManagedObject>(
        _ ordinal: Int
    ) -> OrderedToMany<Destination> {
        OrderedToMany(owner: standIn, ordinal: ordinal)
    }

    /// Puts objects before the one that stands at an index now, or at the end.
    final func place(_ objects: [ManagedObject], at index: Int, in ordinal: Int) {
        let before = linksToChange(ordinal)
        let members = before.members
        precondition(
            index >= 0 && index <= members.count, "There is no place \(index) in the list.")
        let successor = members[index...].map(\.key)
        var seen: Set<Int64> = []
        let wanted = objects.filter { seen.insert($0.key).inserted }
        for object in wanted where !before.contains(object.key) { link(ordinal, to: object) }
        // An object that could not be linked is not there.
        let after = links(ordinal)
        let keys = wanted.map(\.key).filter(after.contains)
        guard !keys.isEmpty else { return }
        place(keys, before: successor, in: ordinal)
    }

    /// Moves members before the one that stands at an index now, or at the end.
    final func place(_ keys: [Int64], before index: Int, in ordinal: Int) {
        let members = linksToChange(ordinal).members
        precondition(
            index >= 0 && index <= members.count, "There is no place \(index) in the list.")
        place(keys, before: members[index...].map(\.key), in: ordinal)
    }

    /// Moves members before the first of the others, or at the end where these are none.
    private final func place(_ keys: [Int64], before others: [Int64], in ordinal: Int) {
        let moved = Set(keys)
        let order = links(ordinal).members.map(\.key)
        let following = others.filter { !moved.contains($0) }
        let behind = Set(following)
        let leading = order.filter { !moved.contains($0) && !behind.contains($0) }
        let arranged = leading + keys + following
        guard arranged != order else { return }
        if following.isEmpty {
            moveToEnd(keys, ordinal)
        } else {
            arrange(moved, in: arranged, ordinal)
        }
    }

    /// Puts members at the end.
    final func moveToEnd(_ keys: [Int64], _ ordinal: Int) {
        changeLinks(ordinal) { $0.moveToEnd(keys) }
    }

    /// Gives members places, so that the list looks like this.
    final func arrange(_ keys: Set<Int64>, in arrangement: [Int64], _ ordinal: Int) {
        changeLinks(ordinal) { $0.place(keys, in: arrangement) }
    }

    private final func changeLinks(_ ordinal: Int, _ body: (inout LinkSet) -> Void) {
        guard lifecycle != .gone, lifecycle != .discarded else { return }
        willChangeLinks()
        keepEventLinks(entityDescription.relationships[ordinal])
        if entityDescription.relationships[ordinal].isTransient {
            var links = transientLinks(of: entityDescription.relationships[ordinal])
            body(&links)
            ownExtras.transientLinks[ordinal] = links
        } else if var links = ownExtras.links[ordinal] {
            // Taken out meanwhile, so that it is changed in place.
            ownExtras.links[ordinal] = nil
            body(&links)
            ownExtras.links[ordinal] = links
        }
        if notesReads { tellOfChange(of: .links(ordinal)) }
    }

    final func loadFaults(among objects: [ManagedObject]) {
        let faults = objects.filter { $0.isFault && $0.lifecycle == .clean }
        // What cannot be read stays a fault, and says so when it is used.
        if faults.count > 1 { try? state.context?.load(faults) }
    }

    /// What stands for an object that cannot be had, with placeholder values.
    final func ghost<Destination: ManagedObject>(of ordinal: Int) -> Destination {
        let relationship = entityDescription.relationships[ordinal]
        return .ghost(
            of: state.coordinator.model.entities[relationship.destination], in: state)
    }

    /// An object without a row, with placeholder values: it reads as deleted.
    static func ghost(of entity: EntityDescription, in state: ContextState) -> Self {
        let ghost = Self(
            ObjectRegistration(
                state: state, entity: entity, key: .min, placed: entity.template,
                lifecycle: .gone))
        ghost.ownExtras.vanished = true
        return ghost
    }
}
