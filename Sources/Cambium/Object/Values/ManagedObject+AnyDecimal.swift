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
