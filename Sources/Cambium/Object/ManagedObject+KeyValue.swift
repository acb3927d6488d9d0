import CambiumRecords

// Access by name, for generic code.
extension ManagedObject {
    /// The value of an attribute.
    ///
    /// - Throws: ``StoreError`` with `unknownName` where the entity has no such attribute.
    public final func value(forKey name: String) throws -> Value {
        let (slot, attribute) = try properties.attribute(named: name)
        if notesReads { noteRead(of: slot) }
        return properties.value(ofSlot: slot, attribute, in: readable)
    }

    /// Sets an attribute.
    ///
    /// - Throws: ``StoreError`` with `unknownName` where the entity has no such attribute, with
    ///   `invalidRequest` where the value is of another type or does not fit.
    public final func setValue(_ value: Value, forKey name: String) throws {
        let (slot, attribute) = try properties.attribute(named: name)
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

    /// The object that a to-one relationship references.
    ///
    /// - Throws: ``StoreError`` with `unknownName` where the entity has no such relationship.
    public final func relatedObject(forKey name: String) throws -> ManagedObject? {
        let relationship = try properties.relationship(named: name) { !$0.isToMany }
        return destination(of: relationship)
    }

    /// Sets the object that a to-one relationship references; nil clears it.
    ///
    /// - Throws: ``StoreError`` with `unknownName` where the entity has no such relationship.
    public final func setRelatedObject(_ object: ManagedObject?, forKey name: String) throws {
        let relationship = try properties.relationship(named: name) { !$0.isToMany }
        setDestination(of: relationship, to: object)
    }

    /// The objects that an ordered to-many relationship references.
    ///
    /// - Throws: ``StoreError`` with `unknownName` where the entity has no such relationship, or it
    ///   keeps no order.
    public final func orderedRelatedObjects(
        forKey name: String
    ) throws -> OrderedToMany<ManagedObject> {
        let relationship = try properties.relationship(named: name) { $0.isOrdered }
        return OrderedToMany(owner: self, ordinal: relationship.ordinal)
    }

    /// The objects that a to-many relationship references; those of an ordered one come in their
    /// order.
    ///
    /// - Throws: ``StoreError`` with `unknownName` where the entity has no such relationship.
    public final func relatedObjects(forKey name: String) throws -> ToMany<ManagedObject> {
        let relationship = try properties.relationship(named: name) { $0.isToMany }
        return ToMany(owner: self, ordinal: relationship.ordinal)
    }
}

// Values beneath the accessors, and what custom accessors bracket them with.
extension ManagedObject {
    /// The value of an attribute as it is in memory: no fault is fired, observers are not notified.
    /// The value of a fault is null.
    ///
    /// - Throws: ``StoreError`` with `unknownName` where the entity has no such attribute.
    public final func primitiveValue(forKey name: String) throws -> Value {
        if orReplacement !== self { return try orReplacement.primitiveValue(forKey: name) }
        let (slot, attribute) = try properties.attribute(named: name)
        guard let record else { return .null }
        return properties.value(ofSlot: slot, attribute, in: record)
    }

    /// Sets an attribute without noting a change: the object's flags and the context's sets stay as
    /// they are, ``changedValues()`` does not show it, observers are not notified, and nothing can
    /// be undone. The value is written when the object is saved with other changes, or is new. A
    /// fault reads its row first.
    ///
    /// The way to set a value in ``willSave()`` without another round:
    ///
    /// ```swift
    /// override func willSave() {
    ///     try? setPrimitiveValue(.date(Date()), forKey: "modified")
    /// }
    /// ```
    ///
    /// - Throws: ``StoreError`` with `unknownName` where the entity has no such attribute, with
    ///   `invalidRequest` where the value is of another type, does not fit, or is derived.
    public final func setPrimitiveValue(_ value: Value, forKey name: String) throws {
        if orReplacement !== self {
            return try orReplacement.setPrimitiveValue(value, forKey: name)
        }
        guard let context = state.context else { return }
        // A noted object would note the slot without asking the context.
        let noted = flags.intersection(.isNoted)
        flags.subtract(noted)
        defer { flags.formUnion(noted) }
        try context.activity.withoutTracking { try setValue(value, forKey: name) }
    }

    // MARK: Custom accessors

    /// Reads the row of a fault. A custom getter calls it before ``primitiveValue(forKey:)``.
    public final func willAccessValue(forKey name: String?) {
        _ = readable
    }

    /// The counterpart of ``willAccessValue(forKey:)``. It does nothing, and is there for symmetry.
    public final func didAccessValue(forKey name: String?) {}

    /// Notes a change of a property that ``setPrimitiveValue(_:forKey:)`` is about to make. A
    /// custom setter calls it first. A name that the model does not have is ignored.
    ///
    /// ```swift
    /// willChangeValue(forKey: "title")
    /// try setPrimitiveValue(.string(title), forKey: "title")
    /// didChangeValue(forKey: "title")
    /// ```
    public final func willChangeValue(forKey name: String) {
        if let slot = entityDescription.layout.slot(of: name) {
            _ = prepareChange(slot)
        } else if entityDescription.relationship(named: name) != nil {
            ownLinks.willChangeLinks()
        }
    }

    /// The counterpart of ``willChangeValue(forKey:)``. It does nothing, and is there for symmetry:
    /// observers are notified at the end of the event.
    public final func didChangeValue(forKey name: String) {}
}
