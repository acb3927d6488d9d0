import CambiumRecords

/// Creates the rows of a batch insertion one after the other: records in pages. A detached object
/// of the entity's class, or a dictionary, fills them.
final class BatchRowMaker {
    let entity: EntityDescription
    /// The object that handlers fill: one for all rows.
    let object: ManagedObject
    /// The number of the row in the input.
    private(set) var index = 0
    private var isFinished = false
    /// Whether to note the slots that were set, for rows that conflict with others with their
    /// unique values.
    private let tracksSlots: Bool
    private let links: BatchRowLinks
    private let check: BatchRowCheck
    private let now = Date()
    private let dates: StoredDatePrecision?
    private var writer: RecordWriter { object.state.draftWriter }

    init(
        _ entity: EntityDescription, _ coordinator: PersistentStoreCoordinator, policy: MergePolicy
    ) {
        self.entity = entity
        tracksSlots = policy == .objectTrump
        let links = BatchRowLinks()
        self.links = links
        dates = coordinator.datePrecision
        check = BatchRowCheck(
            entity, entity.storedSlots, dates, largestValue: coordinator.largestValue)
        let state = ContextState(coordinator)
        state.batchRow = links
        object = entity.objectClass.init(
            ObjectRegistration(
                state: state, entity: entity, key: .min, placed: entity.template,
                lifecycle: .inserted))
    }

    /// The object as one of the class that a handler fills.
    func object<Object: ManagedObject>(as type: Object.Type) throws -> Object {
        if let object = object as? Object { return object }
        throw StoreError.invalidRequest(
            "The objects of \(entity.name) are not of the class \(type).",
            remedy: "Fill objects of the class \(Swift.type(of: object)).")
    }

    /// Creates rows, up to a number.
    ///
    /// - Parameter fill: Fills the object, and returns whether there was a row.
    func make(_ count: Int, _ fill: () throws -> Bool) throws -> [BatchRow] {
        var rows: [BatchRow] = []
        guard !isFinished else { return rows }
        rows.reserveCapacity(count)
        while rows.count < count {
            try begin()
            guard try fill() else {
                isFinished = true
                break
            }
            rows.append(try finish())
        }
        return rows
    }

    /// Begins a row with the model's defaults.
    ///
    /// - Throws: An error if a default is a new UUID and cannot be generated.
    func begin() throws {
        let placed = try entity.makeRecord(by: writer, at: now, keeping: dates)
        object.placed = placed
        object.flags = tracksSlots ? [.isReady, .tracksSlots] : .isReady
        if tracksSlots { object.ownExtras.changedSlots = SlotSet() }
        object.extras?.unfitSlots = []
    }

    /// Ends the row.
    ///
    /// - Throws: ``BatchInsertError`` if the store cannot keep a value.
    func finish() throws -> BatchRow {
        if let error = links.takeError() { throw BatchInsertError(row: index, underlying: error) }
        guard let placed = object.placed else {
            throw BatchInsertError(row: index, underlying: StoreError.closed)
        }
        if let slot = object.extras?.unfitSlots.min() {
            throw BatchInsertError(row: index, underlying: check.unfitError(slot))
        }
        if let error = check.error(in: placed.record) {
            throw BatchInsertError(row: index, underlying: error)
        }
        defer { index += 1 }
        return BatchRow(
            index: index, placed: placed,
            slots: tracksSlots
                ? (object.extras?.changedSlots ?? SlotSet()).intersection(entity.storedSlots)
                : SlotSet())
    }

    /// Sets properties of the row by their names.
    func set(_ values: [String: Value]) throws {
        guard var placed = object.placed else { return }
        for (name, value) in values {
            do {
                let value = dates?.rounded(value) ?? value
                let (slot, stored) = try entity.assigned(value, to: name)
                writer.set(stored, slot, of: &placed, entity.shape)
                if tracksSlots {
                    object.extras?.changedSlots.insert(slot)
                    if let entitySlot = entity.relationship(named: name)?.entitySlot {
                        object.extras?.changedSlots.insert(entitySlot)
                    }
                }
            } catch {
                throw BatchInsertError(row: index, underlying: error)
            }
        }
        object.placed = placed
    }
}

/// A row of the input of a batch insertion.
package struct BatchRow {
    /// The number in the input.
    package let index: Int
    package let placed: PlacedRecord
    /// The slots that were set, if they are noted.
    let slots: SlotSet

    package init(index: Int, placed: PlacedRecord, slots: SlotSet) {
        self.index = index
        self.placed = placed
        self.slots = slots
    }
}

/// Rows of a batch insertion as records, with a slot for the numbers of the slots that were set.
/// The spool has all rows of the input, so that a row has the same number in both.
struct BatchRowForm: SpoolForm {
    let shape: RecordShape
    private let rowShape: RecordShape
    private var slotsOfRow: Range<Int> { rowShape.kinds.indices }
    private var slotOfSlots: Int { rowShape.kinds.count }

    init(_ entity: EntityDescription) {
        rowShape = entity.shape
        shape = RecordShape(kinds: entity.shape.kinds + [.blob])
    }

    func record(of row: BatchRow, by writer: RecordWriter) -> PlacedRecord {
        var placed = writer.makeRecord(shape)
        for slot in slotsOfRow {
            writer.copySlot(slot, from: row.placed.record, to: &placed, shape)
        }
        let slots = Data(row.slots.slots.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8 & 0xff)] })
        writer.set(.blob(slots), slotOfSlots, of: &placed, shape)
        return placed
    }

    func element(of record: Record, by writer: RecordWriter) -> BatchRow {
        var placed = writer.makeRecord(rowShape)
        for slot in slotsOfRow { writer.copySlot(slot, from: record, to: &placed, rowShape) }
        var slots = SlotSet()
        let bytes = record.bytes(slotOfSlots)
        for index in stride(from: 0, to: bytes.count - 1, by: 2) {
            slots.insert(Int(bytes[index]) | Int(bytes[index + 1]) << 8)
        }
        return BatchRow(index: Int(record.key), placed: placed, slots: slots)
    }
}

/// Finds values in a record that the store cannot keep or does not check itself. All other checks
/// are the store's own.
package struct BatchRowCheck {
    private let entity: EntityDescription
    private let numbers: [Int]
    private let texts: [Int]
    private let patterns: [(slot: Int, pattern: String)]
    private let files: [(slot: Int, limits: Limits)]
    private let dates: StoredDatePrecision?
    private let dateSlots: SlotSet
    private let largestValue: Int?
    private let byteSlots: [Int]

    /// - Parameters:
    ///   - slots: The slots that the operation may set.
    ///   - dates: The store's format of dates; nil if it keeps each exactly.
    ///   - largestValue: The greatest number of bytes of a value; nil for any.
    package init(
        _ entity: EntityDescription, _ slots: SlotSet, _ dates: StoredDatePrecision?,
        largestValue: Int?
    ) {
        self.entity = entity
        self.largestValue = largestValue
        byteSlots = largestValue == nil ? [] : entity.shape.byteSlots.filter(slots.contains)
        self.dates = dates
        dateSlots = dates == nil ? SlotSet() : entity.dateSlots.intersection(slots)
        numbers = entity.floatingSlots.intersection(slots).slots
        texts = entity.shape.byteSlots.filter {
            slots.contains($0) && entity.shape.kinds[$0] == .text && entity.attributes[$0] != nil
        }
        let attributes = entity.attributes.enumerated().compactMap { slot, attribute in
            slots.contains(slot) ? attribute.map { (slot: slot, attribute: $0) } : nil
        }
        patterns = attributes.compactMap { slot, attribute in
            guard let pattern = attribute.limits.pattern,
                !entity.model.enforcesPattern(of: attribute)
            else { return nil }
            return (slot, pattern)
        }
        files = attributes.compactMap { slot, attribute in
            attribute.usesExternalForm && !attribute.limits.isEmpty
                ? (slot, attribute.limits) : nil
        }
    }

    /// Returns the error of a row, or nil if it has none.
    package func error(in record: Record, of id: ObjectID? = nil) -> ValidationError? {
        for slot in numbers where record.hasValue(slot) && record.real(slot).isNaN {
            return make(.numberTooSmall, slot, id) { "\($0) is not a number (NaN)." }
        }
        if let slot = dates?.unkeptSlot(of: record, dateSlots) {
            let code: ValidationError.Code = record.real(slot) < 0 ? .dateTooSoon : .dateTooLate
            return make(code, slot, id) { dates?.refusal(of: $0) ?? "" }
        }
        if let limit = largestValue,
            let slot = byteSlots.first(where: {
                record.hasValue($0) && record.bytes($0).count > limit
            })
        {
            return make(.tooLong, slot, id) {
                RefusalText.isTooLarge($0, record.bytes(slot).count, limit)
            }
        }
        for slot in texts where record.hasValue(slot) && record.holdsNUL(slot) {
            return make(.nulInText, slot, id) {
                "\($0) contains a NUL character, which a string cannot contain."
            }
        }
        for (slot, pattern) in patterns where record.hasValue(slot) {
            let text = String(decoding: record.bytes(slot), as: UTF8.self)
            do {
                if try PatternCache.matches(text, pattern) { continue }
                return make(.patternMismatch, slot, id) { RefusalText.mismatches($0, pattern) }
            } catch {
                return make(.patternMismatch, slot, id, underlying: error) {
                    "\($0) could not be checked. \(error)"
                }
            }
        }
        for (slot, limits) in files where record.hasValue(slot) {
            // The first byte tells whether the value is in a file.
            let count = record.bytes(slot).count - 1
            if let minimum = limits.minimumLength, count < minimum {
                return make(.tooShort, slot, id) {
                    RefusalText.isTooShort($0, "\(count) bytes", minimum)
                }
            }
            if let maximum = limits.maximumLength, count > maximum {
                return make(.tooLong, slot, id) {
                    RefusalText.isTooLong($0, "\(count) bytes", maximum)
                }
            }
        }
        return nil
    }

    /// A slot was set to a value that the store cannot keep.
    func unfitError(_ slot: Int) -> ValidationError {
        let type = entity.attributes[slot]?.type
        var code = ValidationError.Code.unfitDecimal
        if case .codable = type { code = .unencodable }
        return make(code, slot, nil) { "\($0) was set to \(type?.descriptor.unfit ?? "")" }
    }

    @inline(never)
    private func make(
        _ code: ValidationError.Code, _ slot: Int, _ id: ObjectID?,
        underlying: (any Error)? = nil, _ message: (_ property: String) -> String
    ) -> ValidationError {
        let property = entity.layout.slots[slot].property
        return ValidationError(
            code: code, entityName: entity.name, objectID: id, property: property,
            message: message(property), underlying: underlying)
    }

    static func missing(_ property: String, of entity: EntityDescription) -> ValidationError {
        ValidationError(
            code: .missing, entityName: entity.name, objectID: nil, property: property,
            message: "\(property) is required. Give it a value.")
    }
}

extension ValidationError {
    /// Returns the error with the identity of an object.
    func of(_ id: ObjectID) -> ValidationError {
        ValidationError(
            code: code, entityName: id.entityName, objectID: id, property: property, rule: rule,
            message: message, underlying: underlying)
    }
}

extension EntityDescription {
    /// Returns the slot of a property that a batch operation may set, and a value for it.
    ///
    /// - Throws: ``StoreError`` if there is no such property, or it cannot be set;
    ///   ``ValidationError`` if the value does not fit.
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
                "one of " + cases.map { $0.rawValue.expressionText }.joined(separator: ", ")
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
            let parts = layout.slots.map { $0.property }.filter { $0.hasPrefix(name + ".") }
            if !parts.isEmpty {
                throw refusal(
                    "is a composite value",
                    remedy: "Name its parts: \(parts.joined(separator: ", ")).")
            }
            let known =
                layout.slots.map { $0.property } + relationships.map { $0.relationship.name }
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
