import CambiumRecords

/// Fetches objects: it reads rows and applies unsaved changes to them.
struct Fetching: ContextAccess {
    let context: ManagedObjectContext

    func rowRequest<Entity: ManagedObject>(for request: FetchRequest<Entity>) throws -> RowRequest {
        let name = request.entityName
        guard let description = coordinator.model[name] else {
            let model = coordinator.model.model
            throw StoreError.unknownEntity(name, in: model)
        }
        guard (request.limit ?? 0) >= 0, request.offset >= 0 else {
            throw StoreError.invalidRequest(
                "The request for \(name) has a negative limit or offset.",
                remedy: "Set both to zero or more, or the limit to nil.")
        }
        try requireOwn(request.objects, for: name)
        var (condition, arguments) = try request.resolved(for: description)
        var sort = try request.sortTerms(for: description)
        if let dates = coordinator.datePrecision {
            condition = condition.map(dates.rounded)
            arguments = arguments.mapValues(dates.rounded)
            sort = sort.map { $0.keeping(dates) }
        }
        let options = request.options(for: description)
        let isAsked = request.affectedStores.map { stores in
            let own = coordinator.storeIdentifier(ofRoot: description.rootIndex)
            return stores.contains { $0.store.identifier == own }
        }
        var rows = RowRequest(
            entity: description,
            selection: .matching(isAsked == false ? .or([]) : condition, arguments),
            includesSubentities: options.includesSubentities,
            sort: sort,
            limit: options.limit, offset: options.offset)
        rows.allowsInMemoryFiltering = request.allowsInMemoryFiltering
        return rows
    }

    /// Checks that the objects belong to this container. The key of an object of another container
    /// may equal the key of a different object here.
    func requireOwn(_ objects: [ObjectID], for entityName: String) throws {
        guard let misplaced = objects.first(where: { !coordinator.hasStore($0.store) }) else {
            return
        }
        throw StoreError(
            code: .objectOfAnotherContext,
            message: "The request for \(entityName) names \(misplaced), which is in no store of "
                + "this context.",
            remedy: "Name objects of this context's stores only.")
    }

    /// Whether unsaved changes can affect a fetch. Conditions may read related objects, so any
    /// change counts.
    var countsPendingChanges: Bool {
        !changes.inserted.isEmpty || !changes.updated.isEmpty || !changes.deleted.isEmpty
            || !merges.deferred.isEmpty
    }

    /// Returns the objects that a request finds, and prefetches relationships, in the same round
    /// trip if the store can.
    ///
    /// - Parameters:
    ///   - paths: The names of relationships, joined by dots.
    ///   - find: Finds the objects for the request that it receives.
    func objects(
        _ request: RowRequest, prefetching paths: [String],
        _ find: (RowRequest) throws -> [ManagedObject]
    ) throws -> [ManagedObject] {
        if paths.isEmpty { return try find(request) }
        var request = request
        request.prefetched = try prefetching.relationships(along: paths, of: request.entity)
        return try reads.withReadAhead {
            let found = try find(request)
            try prefetching.prefetch(request.prefetched, of: found)
            return found
        }
    }

    /// Returns the objects that a request finds, with their values or as faults (see the options).
    func objects(_ request: RowRequest, _ options: RequestOptions) throws -> [ManagedObject] {
        let includesPendingChanges = options.includesPendingChanges
        guard options.returnsObjectsAsFaults || !options.includesPropertyValues,
            !(includesPendingChanges && countsPendingChanges)
        else { return try objects(request, includesPendingChanges) }
        return try members(of: request, fillsRowCache: options.includesPropertyValues).map {
            registry.object(entity: $0.entity, key: $0.key)
        }
    }

    func objects(_ request: RowRequest, _ includesPendingChanges: Bool) throws -> [ManagedObject] {
        guard includesPendingChanges, countsPendingChanges else { return try rows(request) }
        return try overlay(request)
    }

    /// Returns the objects of rows, in the request's order.
    func rows(_ request: RowRequest) throws -> [ManagedObject] {
        let request = request.leavingOrderFree
        let store = reads.store(of: request.entity)
        return try objects(of: request, readAt: coordinator.rowCache.commit) { receive in
            reads.use(try store.fetchAhead(request, receive), readWith: request.entity)
        }
    }

    /// Returns the objects of delivered rows, in the request's order.
    ///
    /// - Parameter commit: The row cache's commit before the rows were read.
    func objects(
        of request: RowRequest, readAt commit: Int64,
        deliver: ((StoreRow) throws -> Void) throws -> Void
    ) throws -> [ManagedObject] {
        let own = request.entity
        let map = registry.roots[own.rootIndex]
        let entities = coordinator.model.entities
        let writer = reads.rowWriter
        let registry = registry
        var found: [ManagedObject] = []
        var isInKeyOrder = true
        var lastKey = Int64.min
        // Rows that the row cache also has are updated there.
        let cached =
            reads.usesRowCache
            ? coordinator.rowCache.rows(root: own.rootIndex) : RowCache.Rows()
        var reread: [RowCache.Row] = []
        var completed: [(object: ManagedObject, row: PlacedRecord)] = []
        try deliver { row in
            let object: ManagedObject
            if let known = map.map[row.key] {
                object = known
                if object.record == nil {
                    let placed = try row.record(in: writer)
                    object.placed = placed
                    object.flags.insert(.isFresh)
                } else if object.flags.contains(.isUnread) {
                    completed.append((object, try row.record(in: writer)))
                }
            } else {
                let placed = try row.record(in: writer)
                if row.entity == own.index {
                    object = registry.register(own, key: row.key, placed: consume placed, in: map)
                } else {
                    object = registry.register(
                        entities[row.entity], key: row.key, placed: consume placed, in: map)
                }
                object.flags = .isFresh
            }
            if !cached.isEmpty, let old = cached[row.key] {
                let isNew = object.flags.contains(.isFresh)
                if let placed = isNew
                    ? object.placed
                    : old.placed.record.version == row.version ? nil : try row.record(in: writer)
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
            faulting.complete(object, with: row)
            object.flags.insert(.isFresh)
        }
        if request.isUnordered, !isInKeyOrder { found.sort { $0.key < $1.key } }
        // This runs last: a hook may fetch, and the store is busy until then.
        activity.withoutTracking {
            found.forEachUncounted { object in
                guard object.flags.contains(.isFresh) else { return }
                object.flags.remove(.isFresh)
                object.awakeFromFetch()
            }
        }
        return found
    }

    /// Returns the existing objects of a hierarchy with these keys, in the order of their keys,
    /// with their values.
    func presentObjects(_ keys: [Int64], root: Int) throws -> [ManagedObject] {
        let map = registry.roots[root]
        let unread = keys.filter { key in
            map.map[key].map { $0.needsRow && $0.canBeRestored } ?? true
        }
        if !unread.isEmpty {
            // A fetch, not the firing of faults: the rows tell the entities of the objects.
            _ = try rows(
                RowRequest(
                    entity: coordinator.model.entities[root],
                    selection: unread.count == 1 ? .key(unread[0]) : .keys(unread)))
        }
        return Set(keys).sorted().compactMap { map.map[$0] }.filter { $0.exists }
    }

    /// Returns the objects that the fetch would find if all changes were saved. It tests the
    /// current values first, then sorts, then applies limit and offset.
    private func overlay(_ request: RowRequest) throws -> [ManagedObject] {
        guard case .matching(let condition, let arguments) = request.selection else {
            return try rows(request)
        }
        let family =
            request.includesSubentities
            ? Set(coordinator.model.families[request.entity.index]) : [request.entity.index]
        // If a condition or an order reads related objects, any unsaved change can affect the
        // result.
        let readsRelated =
            !RelatedPaths(condition, sort: request.sort, of: request.entity, in: coordinator.model)
            .isEmpty
        var candidates: [ManagedObject]
        if readsRelated {
            candidates = try rows(
                RowRequest(
                    entity: request.entity, selection: .matching(nil, [:]),
                    includesSubentities: request.includesSubentities))
        } else {
            var saved = RowRequest(
                entity: request.entity, selection: request.selection,
                includesSubentities: request.includesSubentities)
            saved.allowsInMemoryFiltering = request.allowsInMemoryFiltering
            // With a limit or an offset, prefetching here would read more than is needed.
            if request.limit == nil, request.offset == 0 { saved.prefetched = request.prefetched }
            candidates = try rows(saved).filter { $0.lifecycle == .clean }
            candidates += changes.updated.filter {
                $0.lifecycle == .updated && family.contains($0.entityDescription.index)
            }
        }
        let kept = deferredMerges.keptWithoutRow(in: family)
        if !kept.isEmpty { candidates = candidates.filter { !kept.contains($0) } + kept }
        // The row of a fault may have been deleted, even if a changed relationship references it.
        try faulting.load(candidates.filter { $0.needsRow })
        // An object that an undo has restored may have a row again, inserted by another context.
        candidates.removeAll { !$0.exists || $0.lifecycle == .inserted }
        candidates += changes.inserted.filter {
            $0.lifecycle == .inserted && family.contains($0.entityDescription.index)
        }
        if let condition {
            let test = try CompiledCondition(
                condition, of: request.entity, in: coordinator.model, parameters: arguments)
            candidates = try candidates.filter { object in
                try (!readsRelated && object.lifecycle == .clean && !kept.contains(object))
                    || test.isTrue(object, in: context)
            }
        }
        let sorted = try ObjectOrder(request.sort, of: request.entity).sorted(candidates)
        let window = sorted.dropFirst(request.offset)
        return Array(request.limit.map { window.prefix($0) } ?? window)
    }

    /// Returns the objects that a fetched property of an object finds.
    func objects(of property: FetchedProperty, of source: ManagedObject) throws -> [ManagedObject] {
        let model = coordinator.model
        guard let destination = model[property.destination] else {
            throw StoreError.unknownEntity(property.destination, in: model.model)
        }
        context.mergeIfAutomatic()
        context.processChanges()
        var condition = try property.condition?.binding(
            source: ObjectSubject(source), entity: source.entityDescription.entity,
            model: model.model)
        if let dates = coordinator.datePrecision { condition = condition.map(dates.rounded) }
        let options = property.options
        let request = RowRequest(
            entity: destination, selection: .matching(condition, [:]),
            includesSubentities: options.includesSubentities,
            sort: property.sort.map { element in
                SortTerm(
                    path: model.model.path(element.property, of: destination.entity),
                    isDescending: element.isDescending)
            },
            limit: options.limit, offset: options.offset)
        return try objects(request, prefetching: options.prefetched) {
            try objects($0, options.includesPendingChanges)
        }
    }

    /// Finds the keys of rows, and updates the row cache.
    ///
    /// - Parameter fillsRowCache: Whether complete rows are read and added to the cache.
    func members(of request: RowRequest, fillsRowCache: Bool) throws -> MemberList {
        let cache = coordinator.rowCache
        let commit = cache.commit
        let entities = coordinator.model.entities
        let root = request.entity.rootIndex
        let cached = reads.usesRowCache ? cache.rows(root: root) : RowCache.Rows()
        let writer = RecordWriter()
        var request = request
        request.readsKeysOnly = !(fillsRowCache && reads.usesRowCache)
        var members = MemberList()
        var read: [RowCache.Row] = []
        var outdated: [RowIdentity] = []
        let store = reads.store(of: request.entity)
        let ahead = try store.fetchAhead(request) { row in
            members.append(LinkSet.Member(key: row.key, entity: row.entity))
            if !request.readsKeysOnly {
                let placed = try row.record(in: writer)
                read.append(RowCache.Row(entity: entities[row.entity], placed: placed))
                if read.count == 512 {
                    cache.insert(read, readAt: commit)
                    read.removeAll(keepingCapacity: true)
                }
            } else if !cached.isEmpty, let known = cached[row.key],
                known.placed.record.version != row.version
            {
                outdated.append(RowIdentity(root: root, key: row.key))
            }
        }
        reads.use(ahead, readWith: request.entity)
        if !read.isEmpty { cache.insert(read, readAt: commit) }
        if !outdated.isEmpty { cache.remove(outdated) }
        return members
    }

    /// Returns the store for reading on another thread, or nil if unsaved changes of the context
    /// affect the result.
    func sharedStore(for request: RowRequest, _ options: RequestOptions) -> (any SharedStore)? {
        if options.includesPendingChanges, fetching.countsPendingChanges { return nil }
        return reads.store(of: request.entity) as? any SharedStore
    }
}

extension ObjectOrder {
    /// Returns the sort values of an object, without its key.
    ///
    /// - Throws: Here and below, the error of a pattern's evaluation.
    func keys(of object: ManagedObject) throws -> [Value] {
        try readers.map { reader in
            switch reader {
            case .slot(let slot, let type): object.properties.plainValue(atSlot: slot, as: type)
            case .path(let path): object.properties.value(atPath: path)
            case .computed(let evaluator): try evaluator.evaluate(ObjectSubject(object))
            }
        }
    }

    func sorted(_ objects: [ManagedObject]) throws -> [ManagedObject] {
        try indices(of: objects.map { ($0.key, try keys(of: $0)) }).map { objects[$0] }
    }
}

extension Array {
    /// Returns the elements in arrays of at most `size` elements: a statement takes a limited
    /// number of keys.
    func pieces(of size: Int) -> some Sequence<[Element]> {
        stride(from: 0, to: count, by: size).lazy.map { start in
            Array(self[start..<Swift.min(start + size, count)])
        }
    }
}

// Fetched properties.
extension ManagedObject {
    /// Returns the objects of a fetched property, by its number. They are fetched at the first call
    /// and kept until the object is refreshed. If the fetch fails, the result is empty and the
    /// context records the error. If reading failed, every save fails. After any other error, the
    /// next save fails.
    @_spi(Generated)
    public final func fetched<Destination: ManagedObject>(_ number: Int) -> [Destination] {
        fetchedObjects(number).cast(to: Destination.self)
    }

    /// Returns the objects of a fetched property, by its name; for generic code.
    ///
    /// - Throws: ``StoreError`` if the entity has no fetched property of that name.
    public final func fetchedObjects(forKey name: String) throws -> [ManagedObject] {
        let known = entityDescription.fetchedProperties.map { $0.name }
        guard let number = known.firstIndex(of: name) else {
            throw StoreError.unknownName(
                "The entity \(entityDescription.name) has no fetched property \(name).", name,
                among: known)
        }
        return fetchedObjects(number)
    }

    final func fetchedObjects(_ number: Int) -> [ManagedObject] {
        if let known = extras?.fetched[number] { return known.compactMap(object) }
        guard let context = state.context, lifecycle != .invalid, lifecycle != .discarded else {
            return []
        }
        var found: [ManagedObject] = []
        do {
            found = try context.fetching.objects(
                of: entityDescription.fetchedProperties[number], of: self)
        } catch  where error.isMistake {
            context.errors.record(error)
        } catch {
            context.faulting.noteFailedRead(.fetched(RowIdentity(self), number), of: self, error)
            return []
        }
        ownExtras.fetched[number] = found.map {
            LinkSet.Member(key: $0.key, entity: $0.entityDescription.index)
        }
        return found
    }
}

extension Error {
    /// Whether the error is a mistake in the program or the model. A second try of the same read
    /// has the same error.
    fileprivate var isMistake: Bool {
        switch (self as? StoreError)?.code {
        case .unknownName, .invalidRequest, .objectOfAnotherContext: true
        case nil: self is ExpressionDiagnostics
        default: false
        }
    }
}
