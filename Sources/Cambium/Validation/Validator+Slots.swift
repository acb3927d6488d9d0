// What nearly every property is checked for, for many properties in one call.
extension Validator {
    /// Required attributes must have been given values: those whose bits are set, from a slot on.
    @_spi(Generated)
    public mutating func required(slots: UInt64, from base: Int = 0) {
        let record = object.readable
        var rest = slots
        while rest != 0 {
            let slot = base + rest.trailingZeroBitCount
            rest &= rest - 1
            if !record.hasValue(slot) { required(property(at: slot), at: slot) }
        }
    }

    /// Floating-point numbers and dates must not be NaN, which the store cannot keep.
    @_spi(Generated)
    public mutating func finite(slots: UInt64, from base: Int = 0) {
        let record = object.readable
        var rest = slots
        while rest != 0 {
            let slot = base + rest.trailingZeroBitCount
            rest &= rest - 1
            if record.hasValue(slot), record.real(slot).isNaN {
                finite(property(at: slot), record.real(slot))
            }
        }
    }

    private func property(at slot: Int) -> String {
        object.entityDescription.layout.slots[slot].property
    }
}
