import CambiumRecords

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
        return externalData(at: slot, in: record)
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

    /// The value of a slot in the external form; empty where its file is gone, which the context
    /// remembers.
    final func externalData(at slot: Int, in record: Record) -> Data? {
        guard record.hasValue(slot) else { return nil }
        let bytes = record.bytes(slot)
        guard bytes.first == ExternalForm.file else { return Data(bytes.dropFirst()) }
        let name = String(decoding: bytes.dropFirst(), as: UTF8.self)
        do {
            return try files.externalData(named: name)
        } catch {
            if let newer = newerExternalData(at: slot, than: bytes) { return newer }
            let property = entityDescription.layout.slots[slot].property
            state.context?.recordInaccessible(
                self,
                StoreError(
                    code: .missingFile,
                    message: "The file of \(objectID).\(property) cannot be read.",
                    remedy: "Restore it from a backup, or set another value.",
                    underlying: error))
            return Data()
        }
    }

    /// The value that the row has now, where somebody has set another one since this object read
    /// it: the file of the former one is gone.
    private func newerExternalData(at slot: Int, than bytes: UnsafeRawBufferPointer) -> Data? {
        let writer = RecordWriter()
        var row: PlacedRecord?
        let request = RowRequest(entity: entityDescription, selection: .key(key))
        try? state.store(ofRoot: entityDescription.rootIndex)
            .fetch(request) { row = try $0.record(in: writer) }
        guard let row, row.record.hasValue(slot) else { return nil }
        let current = row.record.bytes(slot)
        if current.first == ExternalForm.inline { return Data(current.dropFirst()) }
        guard !current.elementsEqual(bytes) else { return nil }
        let name = String(decoding: current.dropFirst(), as: UTF8.self)
        return try? files.externalData(named: name)
    }

    /// The store that has the files.
    private var files: any StoreEngine {
        state.coordinator.store(ofRoot: entityDescription.rootIndex)
    }
}
