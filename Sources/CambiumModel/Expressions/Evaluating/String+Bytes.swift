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

    /// - Complexity: O(length + length of the other)
    func containsByBytes(_ other: String) -> Bool {
        var (text, other) = (self, other)
        return text.withUTF8 { text in
            other.withUTF8 { other in
                // The table of the other way costs more than short strings gain.
                other.count <= 16 ? text.holds(short: other) : text.holds(long: other)
            }
        }
    }

    /// Without accents, case, or both, as the options say.
    package func folded(_ options: ComparisonOptions) -> String {
        var folded = options.contains(.diacriticInsensitive) ? withoutAccents : self
        if options.contains(.caseInsensitive) { folded = folded.lowercased() }
        return folded
    }
}

/// A string that is equal to another one where their bytes are.
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

    /// The same for many, by the way of Knuth, Morris and Pratt.
    fileprivate func holds(long wanted: Self) -> Bool {
        guard wanted.count <= count else { return false }
        // How many bytes at the start are also the last ones of each beginning.
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
