import Synchronization
import _StringProcessing

/// Regular expressions by their text, compiled once for the process.
enum PatternCache {
    private struct Compiled: @unchecked Sendable {
        // Safety: matching does not change a compiled regular expression.
        let regex: Regex<AnyRegexOutput>?
    }

    private static let compiled = Mutex<[String: Compiled]>([:])

    /// Whether the whole text matches. A pattern that is no regular expression, which the compiler
    /// refuses, matches nothing.
    static func matches(_ text: String, _ pattern: String) -> Bool {
        let entry = compiled.withLock { compiled in
            if let known = compiled[pattern] { return known }
            let made = Compiled(
                regex: try? Regex(pattern).matchingSemantics(.unicodeScalar))
            compiled[pattern] = made
            return made
        }
        guard let regex = entry.regex else { return false }
        return (try? regex.wholeMatch(in: text)) != nil
    }
}
