// What a controller fetches.
extension ResultScope {
    /// What the request finds now.
    func fetchEntries(
        _ order: ObjectOrder, in context: ManagedObjectContext
    ) throws -> [ResultEntry] {
        // Unsaved changes and limits are settled with the objects at hand.
        let needsObjects =
            batchSize == 0 || request.limit != nil || request.offset > 0
            || context.fetching.countsPendingChanges
        if needsObjects {
            return try entries(of: context.fetching.objects(request, true), order, in: context)
        }
        var entries: [ResultEntry] = []
        let keys = try fetchKeys(in: context)
        entries.reserveCapacity(keys.count)
        for start in stride(from: 0, to: keys.count, by: Self.keysPerStep) {
            let step = Array(keys[start..<min(start + Self.keysPerStep, keys.count)])
            let objects = try context.fetching.rows(
                RowRequest(entity: request.entity, selection: .keys(step)))
            entries += try self.entries(of: objects, order, in: context)
            context.sweepIfGrown()
        }
        return entries
    }

    private static let keysPerStep = 2000

    private func fetchKeys(in context: ManagedObjectContext) throws -> [Int64] {
        var request = request
        request.sort = []
        request.readsKeysOnly = true
        var keys: [Int64] = []
        try context.reads.store(of: request.entity).fetch(request) { row in
            if family.contains(row.entity) { keys.append(row.key) }
        }
        return keys
    }

    private func entries(
        of objects: [ManagedObject], _ order: ObjectOrder, in context: ManagedObjectContext
    ) throws -> [ResultEntry] {
        for path in related.paths { try context.faulting.load(objects, along: path) }
        let keepsObjects = batchSize == 0
        if keepsObjects {
            try context.prefetching.prefetch(options.prefetched, of: objects, request.entity)
        }
        return try objects.map { object in
            ResultEntry(
                key: object.key, object: keepsObjects ? object : nil,
                keys: try order.keys(of: object), seen: SeenState(of: object))
        }
    }
}
