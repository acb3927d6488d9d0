import CambiumRecords

// Access by name, for generic code.
extension ManagedObject {
    /// The value of an attribute.
    ///
    /// - Throws: ``StoreError`` with `unknownName` where the entity has no such attribute.
    public final func value(forKey name: String) throws -> Value {
        guard let slot = entityDescription.layout.slot(of: name),
            let attribute = entityDescription.attributes[slot]
        else { throw properties.unknownKey(name) }
        if notesReads { noteRead(of: slot) }
        return properties.value(ofSlot: slot, attribute, in: readable)
    }

    /// Sets an attribute.
    ///
    /// - Throws: ``StoreError`` with `unknownName` where the entity has no such attribute, with
    ///   `invalidRequest` where the value is of another type or does not fit.
    public final func setValue(_ value: Value, forKey name: String) throws {
        guard let slot = entityDescription.layout.slot(of: name),
            let attribute = entityDescription.attributes[slot]
        else { throw properties.unknownKey(name) }
        guard attribute.derivation == nil else { throw entityDescription.isDerived(name) }
        guard let stored = entityDescription.model.stored(value, of: attribute) else {
            throw entityDescription.misfit(attribute, name)
        }
        switch stored {
        case .null: writeNull(slot)
        case .integer(let value): writeInteger(slot, value)
        case .real(let value): writeReal(slot, value)
        case .text(let value): value.write(to: self, slot)
        case .blob(let value): value.write(to: self, slot)
        }
        extras?.unfitSlots.remove(slot)
    }

    /// The object that a to-one relationship leads to.
    ///
    /// - Throws: ``StoreError`` with `unknownName` where the entity has no such relationship.
    public final func relatedObject(forKey name: String) throws -> ManagedObject? {
        guard let relationship = entityDescription.relationship(named: name),
            !relationship.isToMany
        else { throw properties.unknownKey(name) }
        return destination(of: relationship)
    }

    /// Leads a to-one relationship to an object, or nowhere.
    ///
    /// - Throws: ``StoreError`` with `unknownName` where the entity has no such relationship.
    public final func setRelatedObject(_ object: ManagedObject?, forKey name: String) throws {
        guard let relationship = entityDescription.relationship(named: name),
            !relationship.isToMany
        else { throw properties.unknownKey(name) }
        setDestination(of: relationship, to: object)
    }

    /// The objects that an ordered to-many relationship leads to.
    ///
    /// - Throws: ``StoreError`` with `unknownName` where the entity has no such relationship, or it
    ///   keeps no order.
    public final func orderedRelatedObjects(
        forKey name: String
    ) throws -> OrderedToMany<ManagedObject> {
        guard let relationship = entityDescription.relationship(named: name),
            relationship.isOrdered
        else { throw properties.unknownKey(name) }
        return OrderedToMany(owner: self, ordinal: relationship.ordinal)
    }

    /// The objects that a to-many relationship leads to; those of an ordered one come in their
    /// order.
    ///
    /// - Throws: ``StoreError`` with `unknownName` where the entity has no such relationship.
    public final func relatedObjects(forKey name: String) throws -> ToMany<ManagedObject> {
        guard let relationship = entityDescription.relationship(named: name),
            relationship.isToMany
        else { throw properties.unknownKey(name) }
        return ToMany(owner: self, ordinal: relationship.ordinal)
    }
}
