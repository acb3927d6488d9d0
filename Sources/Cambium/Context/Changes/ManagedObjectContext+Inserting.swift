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
        registry.withEntity(of: type) { registration(inserting: $0) }
    }

    private func registration(inserting description: EntityDescription) -> ObjectRegistration {
        let key = keys.next(root: description.rootIndex)
        let placed: PlacedRecord
        do {
            placed = try description.makeRecord(by: state.draftWriter, at: Date())
        } catch {
            // An initializer cannot throw. No save succeeds while the object is there.
            keys.fail(RowIdentity(root: description.rootIndex, key: key), error)
            placed = state.draftWriter.copy(
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
        // its parts.
        uncounted(object.entityDescription).use { entity in
            uncounted(registry).use { $0.insert(object, in: entity) }
            if entity.remembersDefaults { object.row.rememberDefaults() }
        }
        uncounted(changes).use { $0.insert(object) }
        activity.scheduleEndOfEvent()
    }
}
