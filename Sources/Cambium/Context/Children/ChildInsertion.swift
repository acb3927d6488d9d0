import CambiumRecords

/// New objects of a child on their way into its parent, whose parts are used.
struct ChildInsertion: ContextAccess {
    let context: ManagedObjectContext

    /// Takes a new object of a child in, with its attributes. It awoke in the child.
    func insert(_ source: ManagedObject) -> ManagedObject? {
        guard let values = source.record else { return nil }
        let entity = source.entityDescription
        let placed = state.draftWriter.copy(values, entity.shape, room: 128)
        // Links are made by their setters.
        for relationship in entity.relationships {
            if let slot = relationship.slot { placed.record.setNull(slot) }
            if let slot = relationship.entitySlot { placed.record.setNull(slot) }
        }
        let object: ManagedObject
        if let fault = registry[RowIdentity(source)] {
            // Somebody has asked for the object before, by its identity.
            fault.row.becomeNew(placed)
            changes.inserted.append(fault)
            context.noteForEvent(fault)
            object = fault
        } else {
            object = entity.objectClass.init(
                ObjectRegistration(
                    state: state, entity: entity, key: source.key, placed: placed,
                    lifecycle: .inserted))
            context.addInserted(object)
        }
        if let defaults = source.extras?.dynamicDefaults, !defaults.isEmpty {
            object.ownExtras.dynamicDefaults = defaults
        }
        return object
    }

    /// The object of a child's new one that this context has all the same: the child has taken a
    /// deletion back that it had saved.
    func revived(_ source: ManagedObject) -> ManagedObject? {
        guard let known = registry[RowIdentity(source)],
            known.record != nil
        else { return nil }
        if known.lifecycle == .deleted {
            revival.takeBackDeletion(of: known)
            deferredMerges.catchUp()
            known.ownLinks.relinkToOnes()
            changes.revivedInEvent.append(known)
            context.noteForEvent(known)
        }
        return known.isThere ? known : nil
    }
}
