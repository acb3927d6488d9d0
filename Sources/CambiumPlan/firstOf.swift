extension Dictionary {
    /// The first value of each key.
    ///
    /// As `init(_:uniquingKeysWith:)`, but compiled once, as `ordered(by:)` is.
    @_semantics("optimize.sil.specialize.generic.never")
    @inline(never)
    package init(firstOf pairs: [(Key, Value)]) {
        self.init(pairs, uniquingKeysWith: { first, _ in first })
    }
}
