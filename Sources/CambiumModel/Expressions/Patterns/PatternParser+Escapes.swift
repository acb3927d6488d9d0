extension PatternParser {
    /// Reads the rest of an escape, after the backslash.
    mutating func escape() throws(PatternSyntaxError) -> PatternNode {
        guard let letter = take() else {
            throw PatternSyntaxError("a backslash ends it")
        }
        if let assertion = Self.assertions[letter] { return .assertion(assertion) }
        if let control = Self.controls[letter] { return literal(control) }
        if "dDhHsSvVwW".contains(letter) { return try spelt("\\" + String(letter)) }
        if "xuUo0".contains(letter) { return try number(letter) }
        if "123456789".contains(letter) {
            return try reference(to: String(letter) + (groupNumber() ?? ""))
        }
        switch letter {
        case "p", "P", "N":
            guard take("{"), let name = take(until: "}") else { throw Self.unknown(letter) }
            return try spelt("\\\(letter){\(name)}")
        case "X": return .grapheme
        case "R": return try lineEnd()
        case "g":
            if let digits = groupNumber() { return try reference(to: digits) }
            return try reference(until: take("{") ? "}" : nil, behind: letter)
        case "k":
            let end = take("<") ? ">" : take("{") ? "}" : take("'") ? "'" : nil
            return try reference(until: end, behind: letter)
        default:
            if let scalar = letter.unicodeScalars.first, scalar.isASCII,
                Character(scalar).isLetter || Character(scalar).isNumber
            {
                throw Self.unknown(letter)
            }
            return literal(String(letter))
        }
    }

    private static let assertions: [Character: PatternAssertion] = [
        "A": .start, "G": .start, "Z": .endOrLastLineEnd, "z": .end,
        "b": .wordBoundary(isNegated: false), "B": .wordBoundary(isNegated: true),
        "y": .graphemeBoundary(isNegated: false), "Y": .graphemeBoundary(isNegated: true),
    ]

    private static let controls: [Character: String] = [
        "a": "\u{7}", "e": "\u{1B}", "f": "\u{C}", "n": "\n", "r": "\r", "t": "\t",
    ]

    private static func unknown(_ letter: Character) -> PatternSyntaxError {
        PatternSyntaxError("'\\\(letter)' is not supported")
    }

    private mutating func groupNumber() -> String? {
        let digits = take { $0.isASCII && $0.isNumber }
        return digits.isEmpty ? nil : digits
    }

    private mutating func reference(
        until end: String?, behind letter: Character
    ) throws(PatternSyntaxError) -> PatternNode {
        guard let end, let name = take(until: end) else { throw Self.unknown(letter) }
        return try reference(
            to: Int(name).map { $0 > 0 && name.first != "+" } == true ? name : checked(name))
    }

    /// CR and LF together, or any line end.
    private func lineEnd() throws(PatternSyntaxError) -> PatternNode {
        .choice([
            literal("\r\n"),
            .sequence([literal("\r"), .assertion(.notBefore(.only("\n")))]),
            try spelt(#"[\n\x0B\x0C\x85\u2028\u2029]"#),
        ])
    }

    // MARK: Scalars by their numbers

    private mutating func number(_ letter: Character) throws(PatternSyntaxError) -> PatternNode {
        let isOctal = letter == "o" || letter == "0"
        let radix = isOctal ? 8 : 16
        if letter != "0", letter != "U", take("{") {
            guard let text = take(until: "}") else { throw Self.unknown(letter) }
            let words = letter == "u" ? text.split(whereSeparator: \.isPatternSpace) : [text[...]]
            guard !words.isEmpty else { throw Self.unknown(letter) }
            var scalars = ""
            for word in words { scalars.unicodeScalars.append(try Self.scalar(word, radix)) }
            return literal(scalars)
        }
        guard letter != "o" else { throw Self.unknown(letter) }
        let length = letter == "u" ? 4...4 : letter == "U" ? 8...8 : 0...2
        let digits = take(atMost: length.upperBound) {
            $0.isASCII && (isOctal ? ("0"..."7").contains($0) : $0.isHexDigit)
        }
        guard length.contains(digits.count) else { throw Self.unknown(letter) }
        return literal(String(try Self.scalar(digits.isEmpty ? "0" : digits[...], radix)))
    }

    private static func scalar(
        _ digits: Substring, _ radix: Int
    ) throws(PatternSyntaxError) -> Unicode.Scalar {
        let trimmed = digits.filter { !$0.isPatternSpace }
        guard trimmed.first != "+", let value = UInt32(trimmed, radix: radix),
            let scalar = Unicode.Scalar(value)
        else { throw PatternSyntaxError("'\(digits.prefix(20))' is not a Unicode scalar") }
        return scalar
    }

    // MARK: Classes

    /// A class in square brackets, behind the first one.
    mutating func customClass() throws(PatternSyntaxError) -> PatternNode {
        var text = "["
        var depth = 1
        var operations = 0
        while depth > 0 {
            if take("\\Q") {
                guard let quoted = take(until: "\\E") else { break }
                text += "\\Q\(quoted)\\E"
                continue
            }
            guard let character = take() else { break }
            text.append(character)
            switch character {
            case "[": depth += 1
            case "]": depth -= 1
            case "\\": if let escaped = take() { text.append(escaped) }
            // The standard library recurses one level for each `&&`, `--` and `~~`.
            case "&", "-", "~": if next == character { operations += 1 }
            default: break
            }
            guard max(depth, operations) <= RegularExpression.maximumDepth else {
                throw Self.tooDeep
            }
        }
        guard depth == 0 else { throw PatternSyntaxError("a class has no ']'") }
        return try spelt(text)
    }

    /// Returns a class of the standard library.
    private func spelt(_ text: String) throws(PatternSyntaxError) -> PatternNode {
        let text = options.classPrefix + text
        do {
            _ = try Regex(text)
        } catch {
            throw PatternSyntaxError("\(error)")
        }
        return .scalar(.spelt(text))
    }
}

/// The options in effect at a place of a pattern, such as `(?i)`.
struct PatternOptions: Sendable {
    /// The letters of the options that are on.
    private var letters: String

    /// The options at the start of a pattern, as in predicates on Apple's platforms.
    init(isCaseless: Bool) {
        letters = isCaseless ? "smi" : "sm"
    }

    /// Upper and lower case are equal.
    var isCaseless: Bool { isOn("i") }
    /// A dot matches line ends.
    var matchesLineEnds: Bool { isOn("s") }
    /// `^` and `$` match at each line.
    var matchesAtLines: Bool { isOn("m") }
    /// White space is ignored, and `#` starts a comment.
    var isSpaced: Bool { isOn("x") }
    /// Only groups with names are numbered.
    var numbersNamesOnly: Bool { isOn("n") }
    /// Repetitions take few unless a question mark follows.
    var isReluctant: Bool { isOn("U") }

    private func isOn(_ letter: Character) -> Bool { letters.contains(letter) }

    /// The options that affect a class of characters, as a prefix of the class.
    var classPrefix: String {
        let found = "DPSWix".filter(isOn)
        return found.isEmpty ? "" : "(?\(found))"
    }

    /// Applies letters such as `i-s` or `^m`; returns false if one is unknown.
    mutating func apply(_ text: Substring) -> Bool {
        var rest = text
        if rest.first == "^" {
            letters = ""
            rest.removeFirst()
        }
        var isAdded = true
        for letter in rest {
            if letter == "-", isAdded {
                isAdded = false
            } else if "imsxnUDPSW".contains(letter) {
                letters.removeAll { $0 == letter }
                if isAdded { letters.append(letter) }
            } else {
                return false
            }
        }
        return true
    }
}
