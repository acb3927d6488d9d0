import CambiumRecords

extension EntityDescription {
    /// The slot of a property that a batch operation may set, and a value for it.
    ///
    /// - Throws: ``StoreError`` where there is no such property, or it cannot be set;
    ///   ``ValidationError`` where the value does not fit.
    func assigned(_ value: Value, to name: String) throws -> (slot: Int, value: StoredValue) {
        let slot = try assignableSlot(name)
        guard let attribute = attributes[slot] else {
            switch value {
            case .null:
                if relationship(named: name)?.relationship.isOptional == false {
                    throw BatchRowCheck.missing(name, of: self)
                }
                return (slot, .null)
            case .int(let key): return (slot, .integer(key))
            default:
                throw StoreError.invalidRequest(
                    "\(self.name).\(name) is a relationship, but was set to a value that "
                        + "is not a key.",
                    remedy: "Set it to the object's key as an int, or to null.")
            }
        }
        guard let stored = model.stored(value, of: attribute) else {
            throw misfit(attribute, name)
        }
        if case .null = stored, requiredSlots.contains(slot) {
            throw BatchRowCheck.missing(name, of: self)
        }
        return (slot, stored)
    }

    /// The refusal of a value that does not fit an attribute.
    func misfit(_ attribute: Attribute, _ name: String) -> StoreError {
        let wanted =
            if case .enumeration(let type) = attribute.type,
                let cases = model.enumeration(named: type)?.cases
            {
                "one of " + cases.map(\.rawValue.expressionText).joined(separator: ", ")
            } else {
                "a value of the type \(attribute.type)"
            }
        return StoreError.invalidRequest(
            "\(self.name).\(name) was set to a value that does not fit.",
            remedy: "Set it to \(wanted).")
    }

    /// The refusal to set a derived attribute.
    func isDerived(_ name: String) -> StoreError {
        StoreError.invalidRequest(
            "\(self.name).\(name) is derived from other properties, and cannot be set.",
            remedy: "Set the properties that it is computed from.")
    }

    /// The slot of a property that a batch operation may set.
    func assignableSlot(_ name: String) throws -> Int {
        func refusal(_ reason: String, remedy: String) -> StoreError {
            StoreError.invalidRequest(
                "\(self.name).\(name) \(reason).",
                remedy: remedy)
        }
        if let relationship = relationship(named: name) {
            guard !relationship.isTransient else {
                throw refusal(
                    "is transient: it is not in the store", remedy: "Set it on objects.")
            }
            guard !relationship.isToMany else {
                throw refusal(
                    "is a to-many relationship", remedy: "Set the inverse, or change objects.")
            }
            guard let slot = relationship.slot else {
                let inverse = relationship.relationship.inverse ?? ""
                throw refusal(
                    "is stored by its inverse",
                    remedy: "Set \(relationship.relationship.destination).\(inverse) instead.")
            }
            return slot
        }
        guard let slot = layout.slot(of: name), let attribute = attributes[slot] else {
            let parts = layout.slots.map(\.property).filter { $0.hasPrefix(name + ".") }
            if !parts.isEmpty {
                throw refusal(
                    "is a composite value",
                    remedy: "Name its parts: \(parts.joined(separator: ", ")).")
            }
            let known = layout.slots.map(\.property) + relationships.map(\.relationship.name)
            throw StoreError.unknownName(
                "The entity \(self.name) has no property \(name).", name, among: known)
        }
        guard attribute.derivation == nil else { throw isDerived(name) }
        guard !attribute.isTransient else {
            throw refusal("is transient: it is not in the store", remedy: "Set it on objects.")
        }
        return slot
    }
}
