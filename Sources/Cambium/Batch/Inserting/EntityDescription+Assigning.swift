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
                throw StoreError(
                    code: .invalidRequest,
                    message: "\(self.name).\(name) leads to an object. Give it the object's key "
                        + "as an int, or null.")
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

    /// What a value is told that does not fit an attribute.
    func misfit(_ attribute: Attribute, _ name: String) -> StoreError {
        let wanted =
            if case .enumeration(let type) = attribute.type,
                let cases = model.enumeration(named: type)?.cases
            {
                "It is one of " + cases.map(\.rawValue.expressionText).joined(separator: ", ") + "."
            } else {
                "It is of the type \(attribute.type)."
            }
        return StoreError(
            code: .invalidRequest,
            message: "\(self.name).\(name) was set to a value that does not fit. \(wanted)")
    }

    /// The slot of a property that a batch operation may set.
    func assignableSlot(_ name: String) throws -> Int {
        func refusal(_ reason: String) -> StoreError {
            StoreError(code: .invalidRequest, message: "\(self.name).\(name) \(reason)")
        }
        if let relationship = relationship(named: name) {
            guard !relationship.isTransient else {
                throw refusal("is transient: it is not in the store.")
            }
            guard !relationship.isToMany else {
                throw refusal("leads to many objects. Set the other side, or change objects.")
            }
            guard let slot = relationship.slot else {
                throw refusal(
                    "is kept by the other side. Set "
                        + "\(relationship.relationship.destination)."
                        + "\(relationship.relationship.inverse ?? "") instead.")
            }
            return slot
        }
        guard let slot = layout.slot(of: name), let attribute = attributes[slot] else {
            let parts = layout.slots.map(\.property).filter { $0.hasPrefix(name + ".") }
            if !parts.isEmpty {
                throw refusal(
                    "is a composite value. Name its parts: \(parts.joined(separator: ", ")).")
            }
            let known = layout.slots.map(\.property) + relationships.map(\.relationship.name)
            let hint = nearestName(to: name, among: known).map { " Did you mean \($0)?" } ?? ""
            throw StoreError(
                code: .unknownName,
                message: "The entity \(self.name) has no property \(name).\(hint)")
        }
        guard attribute.derivation == nil else {
            throw refusal("is derived: it is computed from other properties, and cannot be set.")
        }
        guard !attribute.isTransient else {
            throw refusal("is transient: it is not in the store.")
        }
        return slot
    }
}
