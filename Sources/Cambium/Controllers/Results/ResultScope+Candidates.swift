// Which objects a change concerns.
extension ResultScope {
    /// The objects of the family that may come in, go out or move: those that changed, and those
    /// that look at what changed in others. Their rows are read, one statement for all.
    func candidates(
        for changes: ObjectChanges, in context: ManagedObjectContext
    ) throws -> [ManagedObject] {
        let named =
            try changes.objects(adoptedBy: context, of: family)
            + objectsLooking(at: changes, context)
        var seen: Set<ObjectIdentifier> = []
        seen.reserveCapacity(named.count)
        let candidates = named.filter { object in
            family.contains(object.entityDescription.index)
                && seen.insert(ObjectIdentifier(object)).inserted
        }
        try context.faulting.load(
            candidates.filter {
                $0.record == nil && ($0.lifecycle == .clean || $0.lifecycle == .updated)
            })
        for path in related.paths {
            try context.faulting.load(candidates.filter(\.isThere), along: path)
        }
        return candidates
    }

    /// The objects whose condition or place turns on what changed in others.
    private func objectsLooking(
        at changes: ObjectChanges, _ context: ManagedObjectContext
    ) throws -> [ManagedObject] {
        let model = context.coordinator.model
        let lookup = ReverseLookup(context: context)
        return try related.paths.flatMap { path -> [ManagedObject] in
            guard let destination = related.destinations[path],
                let properties = related.properties[path]
            else { return [] }
            let keys = changes.keys(
                thatChanged: properties, of: Set(model.families[destination.index]), in: model)
            return try lookup.objects(of: request.entity, leadingTo: keys, along: path[...])
        }
    }
}
