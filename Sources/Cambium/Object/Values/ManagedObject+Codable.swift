import CambiumRecords

// Attributes of the type `codable`, which rows hold as JSON.
extension ManagedObject {
    /// The value of a required codable attribute. One that is missing or cannot be decoded reads as
    /// the model's default, or as `Value()`; what could not be decoded is remembered, and the next
    /// save throws it.
    ///
    /// - Complexity: Decodes at each call: keep the value where it is used several times.
    @_spi(Generated)
    public final func codable<Value: StoredCodable & Sendable>(at slot: Int) -> Value {
        optionalCodable(at: slot) ?? decode(slot, of: entityDescription.template.record) ?? Value()
    }

    /// The value of an optional codable attribute; nil also where it cannot be decoded.
    ///
    /// - Complexity: Decodes at each call.
    @_spi(Generated)
    public final func optionalCodable<Value: Codable & Sendable>(at slot: Int) -> Value? {
        if notesReads { noteRead(of: slot) }
        let record = readable
        guard record.hasValue(slot) else { return nil }
        do {
            return try state.codec.value(of: record.bytes(slot))
        } catch {
            state.context?.recordUndecodable(self, slot, error)
            return nil
        }
    }

    /// Sets a codable attribute. A value that cannot be encoded is not taken over, and the next
    /// save is refused.
    ///
    /// - Complexity: Encodes at each call.
    @_spi(Generated)
    public final func setCodable<Value: Codable & Sendable>(_ value: Value?, at slot: Int) {
        guard let value else {
            writeNull(slot)
            extras?.unfitSlots.remove(slot)
            return
        }
        guard let json = try? state.codec.json(of: value) else {
            noteUnfit(slot)
            return
        }
        json.withUnsafeBytes { writeBytes(slot, $0) }
        extras?.unfitSlots.remove(slot)
    }

    private func decode<Value: Decodable>(_ slot: Int, of record: Record) -> Value? {
        record.hasValue(slot) ? try? state.codec.value(of: record.bytes(slot)) : nil
    }

    /// Remembers that the property was set to a value that the store cannot keep.
    final func noteUnfit(_ slot: Int) {
        guard prepareChange(slot) != nil else { return }
        ownExtras.unfitSlots.insert(slot)
    }
}

extension ManagedObjectContext {
    fileprivate func recordUndecodable(
        _ object: ManagedObject, _ slot: Int, _ error: any Error
    ) {
        let name = object.entityDescription.layout.slots[slot].property
        recordUnreadable(
            object, slot,
            StoreError(
                code: .corrupt,
                message: "The value of \(object.objectID).\(name) cannot be decoded.",
                remedy: "Set another value, or give its type an initializer that reads this one.",
                underlying: error))
    }

    /// Tells of a property whose value is none of its type: once, however often it is read.
    func recordUnreadable(_ object: ManagedObject, _ slot: Int, _ error: StoreError) {
        if object.ownExtras.toldSlots.contains(slot) { return }
        object.ownExtras.toldSlots.insert(slot)
        recordInaccessible(object, error)
    }

    /// Tells of a value that a getter could not show, or keeps the error for the next save.
    func recordInaccessible(_ object: ManagedObject, _ error: StoreError) {
        if let onInaccessibleFault {
            onInaccessibleFault(object.objectID, error)
        } else {
            recordedErrors.append(error)
        }
    }
}
