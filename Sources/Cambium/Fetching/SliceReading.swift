import CambiumRecords

/// Reads the objects of a request for a module that processes each object. It reads the keys first,
/// and then the objects in slices, so that only few are in memory.
package struct SliceReading: ContextAccess {
    /// An object's entity and key.
    package typealias Key = LinkSet.Member

    let context: ManagedObjectContext

    package init(context: ManagedObjectContext) {
        self.context = context
    }

    /// The model of the context's stores.
    package var model: ModelDescription { coordinator.model }

    /// Returns the request to the store for a fetch request. Changes of other contexts are merged
    /// first.
    package func rows<Entity>(of request: FetchRequest<Entity>) throws -> RowRequest {
        context.mergeIfAutomatic()
        context.processChanges()
        return try fetching.rowRequest(for: request)
    }

    /// Returns the keys of the objects that a request finds, in its order.
    ///
    /// - Parameter rows: The request to the store.
    package func keys<Entity>(
        of request: FetchRequest<Entity>, _ rows: RowRequest
    ) throws -> [Key] {
        let includesPendingChanges = request.options(for: rows.entity).includesPendingChanges
        if includesPendingChanges, fetching.countsPendingChanges {
            return try fetching.objects(rows, true).map {
                Key(key: $0.key, entity: $0.entityDescription.index)
            }
        }
        var keys: [Key] = []
        var rows = rows
        rows.readsKeysOnly = true
        rows.interruption = .ofTask
        do {
            try reads.store(of: rows.entity).fetch(rows) {
                keys.append(Key(key: $0.key, entity: $0.entity))
            }
        } catch  where rows.interruption?.isRequested == true {
            throw CancellationError()
        }
        return keys
    }

    /// Returns the objects with these keys, with their values. Objects that were deleted meanwhile
    /// are omitted.
    package func objects(_ keys: ArraySlice<Key>) throws -> [ManagedObject] {
        context.sweepIfGrown()
        var objects = keys.map { registry.object(entity: $0.entity, key: $0.key) }
        try faulting.load(objects.filter { $0.isFault && $0.lifecycle == .clean })
        objects.removeAll { !$0.exists || $0.isFault }
        return objects
    }

    /// Reads the objects of relationships, with one statement for each relationship.
    ///
    /// - Parameter paths: The names of relationships, joined by dots.
    package func prefetch(
        _ paths: [String], of objects: [ManagedObject], _ entity: EntityDescription
    ) throws {
        try prefetching.prefetch(paths, of: objects, entity)
    }

    /// Returns the permissions of the store file that has the rows of an entity, or nil if the
    /// store has no file.
    package func permissions(ofStoreOf entity: EntityDescription) -> StorePermissions? {
        let store = coordinator.persistentStores.first { $0.roots.contains(entity.rootIndex) }
        return store?.location.path.flatMap(StorePermissions.init(ofFile:))
    }

    /// Returns the value of an object's attribute.
    package static func value(
        _ attribute: Attribute, inSlot slot: Int, of object: ManagedObject
    ) -> Value {
        object.properties.value(ofSlot: slot, attribute, in: object.readable)
    }

    /// Returns the objects that a relationship of an object references, in its order.
    package static func destinations(
        of relationship: RelationshipDescription, from object: ManagedObject
    ) -> [ManagedObject] {
        relationship.isToMany
            ? object.links(relationship.ordinal).members.compactMap { object.object(for: $0) }
            : object.destination(of: relationship).map { [$0] } ?? []
    }
}
