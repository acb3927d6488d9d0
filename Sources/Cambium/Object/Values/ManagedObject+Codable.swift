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
            state.context?.faulting.noteUndecodable(self, slot, error)
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
            return writeNull(slot)
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
