/// Patterns of MATCHES: they match whole strings, by Unicode scalars.
package enum RegularExpression {
    /// Whether a pattern can be compiled.
    package static func isValid(_ pattern: String) -> Bool {
        (try? Regex(pattern)) != nil
    }

    /// A compiled pattern, or nil where it is none.
    static func compile(
        _ pattern: String, _ options: ComparisonOptions
    ) -> Regex<AnyRegexOutput>? {
        guard let regex = try? Regex(pattern) else { return nil }
        let scalars = regex.matchingSemantics(.unicodeScalar)
        return options.contains(.caseInsensitive) ? scalars.ignoresCase() : scalars
    }
}
