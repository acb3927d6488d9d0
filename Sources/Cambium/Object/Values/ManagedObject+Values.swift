import CambiumRecords

// The functions that the accessors of generated classes call. A slot's number is fixed at compile
// time.
extension ManagedObject {
    /// The record to read from; reads the row of a fault.
    @inlinable
    final var readable: Record {
        if let record { return record }
        return fire()
    }

    /// The record, or nil if the row was deleted. It is read if necessary. For the library's own
    /// reads, to which a deleted row is not an error.
    @inline(__always)
    final var present: Record? {
        if let record { return record }
        return firePresent()
    }

    private func firePresent() -> Record? {
        if let context = state.context, !context.faulting.hasRow(self) { return nil }
        return fire()
    }

    /// Returns the value of a required attribute. If another program has written a value that is
    /// invalid for the type (a raw value without a case, bytes that are not a UUID), returns the
    /// model's default. The next save then throws an error that names the value.
    @_spi(Generated)
    @inlinable
    public final func value<Property: StoredProperty>(at slot: Int) -> Property {
        if notesReads { noteRead(of: slot) }
        let record = readable
        guard record.hasValue(slot) else { return Property._missing }
        return Property.read(record, slot) ?? unreadable(slot) ?? Property._missing
    }

    /// Returns the value of an optional attribute.
    @_spi(Generated)
    @inlinable
    public final func optionalValue<Property: StoredProperty>(at slot: Int) -> Property? {
        if notesReads { noteRead(of: slot) }
        let record = readable
        guard record.hasValue(slot) else { return nil }
        if let value = Property.read(record, slot) { return value }
        noteUnreadable(slot)
        return nil
    }

    /// Sets an attribute.
    @_spi(Generated)
    @inlinable
    public final func setValue<Property: StoredProperty>(_ value: Property, at slot: Int) {
        value.write(to: self, slot)
    }

    /// Sets an attribute, or clears it if the value is nil.
    @_spi(Generated)
    @inlinable
    public final func setValue<Property: StoredProperty>(_ value: Property?, at slot: Int) {
        if let value { value.write(to: self, slot) } else { writeNull(slot) }
    }

    /// Returns the value of a required decimal attribute.
    @_spi(Generated)
    public final func decimal(at slot: Int, scale: Int) -> Decimal {
        if notesReads { noteRead(of: slot) }
        return DecimalStorage.decimal(ofUnits: readable.integer(slot), scale: scale)
    }

    /// Returns the value of an optional decimal attribute.
    @_spi(Generated)
    public final func optionalDecimal(at slot: Int, scale: Int) -> Decimal? {
        if notesReads { noteRead(of: slot) }
        let record = readable
        guard record.hasValue(slot) else { return nil }
        return DecimalStorage.decimal(ofUnits: record.integer(slot), scale: scale)
    }

    /// Sets a decimal attribute. If the value does not fit the scale, the attribute keeps its old
    /// value, and every save fails until the attribute is set to a value that fits.
    @_spi(Generated)
    public final func setDecimal(_ value: Decimal?, at slot: Int, scale: Int) {
        guard let value else { return writeNull(slot) }
        guard let units = DecimalStorage.units(of: value, scale: scale) else {
            return noteUnfit(slot)
        }
        writeInteger(slot, units)
        extras?.unfitSlots.remove(slot)
    }

    /// Records that a value is invalid for its type.
    ///
    /// - Returns: The model's default, if it has one.
    @usableFromInline
    final func unreadable<Property: StoredProperty>(_ slot: Int) -> Property? {
        noteUnreadable(slot)
        let template = entityDescription.template.record
        return template.hasValue(slot) ? Property.read(template, slot) : nil
    }

    @usableFromInline
    final func noteUnreadable(_ slot: Int) {
        guard let attribute = entityDescription.attributes[slot] else { return }
        state.context?.faulting.noteUnreadable(
            self, slot,
            StoreError(
                code: .corrupt,
                message: "The store has a value for \(objectID).\(attribute.name) that is not of "
                    + "the type \(attribute.type).",
                remedy: "Set another value; another version of the program may have written this "
                    + "one."))
    }

    // MARK: Writing

    /// Writes an integer as a change.
    @inlinable
    public final func writeInteger(_ slot: Int, _ value: Int64) {
        prepareChange(slot)?.setInteger(slot, value)
        if notesReads { notifyOfChange(of: slot) }
    }

    /// Writes a floating-point number as a change.
    @inlinable
    public final func writeReal(_ slot: Int, _ value: Double) {
        prepareChange(slot)?.setReal(slot, value)
        if notesReads { notifyOfChange(of: slot) }
    }

    /// Writes a date as a change, in seconds since 2001-01-01 UTC, with the precision of the store.
    @inlinable
    public final func writeDate(_ slot: Int, _ seconds: Double) {
        if status.roundsDates { writeRoundedDate(slot, seconds) } else { writeReal(slot, seconds) }
    }

    /// Writes a date as a change, after rounding it as the store does.
    @usableFromInline
    final func writeRoundedDate(_ slot: Int, _ seconds: Double) {
        writeReal(slot, state.coordinator.kept(seconds))
    }

    /// Clears a value, as a change. Nil is valid for every optional type.
    public final func writeNull(_ slot: Int) {
        prepareChange(slot)?.setNull(slot)
        extras?.unfitSlots.remove(slot)
        if notesReads { notifyOfChange(of: slot) }
    }

    /// Writes text or data as a change.
    public final func writeBytes(_ slot: Int, _ bytes: UnsafeRawBufferPointer) {
        guard let record = prepareChange(slot), let page = page.map({ uncounted($0) }) else {
            extras?.replacement?.writeBytes(slot, bytes)
            return
        }
        // Safety: the object retains its page, and its state retains the writer and the
        // description; writing bytes changes none of these references.
        let moved = page.use { page in
            uncounted(state.draftWriter).use { writer in
                uncounted(entityDescription.shape).use { shape in
                    writer.setBytes(bytes, slot, of: record, in: page, shape)
                }
            }
        }
        if let moved {
            self.page = moved.page
            self.record = moved.record
        }
        if notesReads { notifyOfChange(of: slot) }
    }

    /// Prepares the record for writing and records the change. Returns nil if the object is no
    /// longer part of a context.
    @inlinable
    final func prepareChange(_ slot: Int) -> Record? {
        if flags == .isReady { return record }  // a new object: every slot counts as set
        return noteChange(slot)
    }

    @usableFromInline
    final func noteChange(_ slot: Int) -> Record? {
        if !flags.isSuperset(of: .isReady) {
            if let replacement = extras?.replacement { return replacement.prepareChange(slot) }
            guard let context = state.context else {
                state.noteLostContext()
                return nil
            }
            if context.activity.isAwaking { return tracking.prepareQuietChange(slot) }
            context.willChange(self)
            guard flags.contains(.isDraft) else { return nil }
        }
        if flags.contains(.tracksSlots) { extras?.changedSlots.insert(slot) }
        return record
    }

    /// Reads the row of a fault.
    @usableFromInline
    final func fire() -> Record {
        if let replacement = extras?.replacement { return replacement.readable }
        if let context = state.context {
            context.faulting.fire(self)
        } else {
            state.noteLostContext()
        }
        return record ?? extras?.replacement?.readable ?? entityDescription.template.record
    }
}

// Exact decimals of any scale. Rows store them as bytes that sort as the numbers do.
extension ManagedObject {
    /// Returns the value of a required decimal attribute of any scale, or 0 if it is missing.
    @_spi(Generated)
    public final func decimal(at slot: Int) -> Decimal {
        optionalDecimal(at: slot) ?? 0
    }

    /// Returns the value of an optional decimal attribute of any scale.
    @_spi(Generated)
    public final func optionalDecimal(at slot: Int) -> Decimal? {
        if notesReads { noteRead(of: slot) }
        let record = readable
        return record.hasValue(slot) ? OrderedDecimal.decimal(of: Data(record.bytes(slot))) : nil
    }

    /// Sets a decimal attribute of any scale. NaN is not set, and the next save fails.
    @_spi(Generated)
    public final func setDecimal(_ value: Decimal?, at slot: Int) {
        guard let value else { return writeNull(slot) }
        guard let bytes = OrderedDecimal.bytes(of: value) else { return noteUnfit(slot) }
        bytes.withUnsafeBytes { writeBytes(slot, $0) }
        extras?.unfitSlots.remove(slot)
    }
}

// Attributes of the type `codable`. Rows store them as JSON.
extension ManagedObject {
    /// Returns the value of a required codable attribute. If it is missing or cannot be decoded,
    /// returns the model's default, or `Value()`. The next save throws the decoding error.
    ///
    /// - Complexity: Decodes at each call. If you use the value several times, store it in a
    ///   constant.
    @_spi(Generated)
    public final func codable<Value: StoredCodable & Sendable>(at slot: Int) -> Value {
        optionalCodable(at: slot) ?? decode(slot, of: entityDescription.template.record) ?? Value()
    }

    /// Returns the value of an optional codable attribute, or nil if it cannot be decoded.
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

    /// Sets a codable attribute. If the value cannot be encoded, it is not set, and the next save
    /// fails.
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

    /// Records that the property was set to a value that the store cannot store.
    final func noteUnfit(_ slot: Int) {
        guard prepareChange(slot) != nil else { return }
        ownExtras.unfitSlots.insert(slot)
    }
}

extension ManagedObject {
    /// Returns whether a part of a composite value is set. If no part is set, the composite value
    /// is nil.
    @_spi(Generated)
    public final func isAnySet(in slots: Range<Int>) -> Bool {
        if notesReads { slots.forEach { noteRead(of: $0) } }
        let record = readable
        return slots.contains { record.hasValue($0) }
    }
}

// Data attributes with large values in files beside the store. A row, and so a record, has a byte
// for the form, and either the value itself or the name of its file.
extension ManagedObject {
    /// Returns the value of a data attribute, or empty data if it is missing.
    ///
    /// - Complexity: If the value is in a file, reads the file at each call.
    @_spi(Generated)
    public final func value(at slot: Int) -> Data {
        optionalValue(at: slot) ?? Data()
    }

    /// Returns the value of an optional data attribute.
    ///
    /// - Complexity: If the value is in a file, reads the file at each call.
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

/// Encodes values of codable attributes as JSON, and decodes them. Each context has one codec,
/// created at the first use: creating a coder costs as much as coding a small value.
///
/// Keys are sorted, so that equal values have equal texts. Infinities and NaN are encoded as
/// strings.
final class JSONCodec {
    private let encoder = JSONEncoder()
    private let decoder = JSONDecoder()

    init() {
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    }

    func json(of value: some Encodable) throws -> Data {
        try encoder.encode(value)
    }

    func value<Value: Decodable>(of json: UnsafeRawBufferPointer) throws -> Value {
        try decoder.decode(Value.self, from: Data(json))
    }
}
