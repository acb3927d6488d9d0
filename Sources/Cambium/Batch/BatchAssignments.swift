import CambiumRecords

/// The assignments of a batch update, checked against the entity.
struct BatchAssignments {
    /// The constant values, by slot.
    private(set) var constants: [(slot: Int, value: StoredValue)] = []
    /// The expressions, with the types of their attributes.
    private(set) var expressions: [(expression: ModelExpression, type: AttributeType)] = []
    /// The slots of the expressions.
    private(set) var computedSlots: [Int] = []
    /// All slots that are set.
    private(set) var slots = SlotSet()
    /// The to-one relationships that are set to an object, with its key.
    private(set) var targets: [(relationship: RelationshipDescription, key: Int64)] = []
    private let entity: EntityDescription
    /// The store's format of dates; nil if it keeps each exactly.
    let dates: StoredDatePrecision?
    /// The greatest number of bytes of a value; nil for any.
    let largestValue: Int?

    /// - Throws: ``StoreError``, ``ValidationError`` or ``ExpressionDiagnostics`` about an
    ///   assignment that is not possible.
    init(
        _ assignments: [BatchAssignment], of entity: EntityDescription,
        in coordinator: PersistentStoreCoordinator
    ) throws {
        self.entity = entity
        dates = coordinator.datePrecision
        largestValue = coordinator.largestValue
        guard !assignments.isEmpty else {
            throw StoreError.invalidRequest(
                "A batch update of \(entity.name) sets nothing.",
                remedy: "Add an assignment with set(_:to:).")
        }
        for assignment in assignments { try add(assignment, coordinator) }
    }

    private mutating func add(
        _ assignment: BatchAssignment, _ coordinator: PersistentStoreCoordinator
    ) throws {
        let name = assignment.name
        let slot = try slot(name)
        guard !slots.contains(slot) else {
            throw StoreError.invalidRequest(
                "A batch update sets \(entity.name).\(name) twice.",
                remedy: "Remove one of the assignments.")
        }
        slots.insert(slot)
        switch assignment.value {
        case .constant(let value):
            let stored = try entity.assigned(value, to: name).value
            if case .integer(let key) = stored,
                let relationship = entity.relationship(named: name)
            {
                setReference(relationship, to: key, slot)
            } else {
                set(slot, try entity.fitting(stored, slot), name)
            }
        case .json(let json):
            guard let json else {
                throw BatchRowCheck(entity, slots, nil, largestValue: nil).unfitError(slot)
            }
            set(slot, try entity.assigned(.string(json), to: name).value, name)
        case .object(nil):
            set(slot, try entity.assigned(.null, to: name).value, name)
        case .object(let id?):
            guard let relationship = entity.relationship(named: name),
                coordinator.hasStore(id.store),
                coordinator.model.entities[relationship.destination].rootIndex
                    == id.entity.rootIndex
            else {
                throw StoreError(
                    code: .objectOfAnotherContext,
                    message: "\(entity.name).\(name) was set to \(id), which is in no store of "
                        + "this coordinator, or of another entity.",
                    remedy: "Set it to an object of the relationship's destination in this "
                        + "coordinator's stores.")
            }
            setReference(relationship, to: id.key, slot)
        case .expression(let expression, let objects):
            if let misplaced = objects.first(where: { !coordinator.hasStore($0.store) }) {
                throw StoreError(
                    code: .objectOfAnotherContext,
                    message:
                        "The expression for \(entity.name).\(name) names \(misplaced), which is "
                        + "in no store of this coordinator.",
                    remedy: "Name objects of this coordinator's stores only.")
            }
            try compute(expression, slot, name)
        case .text(let text):
            guard let type = entity.attributes[slot]?.type else { throw noExpression(name) }
            // The result for a decimal is rounded, and may be of another type.
            var expected: AttributeType? = type
            if case .decimal = type { expected = nil }
            let expression = ExpressionCompiler.value(
                text, as: expected, entity: entity.entity, model: entity.model)
            try compute(expression.get(), slot, name)
        }
    }

    /// The slot of a property; paths may name parts of composite values, not other objects.
    private func slot(_ name: String) throws -> Int {
        if let dot = name.firstIndex(of: "."),
            entity.relationship(named: String(name[..<dot])) != nil
        {
            throw StoreError.invalidRequest(
                "A batch update of \(entity.name) sets \(name), which is a property of "
                    + "another object.",
                remedy: "Update the entity of that object instead.")
        }
        return try entity.assignableSlot(name)
    }

    private mutating func set(_ slot: Int, _ value: StoredValue, _ name: String) {
        constants.append((slot, value))
        guard value == .null, let entitySlot = entity.relationship(named: name)?.entitySlot else {
            return
        }
        slots.insert(entitySlot)
        constants.append((entitySlot, .null))
    }

    private mutating func setReference(
        _ relationship: RelationshipDescription, to key: Int64, _ slot: Int
    ) {
        constants.append((slot, .integer(key)))
        targets.append((relationship, key))
        if let entitySlot = relationship.entitySlot { slots.insert(entitySlot) }
    }

    private mutating func compute(
        _ expression: ModelExpression, _ slot: Int, _ name: String
    ) throws {
        guard let attribute = entity.attributes[slot] else { throw noExpression(name) }
        guard !attribute.usesExternalForm else {
            throw StoreError.invalidRequest(
                "\(entity.name).\(name) may be stored in files, which no expression can "
                    + "read.",
                remedy: "Set it to a constant.")
        }
        computedSlots.append(slot)
        expressions.append((dates?.rounded(expression) ?? expression, attribute.type))
    }

    private func noExpression(_ name: String) -> StoreError {
        StoreError.invalidRequest(
            "\(entity.name).\(name) is a relationship, and cannot be set to an "
                + "expression.",
            remedy: "Set it to an object, or to nil.")
    }
}

extension EntityDescription {
    /// Rounds the computed value of a decimal attribute to its scale, halves away from zero.
    /// Returns any other value unchanged.
    ///
    /// - Parameter type: The type of the computed value.
    /// - Throws: ``ValidationError`` if the attribute cannot hold such a large number.
    func rounded(
        _ value: StoredValue, _ type: ExpressionType, _ slot: Int
    ) throws -> StoredValue {
        guard case .decimal(let scale) = attributes[slot]?.type else { return value }
        switch (value, type) {
        case (.integer(let units), .decimal(let own)):
            return .integer(DecimalStorage.units(units, ofScale: own, roundedTo: scale))
        case (.real(let number), .float), (.real(let number), .double):
            guard let units = DecimalStorage.units(rounding: number, scale: scale) else {
                throw outOfRange(number, slot)
            }
            return .integer(units)
        default:
            return value
        }
    }

    /// Returns a computed value as the slot stores it: a number of single precision is rounded as
    /// it will be read. A record must hold no value of another kind.
    ///
    /// - Throws: ``ValidationError`` if a number is out of the range of the attribute;
    ///   ``StoreError`` if the value is of another type.
    func fitting(_ value: StoredValue, _ slot: Int) throws -> StoredValue {
        switch (value, shape.kinds[slot]) {
        case (.null, _), (.integer, .integer), (.text, .text), (.blob, .blob):
            return value
        case (.integer(let number), .real):
            return .real(try fitting(Double(number), slot))
        case (.real(let number), .real):
            return .real(try fitting(number, slot))
        case (.real(let number), .integer):
            // Beyond 64 bits, SQLite continues in floating point.
            throw outOfRange(number, slot)
        default:
            throw StoreError.invalidRequest(
                "A batch update computes a value for \(name)."
                    + "\(layout.slots[slot].property) that is of another type.",
                remedy: "Use an expression of the attribute's type.")
        }
    }

    private func fitting(_ number: Double, _ slot: Int) throws -> Double {
        guard attributes[slot]?.type == .float else { return number }
        let single = Float(number)
        // Infinity is a value, but a larger number must not silently become infinite.
        guard single.isFinite || !number.isFinite else { throw outOfRange(number, slot) }
        return Double(single)
    }

    private func outOfRange(_ number: Double, _ slot: Int) -> ValidationError {
        let property = layout.slots[slot].property
        return ValidationError(
            code: number < 0 ? .numberTooSmall : .numberTooLarge, entityName: name,
            objectID: nil, property: property,
            message: "\(property) was set to a number that is out of the range of its type.")
    }
}
