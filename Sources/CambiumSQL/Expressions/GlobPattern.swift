/// A regular expression that SQLite's GLOB can express. It consists of characters and sets of
/// characters, each once or a fixed number of times. The last element may repeat freely, as in
/// `[A-Z]{2}-[0-9]+`.
package struct GlobPattern: Sendable {
    /// The elements before the one that repeats, as GLOB spells them.
    private(set) var fixed: [String] = []
    private(set) var last: Repetition?

    /// The last element, if its number is not fixed.
    struct Repetition: Sendable {
        let element: String
        let minimum: Int
        let maximum: Int?
    }

    /// SQLite limits the length of patterns; longer ones are not worth a CHECK.
    private static let maximumLength = 100

    /// Translates a pattern of MATCHES; nil if GLOB cannot express it.
    package init?(regularExpression: String) {
        var rest = regularExpression.unicodeScalars[...]
        if rest.first == "^" { rest.removeFirst() }
        while let element = Self.takeElement(from: &rest) {
            guard last == nil, let count = Self.takeCount(from: &rest) else { return nil }
            if count.lowerBound == count.maximum {
                guard fixed.count + count.lowerBound <= Self.maximumLength else { return nil }
                fixed += Array(repeating: element, count: count.lowerBound)
            } else {
                last = Repetition(
                    element: element, minimum: count.lowerBound, maximum: count.maximum)
            }
        }
        if rest.first == "$" { rest.removeFirst() }
        guard rest.isEmpty, fixed.count + (last?.minimum ?? 0) <= Self.maximumLength else {
            return nil
        }
    }

    /// The condition that a text, as SQL that may be written more than once, matches as a whole.
    package func condition(on text: String) -> String {
        let start = fixed.joined()
        guard let last else { return "\(text) GLOB \(SQLText.literal(start))" }
        let least = start + String(repeating: last.element, count: last.minimum) + "*"
        var parts = ["\(text) GLOB \(SQLText.literal(least))"]
        let other = SQLText.literal(.text("*\(Self.complement(of: last.element))*"))
        parts.append("substr(\(text), \(fixed.count + 1)) NOT GLOB \(other)")
        if let maximum = last.maximum {
            parts.append("length(\(text)) <= \(fixed.count + maximum)")
        }
        return "(\(parts.joined(separator: " AND ")))"
    }

    /// Returns the set of the characters that the element does not match.
    private static func complement(of element: String) -> String {
        guard element.first == "[" else { return "[^\(element)]" }
        let body = element.dropFirst()
        return body.first == "^" ? "[\(body.dropFirst())" : "[^\(body)"
    }

    // MARK: Reading

    /// Characters that mean themselves, in a regular expression and in GLOB, in and out of sets.
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.isASCII else { return false }
        return scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            || "_@#,:;/ =%'\"<>!".unicodeScalars.contains(scalar)
    }

    private static func takeElement(from rest: inout Substring.UnicodeScalarView) -> String? {
        guard let first = rest.first else { return nil }
        if isPlain(first) || first == "-" {
            rest.removeFirst()
            return String(first)
        }
        if first == "\\", let next = rest.dropFirst().first,
            ".+-()/${}|".unicodeScalars.contains(next)
        {
            rest.removeFirst(2)
            return String(next)
        }
        return first == "[" ? takeSet(from: &rest) : nil
    }

    private static func takeSet(from rest: inout Substring.UnicodeScalarView) -> String? {
        guard let end = rest.firstIndex(of: "]") else { return nil }
        var body = rest[rest.index(after: rest.startIndex)..<end]
        let isNegated = body.first == "^"
        if isNegated { body.removeFirst() }
        // A hyphen stands last or between the ends of a range. `[:alpha:]` is a class of letters.
        guard body.first != "-", body.first != ":", !body.isEmpty,
            String(body).firstRange(of: "--") == nil,
            body.allSatisfy({ isPlain($0) || "-+.".unicodeScalars.contains($0) })
        else { return nil }
        rest = rest[rest.index(after: end)...]
        return "[\(isNegated ? "^" : "")\(String(body))]"
    }

    /// Reads how often the previous element occurs. `a+?` and `a++` leave a character that is not
    /// an element.
    private static func takeCount(
        from rest: inout Substring.UnicodeScalarView
    ) -> (lowerBound: Int, maximum: Int?)? {
        switch rest.first {
        case "+":
            rest.removeFirst()
            return (1, nil)
        case "*":
            rest.removeFirst()
            return (0, nil)
        case "?":
            rest.removeFirst()
            return (0, 1)
        case "{":
            guard let end = rest.firstIndex(of: "}") else { return nil }
            let body = String(rest[rest.index(after: rest.startIndex)..<end])
            let bounds = body.split(separator: ",", omittingEmptySubsequences: false)
            guard (1...2).contains(bounds.count), let lower = Int(bounds[0]), lower >= 0,
                lower <= maximumLength
            else { return nil }
            rest = rest[rest.index(after: end)...]
            guard bounds.count == 2 else { return (lower, lower) }
            if bounds[1].isEmpty { return (lower, nil) }
            guard let upper = Int(bounds[1]), upper >= lower else { return nil }
            return (lower, upper)
        default:
            return (1, 1)
        }
    }
}
