import CambiumRecords

// Values beneath the accessors, and what custom accessors bracket them with.
extension ManagedObject {
    /// The value of an attribute as it is in memory: no fault is fired, nobody is told. The value
    /// of a fault is null.
    ///
    /// - Throws: ``StoreError`` with `unknownName` where the entity has no such attribute.
    public final func primitiveValue(forKey name: String) throws -> Value {
        if standIn !== self { return try standIn.primitiveValue(forKey: name) }
        guard let slot = entityDescription.layout.slot(of: name),
            let attribute = entityDescription.attributes[slot]
        else { throw unknownKey(name) }
        guard let record else { return .null }
        return value(ofSlot: slot, attribute, in: record)
    }

    /// Sets an attribute without noting a change: the object's flags and the context's sets stay as
    /// they are, ``changedValues()`` does not show it, nobody is told, and nothing can be undone.
    /// The value is written when the object is saved with other changes, or is new. A fault reads
    /// its row first.
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
        if standIn !== self { return try standIn.setPrimitiveValue(value, forKey: name) }
        guard let context = state.context else { return }
        // A noted object would note the slot without asking the context.
        let noted = flags.intersection(.isNoted)
        flags.subtract(noted)
        defer { flags.formUnion(noted) }
        try context.withoutTracking { try setValue(value, forKey: name) }
    }

    /// Makes the record one that may be written, without noting a change.
    final func prepareQuietChange(_ slot: Int) -> Record? {
        if record == nil { _ = fire() }
        // Nobody would notice that it was set, were the row read later.
        if record == nil { state.context?.failedReads.require(.row(RowIdentity(self))) }
        guard lifecycle != .gone, lifecycle != .discarded, let record, let page else { return nil }
        // Of a new object everything is written anyway.
        if lifecycle == .inserted { return record }
        let changes = ownExtras.quietChanges ?? QuietChanges()
        ownExtras.quietChanges = changes
        changes.slots.insert(slot)
        if flags.contains(.isDraft) || changes.base != nil { return record }
        changes.base = PlacedRecord(page: page, record: record)
        let copy = state.draftWriter.copy(record, entityDescription.shape)
        self.record = copy.record
        self.page = copy.page
        return copy.record
    }

    /// Counts what was set quietly among the changes, where it makes a difference: before a save
    /// that writes the object anyway.
    final func noteQuietChanges() {
        guard let extras, let quiet = extras.quietChanges, let record else { return }
        if let base = quiet.base {
            // Only links were changed; now the row has to be written too.
            extras.snapshot = base
            quiet.base = nil
            flags.formUnion([.isDraft, .tracksSlots])
        }
        guard let base = extras.snapshot?.record else { return }
        quiet.slots.forEach { slot in
            if !record.isEqual(slot, entityDescription.shape.kinds[slot], to: base) {
                extras.changedSlots.insert(slot)
            }
        }
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
            willChangeLinks()
        }
    }

    /// The counterpart of ``willChangeValue(forKey:)``. It does nothing, and is there for symmetry:
    /// observers are told at the end of the event.
    public final func didChangeValue(forKey name: String) {}
}

extension ManagedObjectContext {
    /// Whether attributes are set without being noted as changes.
    var isAwaking: Bool { quietDepth > 0 }

    /// Runs a body whose settings of attributes are no changes.
    func withoutTracking<Result>(_ body: () throws -> Result) rethrows -> Result {
        quietDepth += 1
        defer { quietDepth -= 1 }
        return try body()
    }

    /// Tells objects that their values were read.
    func awaken(_ objects: some Sequence<ManagedObject>) {
        withoutTracking {
            for object in objects { object.awakeFromFetch() }
        }
    }

    /// Tells objects that they got other values than by their setters.
    func awaken(_ objects: some Sequence<ManagedObject>, from events: SnapshotEvents) {
        withoutTracking {
            for object in objects { object.awake(fromSnapshotEvents: events) }
        }
    }
}
