import CambiumRecords

extension ManagedObjectContext {
    /// The object of a row, where the context has it. Never reads from the store.
    public func registeredObject(for id: ObjectID) -> ManagedObject? {
        guard let root = root(of: id) else { return nil }
        return registry.registered(root: root, key: id.key)
    }

    /// The entity of an identity in this context's store; nil where it is of another.
    private func entity(of id: ObjectID) -> EntityDescription? {
        // Safety: the context keeps its coordinator, which keeps its model.
        uncounted(coordinator).use { coordinator in
            uncounted(coordinator.model).use { model in
                guard let entity = model.isOwn(id.entity) ? id.entity : model[id.entityName],
                    id.store == coordinator.storeIdentifier(ofRoot: entity.rootIndex)
                else { return nil }
                return entity
            }
        }
    }

    /// The number of that entity's root.
    private func root(of id: ObjectID) -> Int? {
        guard coordinator.model.isOwn(id.entity) else { return entity(of: id)?.rootIndex }
        let root = id.entity.rootIndex
        return id.store == coordinator.storeIdentifier(ofRoot: root) ? root : nil
    }

    /// The object of a row; a fault where the context does not have it yet. Never reads from the
    /// store, so the row may not exist: the object's first value tells. For certainty use
    /// ``existingObject(with:)``.
    ///
    /// An id of another store returns an invalid object.
    public func object(with id: ObjectID) -> ManagedObject {
        guard let entity = entity(of: id) else {
            let model = coordinator.model
            // Descriptions live as long as their own container, so it must be one of this model's.
            let entity = model[id.entityName] ?? model.entities.first ?? id.entity
            return entity.objectClass.invalidObject(of: entity, in: state)
        }
        return registry.object(of: entity, key: id.key)
    }

    /// The object of a row that is there, with its values read.
    ///
    /// - Throws: ``StoreError`` with `missingRow` where there is no such row; what the store threw.
    public func existingObject(with id: ObjectID) throws -> ManagedObject {
        mergeIfAutomatic()
        let object = self.object(with: id)
        if !object.needsRow, object.lifecycle != .invalid, object.lifecycle != .discarded {
            return object
        }
        if object.flags.contains(.isUnread) { try faulting.load([object]) }
        if object.lifecycle != .invalid, object.isFault { try faulting.load(object) }
        if object.isFault, replacements.followParent(object) {
            return try existingObject(with: object.objectID)
        }
        guard object.lifecycle != .invalid, object.lifecycle != .discarded, !object.isFault,
            !object.flags.contains(.isUnread)
        else {
            throw StoreError(
                code: .missingRow, message: "The store has no row of \(id).",
                remedy: "Fetch the objects that exist; this one was deleted.")
        }
        return object
    }

    /// The object of a row that is there, with its values read, as its class.
    ///
    /// ```swift
    /// let product = try context.existingObject(with: id, as: Product.self)
    /// ```
    ///
    /// - Throws: ``StoreError`` with `missingRow` where there is no such row, with `invalidRequest`
    ///   where the object is of another class; what the store threw.
    public func existingObject<Entity: ManagedObject>(
        with id: ObjectID, as type: Entity.Type
    ) throws -> Entity {
        let object = try existingObject(with: id)
        guard let typed = object as? Entity else {
            throw StoreError.invalidRequest(
                "\(id) is an object of \(Swift.type(of: object)), not of \(type).",
                remedy: "Look it up as \(Swift.type(of: object)).")
        }
        return typed
    }

    /// Reads the values of those objects that are faults, with one statement for each hierarchy, and
    /// says at once what keeps them from being read. (A getter never throws: it shows a placeholder,
    /// and the next save throws.) Objects that have their values are left as they are.
    ///
    /// ```swift
    /// try context.loadValues(of: [order, order.customer])
    /// ```
    ///
    /// - Throws: ``StoreError`` with `missingRow` where the row of one was deleted, with `foreignObject`
    ///   where one belongs to another context; what the store threw.
    public func loadValues(of objects: some Sequence<ManagedObject>) throws {
        let objects = Array(objects)
        try faulting.load(
            objects.filter { $0.state === state && $0.lifecycle == .clean && $0.isFault })
        for object in objects {
            guard object.state === state else {
                throw StoreError.otherContext(of: object)
            }
            _ = try existingObject(with: object.objectID)
        }
    }

    /// All objects that the context knows.
    public var registeredObjects: Set<ManagedObject> {
        var all: Set<ManagedObject> = []
        registry.forEach { all.insert($0) }
        return all
    }

    /// Forgets an object, which is of no row any more.
    func forget(_ object: ManagedObject) {
        guard registry.remove(object), !merges.reinsertedRows.isEmpty else { return }
        merges.reinsertedRows[RowIdentity(object)] = nil
    }

    /// Does nothing but look for mistakes: an object's key is final from the moment of insertion.
    /// There for ported code.
    ///
    /// - Throws: ``StoreError`` with `foreignObject` for objects of other contexts.
    public func obtainPermanentIDs(for objects: [ManagedObject]) throws {
        guard let foreign = objects.first(where: { $0.state !== state }) else { return }
        throw StoreError.otherContext(of: foreign)
    }

    /// Drops clean objects that nobody holds, when many have come since the last time.
    func sweepIfGrown() {
        if !retainsRegisteredObjects { registry.sweepIfGrown() }
    }
}
