import CambiumRecords

// What the accessors of generated classes call. A slot's number is fixed at compile time.
extension ManagedObject {
    /// The record to read from; reads the row of a fault.
    @inlinable
    final var readable: Record {
        if let record { return record }
        return fire()
    }

    /// The record, read if it was not, for what the library looks at by itself; nil where the row was
    /// deleted, which is no error then.
    @inline(__always)
    final var present: Record? {
        if let record { return record }
        return firePresent()
    }

    private func firePresent() -> Record? {
        if let context = state.context, !context.faulting.hasRow(self) { return nil }
        return fire()
    }

    /// The value of a required attribute. What another program has written and is no value of the
    /// type (a raw value without a case, bytes that are no UUID) reads as the model's default, and
    /// the next save throws an error that names it.
    @_spi(Generated)
    @inlinable
    public final func value<Property: StoredProperty>(at slot: Int) -> Property {
        if notesReads { noteRead(of: slot) }
        let record = readable
        guard record.hasValue(slot) else { return Property._missing }
        return Property.read(record, slot) ?? unreadable(slot) ?? Property._missing
    }

    /// The value of an optional attribute.
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

    /// Sets an attribute, or takes its value away.
    @_spi(Generated)
    @inlinable
    public final func setValue<Property: StoredProperty>(_ value: Property?, at slot: Int) {
        if let value { value.write(to: self, slot) } else { writeNull(slot) }
    }

    /// The value of a required decimal attribute.
    @_spi(Generated)
    public final func decimal(at slot: Int, scale: Int) -> Decimal {
        if notesReads { noteRead(of: slot) }
        return DecimalStorage.decimal(ofUnits: readable.integer(slot), scale: scale)
    }

    /// The value of an optional decimal attribute.
    @_spi(Generated)
    public final func optionalDecimal(at slot: Int, scale: Int) -> Decimal? {
        if notesReads { noteRead(of: slot) }
        let record = readable
        guard record.hasValue(slot) else { return nil }
        return DecimalStorage.decimal(ofUnits: record.integer(slot), scale: scale)
    }

    /// Sets a decimal attribute. A value that does not fit the scale leaves the old one, and every
    /// save is refused until the attribute is set to one that fits.
    @_spi(Generated)
    public final func setDecimal(_ value: Decimal?, at slot: Int, scale: Int) {
        guard let value else { return writeNull(slot) }
        guard let units = DecimalStorage.units(of: value, scale: scale) else {
            return noteUnfit(slot)
        }
        writeInteger(slot, units)
        extras?.unfitSlots.remove(slot)
    }

    /// Remembers that a value is none of its type.
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

    /// Writes a whole number as a change.
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

    /// Writes a date, in seconds since 2001-01-01 UTC and as exactly as the store keeps it, as a change.
    @inlinable
    public final func writeDate(_ slot: Int, _ seconds: Double) {
        if status.roundsDates { writeRoundedDate(slot, seconds) } else { writeReal(slot, seconds) }
    }

    /// Writes a date as a change, after rounding it as the store does.
    @usableFromInline
    final func writeRoundedDate(_ slot: Int, _ seconds: Double) {
        writeReal(slot, state.coordinator.kept(seconds))
    }

    /// Takes a value away, as a change. No value fits every optional type.
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
        // Safety: the object keeps its page, and by its state the writer and its description;
        // writing bytes changes none of them.
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

    /// Makes sure that the record may be written and the change is known; nil where the object is
    /// not part of a context any more.
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

// Exact decimals of any scale, which rows hold as bytes that sort as the numbers do.
extension ManagedObject {
    /// The value of a required decimal attribute of any scale; 0 where it is missing.
    @_spi(Generated)
    public final func decimal(at slot: Int) -> Decimal {
        optionalDecimal(at: slot) ?? 0
    }

    /// The value of an optional decimal attribute of any scale.
    @_spi(Generated)
    public final func optionalDecimal(at slot: Int) -> Decimal? {
        if notesReads { noteRead(of: slot) }
        let record = readable
        return record.hasValue(slot) ? OrderedDecimal.decimal(of: Data(record.bytes(slot))) : nil
    }

    /// Sets a decimal attribute of any scale. NaN is not taken over, and the next save is refused.
    @_spi(Generated)
    public final func setDecimal(_ value: Decimal?, at slot: Int) {
        guard let value else { return writeNull(slot) }
        guard let bytes = OrderedDecimal.bytes(of: value) else { return noteUnfit(slot) }
        bytes.withUnsafeBytes { writeBytes(slot, $0) }
        extras?.unfitSlots.remove(slot)
    }
}

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

extension ManagedObject {
    /// Whether one of the parts of a composite value is there; without any, the value is nil.
    @_spi(Generated)
    public final func isAnySet(in slots: Range<Int>) -> Bool {
        if notesReads { slots.forEach { noteRead(of: $0) } }
        let record = readable
        return slots.contains { record.hasValue($0) }
    }
}

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

/// Turns values of codable attributes into JSON and back. Each context has one, made when it is
/// first needed: making a coder costs as much as coding a small value.
///
/// Keys are sorted, so that equal values have equal texts. Infinities and NaN are written as texts.
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
