// Which objects a change lets in, out or elsewhere.
extension FetchedResultsController {
    func edit(
        for changes: ObjectChanges, _ scope: ResultScope
    ) throws -> ResultList<Entity>.Edit {
        let changed = ChangedObjects(changes)
        var seen: Set<ObjectIdentifier> = []
        let candidates =
            (try changes.objects(adoptedBy: managedObjectContext, of: scope.family)
            + objectsLooking(at: changes, scope))
            .filter { object in
                scope.family.contains(object.entityDescription.index)
                    && seen.insert(ObjectIdentifier(object)).inserted
            }
            .compactMap { $0 as? Entity }
        // One statement for all rows instead of one for each.
        try managedObjectContext.load(
            candidates.filter {
                $0.record == nil && ($0.lifecycle == .clean || $0.lifecycle == .updated)
            })
        for path in scope.related.paths {
            try managedObjectContext.fireFaults(of: candidates.filter(\.isThere), along: path)
        }
        var edit = ResultList<Entity>.Edit()
        var leaving: Set<ObjectIdentifier> = []
        func remove(_ entry: ResultEntry<Entity>) {
            if leaving.insert(ObjectIdentifier(entry)).inserted { edit.removed.append(entry) }
        }
        for object in candidates {
            let known = entry(of: object)
            guard scope.includes(object) else {
                if let known { remove(known) }
                continue
            }
            let keys = list.order.keys(of: object)
            if let known {
                edit.compare(known, with: keys, change: changed[object])
            } else {
                // The row has a new object where another context deleted and inserted it again.
                if let replaced = list.entries[object.key] { remove(replaced) }
                edit.inserted.append(ResultEntry(object, keys: keys))
            }
        }
        return edit
    }

    /// The objects whose condition or place turns on what changed in others.
    private func objectsLooking(
        at changes: ObjectChanges, _ scope: ResultScope
    ) throws -> [ManagedObject] {
        let model = managedObjectContext.coordinator.model
        let lookup = ReverseLookup(context: managedObjectContext)
        return try scope.related.paths.flatMap { path -> [ManagedObject] in
            guard let destination = scope.related.destinations[path],
                let properties = scope.related.properties[path]
            else { return [] }
            let keys = changes.keys(
                thatChanged: properties, of: Set(model.families[destination.index]), in: model)
            return try lookup.objects(
                of: scope.request.entity, leadingTo: keys, along: path[...])
        }
    }
}

extension ResultList.Edit {
    /// Judges an entry whose object belongs to the results, before and now.
    mutating func compare(
        _ known: ResultEntry<Entity>, with keys: [Value], change: ChangedObjects.Change
    ) {
        let hasOtherValues = known.look()
        let counts = change == .links || (change == .values && hasOtherValues)
        if !known.keys.hasSamePlace(as: keys) {
            rekeyed.append(Rekeyed(entry: known, keys: keys, isChanged: counts))
        } else if counts {
            touched.append(known)
        }
    }
}
