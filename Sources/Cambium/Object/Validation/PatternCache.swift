import Synchronization

/// Matches texts with the patterns of attributes, each of which is compiled once for the process.
enum PatternCache {
    /// What matches with one pattern and is not in use.
    private struct Idle: @unchecked Sendable {
        // Safety: whoever takes a matcher out has it for itself until it is put back.
        var matchers: [PatternMatcher]
        /// nil for what is no regular expression.
        let expression: RegularExpression?
    }

    private static let idle = Mutex<[TextKey: Idle]>([:])

    /// Whether the whole text matches. A pattern that is no regular expression, which the compiler
    /// refuses, matches nothing.
    ///
    /// - Throws: ``PatternLimitError`` where it takes too many steps.
    static func matches(_ text: String, _ pattern: String) throws -> Bool {
        let key = TextKey(text: pattern)
        let (known, expression) = idle.withLock { idle in
            if idle[key] == nil {
                idle[key] = Idle(matchers: [], expression: try? RegularExpression(pattern))
            }
            return Handover(value: (idle[key]?.matchers.popLast(), idle[key]?.expression))
        }.value
        guard let matcher = known ?? expression.map({ PatternMatcher($0) }) else { return false }
        let handover = Handover(value: matcher)
        defer { idle.withLock { $0[key]?.matchers.append(handover.value) } }
        return try matcher.matches(text)
    }

    private struct Handover<Value>: @unchecked Sendable {
        // Safety: made and opened on the same thread.
        let value: Value
    }
}
