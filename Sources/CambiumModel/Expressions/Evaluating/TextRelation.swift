/// The operators over strings, the same for memory and for the store's functions.
struct TextRelation {
    private var patterns: [String: Regex<AnyRegexOutput>] = [:]

    /// Whether two strings stand in a relation.
    mutating func holds(
        _ left: String, _ relation: ComparisonOperator, _ right: String,
        _ options: ComparisonOptions
    ) -> Bool {
        if relation == .matches { return matches(left, right, options) }
        if !options.isEmpty {
            return holds(left.folded(options), relation, right.folded(options), [])
        }
        switch relation {
        case .beginsWith: return left.startsByBytes(with: right)
        case .endsWith: return left.endsByBytes(with: right)
        case .contains: return left.containsByBytes(right)
        case .like: return WildcardPattern(right).matches(left)
        case .less: return left.precedesByBytes(right)
        case .lessOrEqual: return !right.precedesByBytes(left)
        case .greater: return right.precedesByBytes(left)
        case .greaterOrEqual: return !left.precedesByBytes(right)
        default: return left.hasEqualBytes(right)
        }
    }

    private mutating func matches(
        _ text: String, _ pattern: String, _ options: ComparisonOptions
    ) -> Bool {
        let accents = options.intersection(.diacriticInsensitive)
        let key = "\(options.rawValue)\(pattern)"
        if patterns[key] == nil {
            // Patterns out of rows could be many; a cache that is full is begun anew.
            if patterns.count > 64 { patterns.removeAll() }
            patterns[key] = RegularExpression.compile(pattern.folded(accents), options)
        }
        guard let regex = patterns[key] else { return false }
        return (try? regex.wholeMatch(in: text.folded(accents))) != nil
    }
}
