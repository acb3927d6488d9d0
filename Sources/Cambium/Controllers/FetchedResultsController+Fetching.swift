// What a controller fetches.
extension FetchedResultsController {
    /// What the request finds now.
    func fetchEntries(_ scope: ResultScope, _ order: ObjectOrder) throws -> [ResultEntry<Entity>] {
        let context = managedObjectContext
        // Unsaved changes and limits are settled with the objects at hand.
        let needsObjects =
            scope.batchSize == 0 || scope.request.limit != nil || scope.request.offset > 0
            || context.hasPendingChanges(in: scope.request.entity)
        if needsObjects {
            let objects = try context.fetchObjects(scope.request, true).cast(to: Entity.self)
            return try entries(of: objects, scope, order)
        }
        var entries: [ResultEntry<Entity>] = []
        let keys = try fetchKeys(scope)
        entries.reserveCapacity(keys.count)
        for start in stride(from: 0, to: keys.count, by: Self.keysPerStep) {
            let step = Array(keys[start..<min(start + Self.keysPerStep, keys.count)])
            let objects = try context.fetchRows(
                RowRequest(entity: scope.request.entity, selection: .keys(step)))
            entries += try self.entries(of: objects.cast(to: Entity.self), scope, order)
            context.sweepIfGrown()
        }
        return entries
    }

    private static var keysPerStep: Int { 2000 }

    private func fetchKeys(_ scope: ResultScope) throws -> [Int64] {
        var request = scope.request
        request.sort = []
        request.readsKeysOnly = true
        var keys: [Int64] = []
        try managedObjectContext.store(of: request.entity).fetch(request) { row in
            if scope.family.contains(row.entity) { keys.append(row.key) }
        }
        return keys
    }

    private func entries(
        of objects: [Entity], _ scope: ResultScope, _ order: ObjectOrder
    ) throws -> [ResultEntry<Entity>] {
        for path in scope.related.paths {
            try managedObjectContext.fireFaults(of: objects, along: path)
        }
        let keepsObjects = scope.batchSize == 0
        if keepsObjects {
            try managedObjectContext.prefetch(
                scope.options.prefetched, of: objects, scope.request.entity)
        }
        return objects.map { object in
            ResultEntry(
                key: object.key, keepsObjects ? object : nil, keys: order.keys(of: object),
                seen: SeenState(of: object))
        }
    }
}
