import CambiumRecords

/// A request for the identities of objects instead of the objects: ``FetchRequest/ids``.
public struct IDRequest<Entity: ManagedObject>: Sendable {
    /// Which objects.
    public var base: FetchRequest<Entity>
}

/// A request for the number of objects instead of the objects: ``FetchRequest/count``.
public struct CountRequest<Entity: ManagedObject>: Sendable {
    /// Which objects.
    public var base: FetchRequest<Entity>
}

extension FetchRequest {
    /// The request for identities. They can be sent to another isolation, and looked up there.
    ///
    /// ```swift
    /// let ids = try context.fetch(Product.fetchRequest().filter(Product.stock == 0).ids)
    /// ```
    public var ids: IDRequest<Entity> { IDRequest(base: self) }

    /// The request for the number of objects.
    public var count: CountRequest<Entity> { CountRequest(base: self) }
}

extension ManagedObjectContext {
    /// Counts objects, as ``count(for:)`` does.
    ///
    /// - Throws: ``StoreError`` where the request cannot be run; what the store threw.
    public func fetch<Entity: ManagedObject>(_ request: CountRequest<Entity>) throws -> Int {
        try count(for: request.base)
    }

    /// Finds the identities of objects, in the request's order.
    ///
    /// The rows are read too and go into the coordinator's row cache, where they replace older
    /// ones: a fault that is looked at afterwards needs no statement, and shows what the store has.
    /// Without ``FetchRequest/includesPropertyValues`` only keys are read, and the row cache lets
    /// go of rows that are not what they were. Objects that the context has keep their values.
    ///
    /// - Throws: ``StoreError`` where the request cannot be run; what the store threw.
    public func fetch<Entity: ManagedObject>(_ request: IDRequest<Entity>) throws -> [ObjectID] {
        mergeIfAutomatic()
        processChanges()
        let rows = try rowRequest(for: request.base)
        let options = request.base.options(for: rows.entity)
        if options.includesPendingChanges, hasPendingChanges(in: rows.entity) {
            return try fetchObjects(rows, true).map(\.objectID)
        }
        let entities = coordinator.model.entities
        let store = coordinator.storeIdentifier(ofRoot: rows.entity.rootIndex)
        return try fetchMembers(rows, fillsRowCache: options.includesPropertyValues).map {
            ObjectID(entities[$0.entity], key: $0.key, store: store)
        }
    }

    /// Finds the keys of rows, and brings the row cache up to date with them.
    ///
    /// - Parameter fillsRowCache: Whether whole rows are read, and go in.
    func fetchMembers(
        _ request: RowRequest, fillsRowCache: Bool
    ) throws -> MemberList {
        let cache = coordinator.rowCache
        let commit = cache.commit
        let entities = coordinator.model.entities
        let root = request.entity.rootIndex
        let cached = usesRowCache ? cache.rows(root: root) : RowCache.Rows()
        let writer = RecordWriter()
        var request = request
        request.readsKeysOnly = !(fillsRowCache && usesRowCache)
        var members = MemberList()
        var read: [RowCache.Row] = []
        var outdated: [RowIdentity] = []
        try store(of: request.entity).fetch(request) { row in
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
        if !read.isEmpty { cache.insert(read, readAt: commit) }
        if !outdated.isEmpty { cache.remove(outdated) }
        return members
    }
}
