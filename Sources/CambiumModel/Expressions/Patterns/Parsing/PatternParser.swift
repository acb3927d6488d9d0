/// Reads regular expressions.
///
/// It reads whole characters, not scalars: a repetition behind an `é` of two scalars repeats both.
struct PatternParser {
    /// What was read.
    struct Parsed {
        let node: PatternNode
        let groupCount: Int
        let hasReferences: Bool
    }

    private var rest: Substring
    var options: PatternOptions
    private var depth = 0
    private(set) var groupCount = 0
    private var names: [String: Int] = [:]
    /// The names and number of the groups of the whole pattern; nil while they are found out.
    private let groups: (names: [String: Int], count: Int)?
    private var hasReferences = false

    /// - Throws: ``PatternSyntaxError`` where the text is no regular expression.
    static func parse(
        _ pattern: String, isCaseless: Bool
    ) throws(PatternSyntaxError) -> Parsed {
        // A back-reference may name a group that follows: the first round finds the groups.
        var parser = PatternParser(pattern, isCaseless, groups: nil)
        let node = try parser.whole()
        guard parser.hasReferences else {
            return Parsed(node: node, groupCount: parser.groupCount, hasReferences: false)
        }
        var second = PatternParser(
            pattern, isCaseless, groups: (parser.names, parser.groupCount))
        return Parsed(
            node: try second.whole(), groupCount: parser.groupCount, hasReferences: true)
    }

    private init(
        _ pattern: String, _ isCaseless: Bool, groups: (names: [String: Int], count: Int)?
    ) {
        rest = pattern[...]
        options = PatternOptions(isCaseless: isCaseless)
        self.groups = groups
    }

    // MARK: Text

    var next: Character? { rest.first }

    mutating func take() -> Character? { rest.popFirst() }

    mutating func take(_ text: String) -> Bool {
        guard rest.hasPrefix(text) else { return false }
        rest.removeFirst(text.count)
        return true
    }

    /// What comes before an end, which is taken too; nil where the end is missing.
    mutating func take(until end: String) -> String? {
        guard let range = rest.firstRange(of: end) else { return nil }
        defer { rest = rest[range.upperBound...] }
        return String(rest[..<range.lowerBound])
    }

    mutating func take(
        atMost count: Int = .max, where isWanted: (Character) -> Bool
    ) -> String {
        let found = rest.prefix(while: isWanted).prefix(count)
        rest.removeFirst(found.count)
        return String(found)
    }

    /// Goes one level down.
    mutating func nested<Result>(
        _ read: (inout PatternParser) throws(PatternSyntaxError) -> Result
    ) throws(PatternSyntaxError) -> Result {
        depth += 1
        defer { depth -= 1 }
        guard depth <= RegularExpression.maximumDepth else { throw Self.tooDeep }
        return try read(&self)
    }

    static let tooDeep = PatternSyntaxError(
        "it nests deeper than \(RegularExpression.maximumDepth) levels, which are the most")

    // MARK: Structure

    private mutating func whole() throws(PatternSyntaxError) -> PatternNode {
        let node = try choice()
        guard rest.isEmpty else { throw PatternSyntaxError("')' closes no group") }
        return node
    }

    mutating func choice() throws(PatternSyntaxError) -> PatternNode {
        var parts = [try sequence()]
        while take("|") { parts.append(try sequence()) }
        return parts.count == 1 ? parts[0] : .choice(parts)
    }

    private mutating func sequence() throws(PatternSyntaxError) -> PatternNode {
        var parts: [PatternNode] = []
        while true {
            skipSpace()
            guard let next, next != "|", next != ")" else { break }
            if take("\\Q") {
                parts.append(literal(take(until: "\\E") ?? take(where: { _ in true })))
            } else if take("(?#") {
                guard take(until: ")") != nil else {
                    throw PatternSyntaxError("a comment has no end")
                }
            } else {
                let part = try element()
                parts.append(try repeated(part))
            }
        }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    /// White space and comments, where the options say that these mean nothing.
    private mutating func skipSpace() {
        guard options.isSpaced else { return }
        while let next {
            if next == "#" {
                _ = take { !$0.isNewline }
            } else if !next.isPatternSpace {
                return
            }
            _ = take()
        }
    }

    private mutating func element() throws(PatternSyntaxError) -> PatternNode {
        guard let mark = take() else { return .empty }
        switch mark {
        case "(": return try nested { parser throws(PatternSyntaxError) in try parser.group() }
        case "[": return try customClass()
        case "\\": return try escape()
        case ".":
            return .scalar(options.matchesLineEnds ? .anything : .lineEnd(isNegated: true))
        case "^": return .assertion(options.matchesAtLines ? .lineStart : .start)
        case "$": return .assertion(options.matchesAtLines ? .lineEnd : .end)
        default:
            let isAmount = try mark == "{" ? self.isAmount() : "*+?".contains(mark)
            guard !isAmount else {
                throw PatternSyntaxError("there is nothing that '\(mark)' could repeat")
            }
            return literal(String(mark))
        }
    }

    func literal(_ text: String) -> PatternNode {
        let scalars = text.unicodeScalars.map { scalar -> PatternNode in
            .scalar(
                options.isCaseless && scalar.properties.isCased
                    ? .caseless(scalar.properties.lowercaseMapping) : .only(scalar))
        }
        return scalars.count == 1 ? scalars[0] : .sequence(scalars)
    }

    // MARK: Groups

    /// The number of a new group.
    mutating func makeGroup(named name: String? = nil) throws(PatternSyntaxError) -> Int {
        groupCount += 1
        if let name {
            guard names.updateValue(groupCount, forKey: name) == nil else {
                throw PatternSyntaxError("two groups are named '\(name)'")
            }
        }
        return groupCount
    }

    mutating func reference(to name: String) throws(PatternSyntaxError) -> PatternNode {
        hasReferences = true
        guard let groups else { return .reference(0) }
        let number = Int(name) ?? groups.names[name]
        guard let number, (1...max(1, groups.count)).contains(number), groups.count > 0 else {
            throw PatternSyntaxError("there is no group '\(name)'")
        }
        return .reference(number)
    }
}

extension Character {
    /// Whether it is white space that an option makes meaningless.
    var isPatternSpace: Bool {
        unicodeScalars.first?.properties.isPatternWhitespace ?? false
    }
}
