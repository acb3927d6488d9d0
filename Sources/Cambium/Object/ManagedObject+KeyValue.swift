import CambiumRecords

// Access by name, for generic code.
extension ManagedObject {
    /// The value of an attribute.
    ///
    /// - Throws: ``StoreError`` with `unknownName` where the entity has no such attribute.
    public final func value(forKey name: String) throws -> Value {
        guard let slot = entityDescription.layout.slot(of: name),
            let attribute = entityDescription.attributes[slot]
        else { throw unknownKey(name) }
        if notesReads { noteRead(of: slot) }
        return value(ofSlot: slot, attribute, in: readable)
    }

    /// Sets an attribute.
    ///
    /// - Throws: ``StoreError`` with `unknownName` where the entity has no such attribute, with
    ///   `invalidRequest` where the value is of another type or does not fit.
    public final func setValue(_ value: Value, forKey name: String) throws {
        guard let slot = entityDescription.layout.slot(of: name),
            let attribute = entityDescription.attributes[slot]
        else { throw unknownKey(name) }
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
        else { throw unknownKey(name) }
        return destination(of: relationship)
    }

    /// Leads a to-one relationship to an object, or nowhere.
    ///
    /// - Throws: ``StoreError`` with `unknownName` where the entity has no such relationship.
    public final func setRelatedObject(_ object: ManagedObject?, forKey name: String) throws {
        guard let relationship = entityDescription.relationship(named: name),
            !relationship.isToMany
        else { throw unknownKey(name) }
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
        else { throw unknownKey(name) }
        return OrderedToMany(owner: self, ordinal: relationship.ordinal)
    }

    /// The objects that a to-many relationship leads to; those of an ordered one come in their
    /// order.
    ///
    /// - Throws: ``StoreError`` with `unknownName` where the entity has no such relationship.
    public final func relatedObjects(forKey name: String) throws -> ToMany<ManagedObject> {
        guard let relationship = entityDescription.relationship(named: name),
            relationship.isToMany
        else { throw unknownKey(name) }
        return ToMany(owner: self, ordinal: relationship.ordinal)
    }

    final func unknownKey(_ name: String) -> StoreError {
        let parts = entityDescription.layout.slots.map(\.property)
            .filter { $0.hasPrefix(name + ".") }
        if !parts.isEmpty {
            return StoreError(
                code: .unknownName,
                message: "\(entityDescription.name).\(name) is a composite value.",
                remedy: "Name one of its parts: \(parts.joined(separator: ", ")).")
        }
        if let relationship = entityDescription.relationship(named: name) {
            let method =
                relationship.isToMany ? "relatedObjects(forKey:)" : "relatedObject(forKey:)"
            return StoreError(
                code: .unknownName,
                message: "\(entityDescription.name).\(name) is a relationship.",
                remedy: "Use \(method).")
        }
        if entityDescription.layout.slot(of: name) != nil {
            return StoreError(
                code: .unknownName,
                message: "\(entityDescription.name).\(name) is an attribute.",
                remedy: "Use value(forKey:) and setValue(_:forKey:).")
        }
        let known =
            entityDescription.layout.slots.map(\.property)
            + entityDescription.relationships.map(\.relationship.name)
        return .unknownName(
            "The entity \(entityDescription.name) has no property \(name).", name, among: known)
    }

    // MARK: By name and path, for expressions and orders

    final func attributeValue(named name: String) -> Value {
        guard let slot = entityDescription.layout.slot(of: name),
            let attribute = entityDescription.attributes[slot]
        else { return .null }
        if notesReads { noteRead(of: slot) }
        return value(ofSlot: slot, attribute, in: readable)
    }

    /// The value of an attribute, neither in a file nor of an enumeration.
    final func plainValue(atSlot slot: Int, as type: AttributeType) -> Value {
        if notesReads { noteRead(of: slot) }
        let stored = readable.storedValue(slot, entityDescription.shape.kinds[slot])
        return stored.value(as: type) ?? .null
    }

    final func value(ofSlot slot: Int, _ attribute: Attribute, in record: Record) -> Value {
        if attribute.usesExternalForm {
            return externalData(at: slot, in: record).map { .data($0) } ?? .null
        }
        let stored = record.storedValue(slot, entityDescription.shape.kinds[slot])
        guard case .enumeration = attribute.type else {
            return stored.value(as: attribute.type) ?? .null
        }
        return entityDescription.model.value(stored, as: attribute.type) ?? .null
    }

    /// The value at the end of a path of to-ones; null where one of them leads nowhere, or to a
    /// deleted row.
    final func value(atPath path: [String]) -> Value {
        var object = self
        for (position, step) in path.dropLast().enumerated() {
            guard object.present != nil else { return .null }
            guard let relationship = object.entityDescription.relationship(named: step) else {
                // What does not lead on is a composite value; the rest of the path names a part.
                return object.attributeValue(named: path[position...].joined(separator: "."))
            }
            guard let destination = object.destination(of: relationship) else { return .null }
            object = destination
        }
        guard object.present != nil, let name = path.last else { return .null }
        if let relationship = object.entityDescription.relationship(named: name) {
            return object.destination(of: relationship).map { .int($0.key) } ?? .null
        }
        return object.attributeValue(named: name)
    }
}
