/// The order of versions: names compare by their runs of digits as numbers, so 10 follows 9, and
/// without the spaces that slip into file names.
package enum VersionOrder {
    /// Whether one name comes before another.
    package static func precedes(_ left: String, _ right: String) -> Bool {
        let (first, second) = (
            parts(left.filter { !$0.isWhitespace }), parts(right.filter { !$0.isWhitespace })
        )
        for (one, other) in zip(first, second) where one != other {
            return isLess(one, other)
        }
        return (first.count, left) < (second.count, right)
    }

    private static func isLess(_ left: Substring, _ right: Substring) -> Bool {
        guard left.first?.isASCIIDigit == true, right.first?.isASCIIDigit == true else {
            return left < right
        }
        // Without leading zeros a longer number is a greater one, however many digits it has.
        let (one, other) = (left.drop { $0 == "0" }, right.drop { $0 == "0" })
        return (one.count, one, left.count) < (other.count, other, right.count)
    }

    private static func parts(_ name: String) -> [Substring] {
        var parts: [Substring] = []
        var rest = name[...]
        while let first = rest.first {
            let part = rest.prefix { $0.isASCIIDigit == first.isASCIIDigit }
            parts.append(part)
            rest = rest.dropFirst(part.count)
        }
        return parts
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
