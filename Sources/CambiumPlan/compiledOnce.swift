// Functions that an optimized build would otherwise compile again for each use. Like
// `ordered(by:)`, they are for short lists, because a call then costs nothing.

extension Dictionary {
    /// The first value of each key.
    @_semantics("optimize.sil.specialize.generic.never")
    @inline(never)
    package init(firstOf pairs: [(Key, Value)]) {
        self.init(pairs, uniquingKeysWith: { first, _ in first })
    }
}

extension String {
    /// Returns the parts between separators, without empty ones.
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
