extension Sequence {
    /// The elements in the order of `areInIncreasingOrder`.
    ///
    /// As `sorted(by:)`, but compiled once: an optimized build makes some thirty functions anew for
    /// each use of `sorted(by:)`, which took a tenth of the time that the runtime needs to compile. A
    /// comparison costs more here, so this is for short lists, and `sorted(by:)` for long ones.
    @_semantics("optimize.sil.specialize.generic.never")
    @inline(never)
    package func ordered(
        by areInIncreasingOrder: (Element, Element) throws -> Bool
    ) rethrows -> [Element] {
        let elements = Array(self)
        guard elements.count > 1 else { return elements }
        return try elements.sorted(by: areInIncreasingOrder)
    }
}
