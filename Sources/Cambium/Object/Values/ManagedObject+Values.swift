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
