extension ManagedObject {
    /// Whether one of the parts of a composite value is there; without any, the value is nil.
    @_spi(Generated)
    public final func isAnySet(in slots: Range<Int>) -> Bool {
        if notesReads { slots.forEach { noteRead(of: $0) } }
        let record = readable
        return slots.contains { record.hasValue($0) }
    }
}
