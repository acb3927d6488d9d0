@_spi(_Unicode) import Swift

/// The operators over strings, the same for memory and for the store's functions.
struct TextRelation {
    /// A pattern of MATCHES with its options.
    private struct PatternKey: Hashable {
        let pattern: TextKey
        let options: Int
    }

    private let isCancelled: () -> Bool
    /// The patterns used so far; nil for a text that is not a regular expression.
    private var patterns: [PatternKey: PatternMatcher?] = [:]

    /// - Parameter isCancelled: Whether the result is no longer wanted. Only long matches call it.
    init(isCancelled: @escaping () -> Bool = { false }) {
        self.isCancelled = isCancelled
    }

    /// Returns whether two strings are in a relation.
    ///
    /// - Throws: ``PatternLimitError`` if a pattern takes too many steps; a `CancellationError` if
    ///   the match was cancelled.
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
            // Patterns from rows could be many, so a full cache is cleared.
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

/// The pattern of LIKE. `*` is any number of characters, `?` is one. A backslash makes the next
/// character literal. A character is a Unicode scalar.
package struct WildcardPattern {
    package enum Element: Equatable {
        case anything
        case one
        case scalar(Unicode.Scalar)
    }

    package let elements: [Element]

    package init(_ text: String) {
        var elements: [Element] = []
        var isEscaped = false
        for scalar in text.unicodeScalars {
            switch scalar {
            case _ where isEscaped: elements.append(.scalar(scalar))
            case "\\":
                isEscaped = true
                continue
            case "*": elements.append(.anything)
            case "?": elements.append(.one)
            default: elements.append(.scalar(scalar))
            }
            isEscaped = false
        }
        if isEscaped { elements.append(.scalar("\\")) }
        self.elements = elements
    }

    /// Whether the whole text matches.
    ///
    /// - Complexity: O(length of the text × length of the pattern)
    package func matches(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        var (position, index) = (0, 0)
        // The state to continue from if the part after the last `*` does not match.
        var retry: (position: Int, index: Int)?
        while position < scalars.count {
            if index < elements.count, elements[index] == .anything {
                index += 1
                retry = (position, index)
            } else if index < elements.count,
                elements[index] == .one || elements[index] == .scalar(scalars[position])
            {
                position += 1
                index += 1
            } else if let last = retry {
                retry = (last.position + 1, last.index)
                (position, index) = (last.position + 1, last.index)
            } else {
                return false
            }
        }
        return elements[index...].allSatisfy { $0 == .anything }
    }
}

/// Strings are compared by their UTF-8 bytes, as in SQLite. Swift's own comparison uses canonical
/// equivalence.
extension String {
    package func hasEqualBytes(_ other: String) -> Bool {
        utf8.count == other.utf8.count && self == other && utf8.elementsEqual(other.utf8)
    }

    package func precedesByBytes(_ other: String) -> Bool {
        utf8.lexicographicallyPrecedes(other.utf8)
    }

    func startsByBytes(with prefix: String) -> Bool {
        utf8.starts(with: prefix.utf8)
    }

    func endsByBytes(with suffix: String) -> Bool {
        let count = suffix.utf8.count
        return utf8.count >= count && utf8.suffix(count).elementsEqual(suffix.utf8)
    }

    /// - Complexity: O(length + length of the other)
    func containsByBytes(_ other: String) -> Bool {
        var (text, other) = (self, other)
        return text.withUTF8 { text in
            other.withUTF8 { other in
                // For short strings, the table of the other algorithm costs more than it saves.
                other.count <= 16 ? text.holds(short: other) : text.holds(long: other)
            }
        }
    }

    /// Returns the string without accents, case, or both, depending on the options.
    package func folded(_ options: ComparisonOptions) -> String {
        var folded = options.contains(.diacriticInsensitive) ? withoutAccents : self
        if options.contains(.caseInsensitive) { folded = folded.lowercased() }
        return folded
    }
}

/// A string that equals another if their bytes are equal.
package struct TextKey: Hashable, Sendable {
    private let text: String

    package init(text: String) {
        self.text = text
    }

    package static func == (left: TextKey, right: TextKey) -> Bool {
        left.text.hasEqualBytes(right.text)
    }

    /// Equal bytes are equal strings, so the string's own hash will do.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }
}

extension UnsafeBufferPointer<UInt8> {
    // Safety: the bytes are read inside the bounds, while the strings that have them are held.

    /// Whether a few bytes are somewhere among these.
    fileprivate func holds(short wanted: Self) -> Bool {
        guard let first = wanted.first else { return true }
        guard wanted.count <= count else { return false }
        for start in 0...(count - wanted.count) where self[start] == first {
            var length = 1
            while length < wanted.count, self[start + length] == wanted[length] { length += 1 }
            if length == wanted.count { return true }
        }
        return false
    }

    /// Returns the result for a long text, with the algorithm of Knuth, Morris and Pratt.
    fileprivate func holds(long wanted: Self) -> Bool {
        guard wanted.count <= count else { return false }
        // For each prefix, the number of bytes at its start that are also its last bytes.
        var fallbacks = [0]
        var length = 0
        for index in 1..<wanted.count {
            while length > 0, wanted[length] != wanted[index] { length = fallbacks[length - 1] }
            if wanted[length] == wanted[index] { length += 1 }
            fallbacks.append(length)
        }
        length = 0
        for byte in self {
            while length > 0, wanted[length] != byte { length = fallbacks[length - 1] }
            if wanted[length] == byte { length += 1 }
            if length == wanted.count { return true }
        }
        return false
    }
}

extension String {
    /// The string without the marks that its letters carry.
    ///
    /// It uses the standard library's decomposition, as swift-foundation does: Foundation's own
    /// folding is not in FoundationEssentials.
    var withoutAccents: String {
        guard utf8.contains(where: { $0 >= 0x80 }) else { return self }
        // Marks are left out before, too: the library takes quadratic time to put many in order.
        var letters = self
        if unicodeScalars.contains(where: Self.isMark) {
            letters.unicodeScalars.removeAll(where: Self.isMark)
        }
        var result = ""
        for scalar in letters._nfd where !Self.isMark(scalar) {
            result.unicodeScalars.append(scalar)
        }
        return result
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x300 && scalar.properties.canonicalCombiningClass != .notReordered
    }
}
