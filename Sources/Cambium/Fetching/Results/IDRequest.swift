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
        let rows = try fetching.rowRequest(for: request.base)
        let options = request.base.options(for: rows.entity)
        if options.includesPendingChanges, fetching.countsPendingChanges {
            return try fetching.objects(rows, true).map(\.objectID)
        }
        let entities = coordinator.model.entities
        let store = coordinator.storeIdentifier(ofRoot: rows.entity.rootIndex)
        return try fetching.members(
            of: rows, fillsRowCache: options.includesPropertyValues
        ).map {
            ObjectID(entities[$0.entity], key: $0.key, store: store)
        }
    }
}
