extension ManagedObject {
    /// Whether one of the parts of a composite value is there; without any, the value is nil.
    @_spi(Generated)
    public final func isAnySet(in slots: Range<Int>) -> Bool {
        let record = readable
        return slots.contains { record.hasValue($0) }
    }
}
