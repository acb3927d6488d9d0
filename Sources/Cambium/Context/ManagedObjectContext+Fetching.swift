import CambiumRecords

extension ManagedObjectContext {
    /// Finds objects.
    ///
    /// Unsaved changes of this context count: a new or changed object is found when it meets the
    /// condition now, a deleted one is not (see ``FetchRequest/includesPendingChanges``). An object
    /// that the context has already keeps its values.
    ///
    /// - Throws: ``StoreError`` where the request cannot be run; what the store threw.
    public func fetch<Entity: ManagedObject>(_ request: FetchRequest<Entity>) throws -> [Entity] {
        mergeIfAutomatic()
        // Before there are more: those that are found now are not looked at in vain.
        sweepIfGrown()
        processChanges()
        let rows = try rowRequest(for: request)
        let options = request.options(for: rows.entity)
        let found = try fetchObjects(rows, options)
        if !options.prefetched.isEmpty {
            try prefetch(options.prefetched, of: found, rows.entity)
        }
        return found.cast(to: Entity.self)
    }

    /// The first object that ``fetch(_:)`` would find, or nil where there is none. No more is read.
    ///
    /// ```swift
    /// let cheapest = try context.fetchFirst(Product.fetchRequest().sorted(by: Product.price))
    /// ```
    ///
    /// - Throws: ``StoreError`` where the request cannot be run; what the store threw.
    public func fetchFirst<Entity: ManagedObject>(
        _ request: FetchRequest<Entity>
    ) throws -> Entity? {
        try fetch(request.limitedToFirst).first
    }

    /// Counts what ``fetch(_:)`` would find, without making objects where that can be avoided.
    public func count<Entity: ManagedObject>(for request: FetchRequest<Entity>) throws -> Int {
        mergeIfAutomatic()
        processChanges()
        let rows = try rowRequest(for: request)
        let includesPendingChanges = request.options(for: rows.entity).includesPendingChanges
        guard includesPendingChanges, hasPendingChanges(in: rows.entity) else {
            let count = max(0, try store(of: rows.entity).count(rows) - rows.offset)
            return rows.limit.map { min($0, count) } ?? count
        }
        return try fetchObjects(rows, true).count
    }

    func rowRequest<Entity: ManagedObject>(
        for request: FetchRequest<Entity>
    ) throws -> RowRequest {
        let name = request.entityName
        guard let description = coordinator.model[name] else {
            let model = coordinator.model.model
            throw StoreError.unknownEntity(name, in: model)
        }
        guard (request.limit ?? 0) >= 0, request.offset >= 0 else {
            throw StoreError(
                code: .invalidRequest,
                message: "The request for \(name) has a negative limit or offset.",
                remedy: "Set both to zero or more, or the limit to nil.")
        }
        try requireOwn(request.objects, for: name)
        let (condition, arguments) = try request.resolved(for: description)
        let options = request.options(for: description)
        let isAsked = request.affectedStores.map { stores in
            let own = coordinator.storeIdentifier(ofRoot: description.rootIndex)
            return stores.contains { $0.store.identifier == own }
        }
        return RowRequest(
            entity: description,
            selection: .matching(isAsked == false ? .or([]) : condition, arguments),
            includesSubentities: options.includesSubentities,
            sort: try request.sortTerms(for: description),
            limit: options.limit, offset: options.offset)
    }

    /// The key of an object of another container may well be that of another object here.
    func requireOwn(_ objects: [ObjectID], for entityName: String) throws {
        guard let foreign = objects.first(where: { !coordinator.hasStore($0.store) }) else {
            return
        }
        throw StoreError(
            code: .foreignObject,
            message: "The request for \(entityName) names \(foreign), which is in no store of "
                + "this context.",
            remedy: "Name objects of this context's stores only.")
    }

    /// Whether unsaved changes can make a difference to a fetch of the entity. Conditions may look
    /// at related objects, so any change counts.
    func hasPendingChanges(in entity: EntityDescription) -> Bool {
        !inserted.isEmpty || !updated.isEmpty || !deleted.isEmpty || !missed.isEmpty
    }

    /// The objects that a request finds, with their values unless it asks for faults.
    private func fetchObjects(
        _ request: RowRequest, _ options: RequestOptions
    ) throws -> [ManagedObject] {
        let includesPendingChanges = options.includesPendingChanges
        guard options.returnsObjectsAsFaults || !options.includesPropertyValues,
            !(includesPendingChanges && hasPendingChanges(in: request.entity))
        else { return try fetchObjects(request, includesPendingChanges) }
        return try fetchMembers(request, fillsRowCache: options.includesPropertyValues).map {
            object(entity: $0.entity, key: $0.key)
        }
    }

    func fetchObjects(
        _ request: RowRequest, _ includesPendingChanges: Bool
    ) throws -> [ManagedObject] {
        guard includesPendingChanges, hasPendingChanges(in: request.entity) else {
            return try fetchRows(request)
        }
        return try overlay(request)
    }

    /// The objects of rows, in the request's order.
    func fetchRows(_ request: RowRequest) throws -> [ManagedObject] {
        let request = request.leavingOrderFree
        let store = store(of: request.entity)
        return try objects(of: request, readAt: coordinator.rowCache.commit) { receive in
            try store.fetch(request, receive)
        }
    }

    /// The objects of rows that somebody delivers, in the request's order.
    ///
    /// - Parameter commit: What the row cache knew before they were read.
    func objects(
        of request: RowRequest, readAt commit: Int64,
        deliver: ((StoreRow) throws -> Void) throws -> Void
    ) throws -> [ManagedObject] {
        let own = request.entity
        let map = objects[own.rootIndex]
        let entities = coordinator.model.entities
        let writer = rowWriter
        var found: [ManagedObject] = []
        var isInKeyOrder = true
        var lastKey = Int64.min
        // Those that the row cache has as well are brought up to date there.
        let cached =
            usesRowCache
            ? coordinator.rowCache.rows(root: own.rootIndex) : RowCache.Rows()
        var reread: [RowCache.Row] = []
        var completed: [(object: ManagedObject, row: PlacedRecord)] = []
        try deliver { row in
            let object: ManagedObject
            if let known = map.map[row.key] {
                object = known
                if object.record == nil {
                    let placed = try row.record(in: writer)
                    object.record = placed.record
                    object.page = placed.page
                    object.flags.insert(.isFresh)
                } else if object.flags.contains(.isUnread) {
                    completed.append((object, try row.record(in: writer)))
                }
            } else {
                let placed = try row.record(in: writer)
                if row.entity == own.index {
                    object = register(own, key: row.key, placed: consume placed, in: map)
                } else {
                    object = register(
                        entities[row.entity], key: row.key, placed: consume placed, in: map)
                }
                object.flags = .isFresh
            }
            if !cached.isEmpty, let old = cached[row.key] {
                let isNew = object.flags.contains(.isFresh)
                if let placed = isNew
                    ? object.placed
                    : old.placed.record.version == row.version
                        ? nil : try row.record(in: writer)
                {
                    reread.append(RowCache.Row(entity: entities[row.entity], placed: placed))
                }
            }
            isInKeyOrder = isInKeyOrder && row.key >= lastKey
            lastKey = row.key
            found.append(consume object)
        }
        if !reread.isEmpty {
            coordinator.rowCache.insert(reread, readAt: commit, replacesOnly: true)
        }
        for (object, row) in completed {
            complete(object, with: row)
            object.flags.insert(.isFresh)
        }
        if request.isUnordered, !isInKeyOrder { found.sort { $0.key < $1.key } }
        // Afterwards: a hook may fetch, and the store is busy meanwhile.
        withoutTracking {
            found.forEachUncounted { object in
                guard object.flags.contains(.isFresh) else { return }
                object.flags.remove(.isFresh)
                object.awakeFromFetch()
            }
        }
        return found
    }

    /// What the fetch would find if all were saved: membership by current values, then order, then
    /// window.
    private func overlay(_ request: RowRequest) throws -> [ManagedObject] {
        guard case .matching(let condition, let arguments) = request.selection else {
            return try fetchRows(request)
        }
        let family =
            request.includesSubentities
            ? Set(coordinator.model.families[request.entity.index]) : [request.entity.index]
        // A condition or an order over related objects may turn on any unsaved change.
        let looksAtOthers =
            !RelatedPaths(condition, sort: request.sort, of: request.entity, in: coordinator.model)
            .isEmpty
        var candidates: [ManagedObject]
        if looksAtOthers {
            candidates = try fetchRows(
                RowRequest(
                    entity: request.entity, selection: .matching(nil, [:]),
                    includesSubentities: request.includesSubentities))
        } else {
            candidates = try fetchRows(
                RowRequest(
                    entity: request.entity, selection: request.selection,
                    includesSubentities: request.includesSubentities)
            ).filter { $0.lifecycle == .clean }
            candidates += updated.filter {
                $0.lifecycle == .updated && family.contains($0.entityDescription.index)
            }
        }
        let kept = keptWithoutRow(in: family)
        if !kept.isEmpty { candidates = candidates.filter { !kept.contains($0) } + kept }
        // The row of a fault may be gone, though a relationship led there and was changed here.
        try load(candidates.filter(\.needsRow))
        // One that an undo has brought back may have a row again, which others inserted.
        candidates.removeAll { !$0.isThere || $0.lifecycle == .inserted }
        candidates += inserted.filter {
            $0.lifecycle == .inserted && family.contains($0.entityDescription.index)
        }
        if let condition {
            let test = try CompiledCondition(
                condition, of: request.entity, in: coordinator.model, parameters: arguments)
            candidates = try candidates.filter { object in
                try (!looksAtOthers && object.lifecycle == .clean && !kept.contains(object))
                    || test.isTrue(object, in: self)
            }
        }
        let sorted = try ObjectOrder(request.sort, of: request.entity).sorted(candidates)
        let window = sorted.dropFirst(request.offset)
        return Array(request.limit.map { window.prefix($0) } ?? window)
    }
}
