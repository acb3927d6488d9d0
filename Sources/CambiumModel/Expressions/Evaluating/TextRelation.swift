/// The operators over strings, the same for memory and for the store's functions.
struct TextRelation {
    /// A pattern of MATCHES with its options.
    private struct PatternKey: Hashable {
        let pattern: TextKey
        let options: Int
    }

    private let isCancelled: () -> Bool
    /// The patterns that were used; nil for what is no regular expression.
    private var patterns: [PatternKey: PatternMatcher?] = [:]

    /// - Parameter isCancelled: Whether nobody wants the result any more. Only matches that take
    ///   long ask.
    init(isCancelled: @escaping () -> Bool = { false }) {
        self.isCancelled = isCancelled
    }

    /// Whether two strings stand in a relation.
    ///
    /// - Throws: ``PatternLimitError`` where a pattern takes too many steps; a `CancellationError`.
    mutating func holds(
        _ left: String, _ relation: ComparisonOperator, _ right: String,
        _ options: ComparisonOptions
    ) throws -> Bool {
        if relation == .matches { return try matches(left, right, options) }
        if !options.isEmpty {
            return try holds(left.folded(options), relation, right.folded(options), [])
        }
        return switch relation {
        case .beginsWith: left.startsByBytes(with: right)
        case .endsWith: left.endsByBytes(with: right)
        case .contains: left.containsByBytes(right)
        case .like: WildcardPattern(right).matches(left)
        case .less: left.precedesByBytes(right)
        case .lessOrEqual: !right.precedesByBytes(left)
        case .greater: right.precedesByBytes(left)
        case .greaterOrEqual: !left.precedesByBytes(right)
        default: left.hasEqualBytes(right)
        }
    }

    private mutating func matches(
        _ text: String, _ pattern: String, _ options: ComparisonOptions
    ) throws -> Bool {
        let key = PatternKey(pattern: TextKey(text: pattern), options: options.rawValue)
        if patterns[key] == nil {
            // Patterns out of rows could be many; a cache that is full is begun anew.
            if patterns.count > 64 { patterns.removeAll() }
            let made = (try? RegularExpression(pattern, options)).map {
                PatternMatcher($0, isCancelled: isCancelled)
            }
            patterns.updateValue(made, forKey: key)
        }
        guard let matcher = patterns[key] ?? nil else { return false }
        return try matcher.matches(text.folded(options.intersection(.diacriticInsensitive)))
    }
}
