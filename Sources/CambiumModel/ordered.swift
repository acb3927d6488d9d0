extension Sequence {
    /// Returns the elements in the order of `areInIncreasingOrder`.
    ///
    /// It works like `sorted(by:)`, but is compiled once. An optimized build compiles some thirty
    /// functions separately for each use of `sorted(by:)`, which took a tenth of the runtime's
    /// compile time. A comparison costs more here. Use it for short lists, and `sorted(by:)` for
    /// long ones.
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
