// Strings.

extension PredicateExpressions.CollectionContainsCollection: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let (text, part) = try lowering.values(base, other)
        return .value(.comparison(text, .contains, part, []))
    }
}

extension PredicateExpressions.SequenceStartsWith: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let (text, start) = try lowering.values(base, prefix)
        return .value(.comparison(text, .beginsWith, start, []))
    }
}

extension PredicateExpressions.StringContainsRegex: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let (text, pattern) = try lowering.values(subject, regex)
        guard case .literal(.string(let pattern)) = pattern else {
            throw UnsupportedPredicateError(
                part: PredicateLowering.name(of: regex), reason: "it is no constant pattern",
                remedy: "Use a regular expression that the closure captures")
        }
        // MATCHES is about whole strings, with other options than Swift's own.
        let whole = "(?s:.*)(?-sm:\(pattern))(?s:.*)"
        return .value(.comparison(text, .matches, .literal(.string(whole)), []))
    }
}
