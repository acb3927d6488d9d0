import CambiumRecords

extension ManagedObjectContext {
    /// Inserts a new object of an entity: for generic code. Typed code uses the generated
    /// initializers.
    ///
    /// - Throws: ``StoreError`` with `unknownName` for an entity that the model does not have, or
    ///   that is abstract.
    public func insertObject(ofEntity name: String) throws -> ManagedObject {
        guard let description = coordinator.model[name], !description.isAbstract else {
            throw StoreError.noConcreteEntity(name, in: coordinator.model.model)
        }
        let object = description.objectClass.init(registration(inserting: description))
        didInsert(object)
        return object
    }

    func registration(inserting type: ManagedObject.Type) -> ObjectRegistration {
        if let insertionCache, insertionCache.type == ObjectIdentifier(type) {
            return insertionCache.entity._withUnsafeGuaranteedRef { registration(inserting: $0) }
        }
        guard let description = coordinator.model[type.entityName] else {
            preconditionFailure(
                "\(type) belongs to no entity of the model \(coordinator.model.model.name); "
                    + "open the container with the model that the class was generated from.")
        }
        insertionCache = (ObjectIdentifier(type), Unmanaged.passUnretained(description))
        return registration(inserting: description)
    }

    private func registration(inserting description: EntityDescription) -> ObjectRegistration {
        let key = takeKey(root: description.rootIndex)
        let placed: PlacedRecord
        do {
            placed = try description.makeRecord(by: draftWriter, at: Date())
        } catch {
            // An initializer cannot throw. No save succeeds while the object is there.
            failedKeys[RowIdentity(root: description.rootIndex, key: key)] = error
            placed = draftWriter.copy(
                description.template.record, description.shape, room: 128)
        }
        placed.record.key = key
        return ObjectRegistration(
            state: state, entity: description, key: key, placed: placed, lifecycle: .inserted)
    }

    func didInsert(_ object: ManagedObject) {
        addInserted(object)
        object.awakeFromInsert()
    }

    func addInserted(_ object: ManagedObject) {
        // Safety: the state holds the coordinator, which holds the descriptions; the context keeps
        // its maps.
        uncounted(object.entityDescription).use { entity in
            uncounted(objects[entity.rootIndex]).use { $0.map.insert(object, for: object.key) }
            registeredCount += 1
            insertionCount &+= 1
            inserted.append(object)
            if entity.remembersDefaults { object.rememberDefaults() }
        }
        noted.append(object)
        scheduleProcessing()
    }

    private func takeKey(root: Int) -> Int64 {
        if !keyRanges[root].isEmpty { return keyRanges[root].removeFirst() }
        do {
            return try freeKey(root: root)
        } catch {
            // An initializer cannot throw; the save that this object makes impossible does.
            let key = failedKey()
            failedKeys[RowIdentity(root: root, key: key)] = error
            return key
        }
    }

    /// The next free key, from a block that is reserved for this context and its children. Blocks
    /// grow with use.
    private func freeKey(root: Int) throws -> Int64 {
        if keyRanges[root].isEmpty {
            if let parent { return try parent.freeKey(root: root) }
            let size = min(4096, max(32, keyBlockSizes[root, default: 16] * 2))
            keyBlockSizes[root] = size
            keyRanges[root] = try coordinator.store(ofRoot: root)
                .reserveKeys(root: root, count: size)
        }
        return keyRanges[root].removeFirst()
    }

    /// A key that no row has.
    private func failedKey() -> Int64 {
        if let parent { return parent.failedKey() }
        defer { nextFailedKey -= 1 }
        return nextFailedKey
    }
}
