// Data whose large values lie in files beside the store. A row, and so a record, holds the value
// itself or the name of its file, and a byte that says which.
extension ManagedObject {
    /// The value of a data attribute; empty where it is missing.
    ///
    /// - Complexity: Reads the file at each call where the value lies in one.
    @_spi(Generated)
    public final func value(at slot: Int) -> Data {
        optionalValue(at: slot) ?? Data()
    }

    /// The value of an optional data attribute.
    ///
    /// - Complexity: Reads the file at each call where the value lies in one.
    @_spi(Generated)
    public final func optionalValue(at slot: Int) -> Data? {
        if notesReads { noteRead(of: slot) }
        let record = readable
        guard record.hasValue(slot) else { return nil }
        guard entityDescription.externalSlots.contains(slot) else {
            return Data(record.bytes(slot))
        }
        return properties.externalData(at: slot, in: record)
    }

    /// Sets a required data attribute.
    @_spi(Generated)
    public final func setValue(_ value: Data, at slot: Int) {
        setValue(Optional(value), at: slot)
    }

    /// Sets a data attribute.
    @_spi(Generated)
    public final func setValue(_ value: Data?, at slot: Int) {
        guard let value else { return writeNull(slot) }
        let isExternal = entityDescription.externalSlots.contains(slot)
        (isExternal ? [ExternalForm.inline] + value : value).write(to: self, slot)
    }
}
