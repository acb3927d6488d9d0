/// A regular expression that the server reads as ``RegularExpression`` does: characters of ASCII,
/// sets of them, groups, choices and repetitions.
package struct PostgresPattern {
    /// The pattern as the server spells it, for a complete string.
    package private(set) var text = ""
    /// Whether the pattern has the same meaning only for ASCII texts. The server does not recognize
    /// other digits.
    package private(set) var isOfASCII = false

    private var rest: Substring.UnicodeScalarView

    /// A repetition of more is an error.
    private static let greatestCount = 255
    /// Groups in each other take the server's stack.
    private static let greatestDepth = 20
    /// The server expands repetitions. An expression with more atoms may take seconds, or is an
    /// error.
    private static let greatestSize = 700
    /// The number of atoms that one atom counts as in a repetition of a part that may be empty: the
    /// server connects each copy with all others.
    private static let sizeInEmptyParts = 10

    /// A part as the server spells it.
    private struct Part {
        var text = ""
        /// The number of atoms that the server makes of it.
        var size = 0
        var mayBeEmpty = false
    }

    /// Translates a pattern of MATCHES; nil if the server may interpret it differently.
    package init?(regularExpression: String) {
        guard regularExpression.utf8.count <= 1000 else { return nil }
        rest = regularExpression[...].unicodeScalars
        // They also match at the ends of lines, but lines have no meaning here.
        if rest.first == "^" { rest.removeFirst() }
        guard let choice = choice(0)?.text else { return nil }
        if rest.first == "$" { rest.removeFirst() }
        guard rest.isEmpty else { return nil }
        text = "^(?:\(choice))$"
    }

    /// Branches up to the end or a closing bracket; nil if anything else follows.
    private mutating func choice(_ depth: Int) -> Part? {
        guard depth <= Self.greatestDepth else { return nil }
        var result = Part()
        var branchMayBeEmpty = true
        while let next = rest.first, next != ")", next != "$" {
            if next == "|" {
                rest.removeFirst()
                result.text += "|"
                result.mayBeEmpty = result.mayBeEmpty || branchMayBeEmpty
                branchMayBeEmpty = true
                continue
            }
            guard let atom = atom(depth), let count = count() else { return nil }
            result.text += atom.text + count.text
            let isOfEmptyParts = count.greatest > 1 && atom.mayBeEmpty
            result.size += atom.size * count.greatest * (isOfEmptyParts ? Self.sizeInEmptyParts : 1)
            guard result.size <= Self.greatestSize else { return nil }
            branchMayBeEmpty = branchMayBeEmpty && (atom.mayBeEmpty || count.least == 0)
        }
        result.mayBeEmpty = result.mayBeEmpty || branchMayBeEmpty
        return result
    }

    private mutating func atom(_ depth: Int) -> Part? {
        if rest.first == "(" {
            rest.removeFirst()
            if rest.first == "?" {
                guard rest.starts(with: "?:".unicodeScalars) else { return nil }
                rest.removeFirst(2)
            }
            guard var part = choice(depth + 1), rest.popFirst() == ")" else { return nil }
            part.text = "(?:\(part.text))"
            part.size = max(part.size, 1)
            return part
        }
        return character().map { Part(text: $0, size: 1) }
    }

    /// A character, or a set of them.
    private mutating func character() -> String? {
        guard let first = rest.popFirst() else { return nil }
        switch first {
        case ".": return "."
        case "\\": return escape()
        case "[": return set()
        default:
            if Self.isLetterOrDigit(first) { return String(first) }
            return Self.plainMarks.contains(first) ? "\\\(first)" : nil
        }
    }

    private static let plainMarks = Set("_@#,:;/=%'\"<>!-&~ ".unicodeScalars)
    private static let escapedMarks = Set(".+*?()[]{}|^$\\/-".unicodeScalars)

    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
    }

    private mutating func escape() -> String? {
        guard let next = rest.popFirst() else { return nil }
        if Self.escapedMarks.contains(next) { return "\\\(next)" }
        let set: String
        switch next {
        case "d": set = "[0-9]"
        case "w": set = "[0-9A-Za-z_]"
        case "s": set = "[ \t\n\u{B}\u{C}\r]"
        default: return nil
        }
        isOfASCII = true
        return set
    }

    private mutating func set() -> String? {
        guard let end = rest.firstIndex(of: "]") else { return nil }
        var body = rest[..<end]
        rest = rest[rest.index(after: end)...]
        var result = "["
        if body.first == "^" {
            result += "^"
            body.removeFirst()
        }
        // `[:alpha:]` is a class of letters in memory, and six characters to the server.
        guard !body.isEmpty, body.first != ":" else { return nil }
        while let first = body.popFirst() {
            if Self.isLetterOrDigit(first), body.first == "-", let last = body.dropFirst().first {
                guard Self.isLetterOrDigit(last), first.value <= last.value else { return nil }
                body.removeFirst(2)
                result += "\(first)-\(last)"
                continue
            }
            // A literal hyphen must be last.
            let isPlain =
                first == "-"
                ? body.isEmpty
                : Self.isLetterOrDigit(first)
                    || "_@#,:;/=%'\"<>! .+*?(){}|$".unicodeScalars.contains(first)
            guard isPlain else { return nil }
            result.unicodeScalars.append(first)
        }
        return result + "]"
    }

    /// The quantifier of the preceding atom. An unlimited one counts as one occurrence, because the
    /// server does not expand it. For matching a complete string, a lazy quantifier makes no
    /// difference, but a possessive one does.
    private mutating func count() -> (text: String, least: Int, greatest: Int)? {
        var count = (text: "", least: 1, greatest: 1)
        switch rest.first {
        case "*", "+", "?":
            count.text = rest.popFirst().map { String($0) } ?? ""
            count.least = count.text == "+" ? 1 : 0
        case "{":
            guard let end = rest.firstIndex(of: "}") else { return nil }
            let body = String(rest[rest.index(after: rest.startIndex)..<end])
            let bounds = body.split(separator: ",", omittingEmptySubsequences: false)
            guard (1...2).contains(bounds.count), let least = Self.number(bounds[0]) else {
                return nil
            }
            count = ("{\(body)}", least, max(least, 1))
            if bounds.count == 2, !bounds[1].isEmpty {
                guard let greatest = Self.number(bounds[1]), greatest >= least else { return nil }
                count.greatest = max(greatest, 1)
            }
            rest = rest[rest.index(after: end)...]
        default: return count
        }
        if rest.first == "?" { rest.removeFirst() }
        if let next = rest.first, "*+?{".unicodeScalars.contains(next) { return nil }
        return count
    }

    /// A bound of a repetition. (Swift's numbers may have a sign; a bound may not.)
    private static func number(_ digits: Substring) -> Int? {
        guard digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
            return nil
        }
        return Int(digits).flatMap { $0 <= greatestCount ? $0 : nil }
    }
}
