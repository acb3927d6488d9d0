// What an optimized build else makes anew for each use. As `ordered(by:)`, it is for short lists, where
// a call costs nothing.

extension Dictionary {
    /// The first value of each key.
    @_semantics("optimize.sil.specialize.generic.never")
    @inline(never)
    package init(firstOf pairs: [(Key, Value)]) {
        self.init(pairs, uniquingKeysWith: { first, _ in first })
    }
}

extension String {
    /// The parts between separators, but for empty ones.
    @inline(never)
    package func split(separator: Character) -> [Substring] {
        split(separator: separator, maxSplits: .max, omittingEmptySubsequences: true)
    }
}

extension [String] {
    /// Whether a text is among these.
    @inline(never)
    package func contains(_ text: String) -> Bool { contains { $0 == text } }
}
