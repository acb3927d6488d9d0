/// Patterns of MATCHES: they match whole strings, by Unicode scalars.
package enum RegularExpression {
    /// Whether a pattern can be compiled.
    package static func isValid(_ pattern: String) -> Bool {
        isModest(pattern) && (try? Regex(pattern)) != nil
    }

    /// Whether a pattern is short and flat enough to be compiled: the compiler of the standard
    /// library goes down one level for each bracket, and a small stack does not hold a thousand.
    private static func isModest(_ pattern: String) -> Bool {
        guard pattern.utf8.count <= 4096 else { return false }
        var depth = 0
        for byte in pattern.utf8 {
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: "["):
                depth += 1
                if depth > 20 { return false }
            case UInt8(ascii: ")"), UInt8(ascii: "]"): depth = max(0, depth - 1)
            default: break
            }
        }
        return true
    }

    /// A compiled pattern, or nil where it is none.
    static func compile(
        _ pattern: String, _ options: ComparisonOptions
    ) -> Regex<AnyRegexOutput>? {
        guard isModest(pattern), let regex = try? Regex(pattern) else { return nil }
        let scalars = regex.matchingSemantics(.unicodeScalar)
        return options.contains(.caseInsensitive) ? scalars.ignoresCase() : scalars
    }
}
