/// Strings are compared by their UTF-8 bytes, as SQLite does; Swift's own comparison goes by
/// canonical equivalence.
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

    /// - Complexity: O(length × length of the other)
    func containsByBytes(_ other: String) -> Bool {
        guard let first = other.utf8.first else { return true }
        var rest = utf8[...]
        while let start = rest.firstIndex(of: first) {
            rest = rest[start...]
            if rest.starts(with: other.utf8) { return true }
            rest = rest.dropFirst()
        }
        return false
    }

    /// Without accents, case, or both, as the options say.
    package func folded(_ options: ComparisonOptions) -> String {
        var folded = options.contains(.diacriticInsensitive) ? withoutAccents : self
        if options.contains(.caseInsensitive) { folded = folded.lowercased() }
        return folded
    }
}
