import CambiumRecords

/// Makes the rows of a batch insertion one after the other: records in pages, which a detached
/// object of the entity's class, or a dictionary, fills.
final class BatchRowMaker {
    let entity: EntityDescription
    /// What handlers fill: one object for all rows.
    let object: ManagedObject
    /// The number of the row in the input.
    private(set) var index = 0
    private var isFinished = false
    /// Whether it is noted which slots were set, for rows that meet others with their unique
    /// values.
    private let tracksSlots: Bool
    private let links: BatchRowLinks
    private let check: BatchRowCheck
    private let now = Date()
    private var writer: RecordWriter { object.state.draftWriter }

    init(
        _ entity: EntityDescription, _ coordinator: PersistentStoreCoordinator, policy: MergePolicy
    ) {
        self.entity = entity
        tracksSlots = policy == .objectTrump
        let links = BatchRowLinks()
        self.links = links
        check = BatchRowCheck(entity, entity.storedSlots)
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

    /// Makes up to so many rows.
    ///
    /// - Parameter fill: Fills the object, and says whether there was a row.
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
    /// - Throws: Where a default is a new UUID, and there is none.
    func begin() throws {
        let placed = try entity.makeRecord(by: writer, at: now)
        object.placed = placed
        object.flags = tracksSlots ? [.isReady, .tracksSlots] : .isReady
        if tracksSlots { object.ownExtras.changedSlots = SlotSet() }
        object.extras?.unfitSlots = []
    }

    /// Ends the row.
    ///
    /// - Throws: ``BatchInsertError`` where the store cannot keep a value.
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
    /// The slots that were set, where that is noted.
    let slots: SlotSet

    package init(index: Int, placed: PlacedRecord, slots: SlotSet) {
        self.index = index
        self.placed = placed
        self.slots = slots
    }
}
