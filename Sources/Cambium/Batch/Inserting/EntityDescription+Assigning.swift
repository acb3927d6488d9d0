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
        guard let stored = model.stored(value, of: attribute), isCase(value, of: attribute) else {
            throw StoreError(
                code: .invalidRequest,
                message: "A value of another type than \(attribute.type), or one that does not "
                    + "fit, was set for \(self.name).\(name).")
        }
        if case .null = stored, requiredSlots.contains(slot) {
            throw BatchRowCheck.missing(name, of: self)
        }
        return (slot, stored)
    }

    /// Whether the value of an attribute that is an enumeration is one of its cases.
    private func isCase(_ value: Value, of attribute: Attribute) -> Bool {
        guard value != .null, case .enumeration(let name) = attribute.type else { return true }
        return model.enumeration(named: name)?.cases.contains { $0.rawValue == value } ?? false
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
