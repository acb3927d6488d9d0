/// A word of an expression's text.
struct ExpressionToken {
    enum Kind {
        /// A name or keyword. `isEscaped` is true if it was written as `#name` and so is never a
        /// keyword.
        case word(String, isEscaped: Bool)
        /// Digits as they are in the text.
        case number(String)
        /// The contents of a quoted string.
        case string(String)
        /// `$name`.
        case variable(String)
        /// `@name`, with the sign.
        case operation(String)
        /// `%@`, `%K` or another format, without the percent sign.
        case placeholder(String)
        /// An operator or a bracket.
        case symbol(String)
        case end
        /// A text that is not a word. (The case is indirect, so that tokens stay small: parsing
        /// recurses on small stacks.)
        indirect case invalid(ExpressionDiagnostic)
    }

    let kind: Kind
    let offset: Int

    /// Returns whether the token is this operator or bracket.
    func isSymbol(_ symbol: String) -> Bool {
        if case .symbol(let own) = kind { own == symbol } else { false }
    }

    /// The name in messages.
    var description: String {
        switch kind {
        case .word(let text, _), .number(let text), .symbol(let text), .operation(let text):
            "'\(text)'"
        case .string: "a string"
        case .variable(let name): "'$\(name)'"
        case .placeholder(let format): "'%\(format)'"
        case .end: "the end"
        case .invalid: "an invalid character"
        }
    }
}

/// Cuts the text of an expression into words.
struct ExpressionLexer {
    private let bytes: [UInt8]
    private var position = 0
    private var mistake: ExpressionDiagnostic?

    /// Symbols by their one or two bytes.
    private static let symbols: [UInt16: String] = Dictionary(
        uniqueKeysWithValues: [
            "**", "==", "!=", "<>", "<=", "=<", ">=", "=>", "&&", "||", ":=",
            "(", ")", "{", "}", "[", "]", ",", ".", "+", "-", "*", "/", "<", ">", "=", "!", "&",
            "|",
            ":",
        ].map { ($0.utf8.reduce(0) { $0 << 8 | UInt16($1) }, $0) })

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// Returns the next word, or `.end` after the last one. After a mistake it always returns
    /// `.invalid`.
    mutating func next() -> ExpressionToken {
        if let mistake {
            return ExpressionToken(kind: .invalid(mistake), offset: mistake.offset)
        }
        do throws(ExpressionDiagnostic) {
            return try read()
        } catch {
            mistake = error
            return ExpressionToken(kind: .invalid(error), offset: error.offset)
        }
    }

    private mutating func read() throws(ExpressionDiagnostic) -> ExpressionToken {
        while let byte = peek(), isSpace(byte) { position += 1 }
        let start = position
        guard let byte = peek() else { return ExpressionToken(kind: .end, offset: start) }
        let kind: ExpressionToken.Kind
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            kind = .string(try string(quote: byte))
        case UInt8(ascii: "$"):
            kind = .variable(try name(after: "$"))
        case UInt8(ascii: "@"):
            kind = .operation("@" + (try name(after: "@")))
        case UInt8(ascii: "#"):
            kind = .word(try name(after: "#"), isEscaped: true)
        case UInt8(ascii: "%"):
            kind = .placeholder(try placeholder())
        default:
            if isDigit(byte) || (byte == UInt8(ascii: ".") && hasDigit(at: 1)) {
                kind = .number(number())
            } else if isNameStart(byte) {
                kind = .word(word(), isEscaped: false)
            } else if let other = peek(1),
                let symbol = Self.symbols[UInt16(byte) << 8 | UInt16(other)]
            {
                position += 2
                kind = .symbol(symbol)
            } else if let symbol = Self.symbols[UInt16(byte)] {
                position += 1
                kind = .symbol(symbol)
            } else {
                let sign = Character(Unicode.Scalar(byte))
                throw ExpressionDiagnostic(
                    offset: start, message: "'\(sign)' has no meaning in an expression",
                    hint: sign == "?" ? "a choice is written TERNARY(condition, a, b)" : nil)
            }
        }
        return ExpressionToken(kind: kind, offset: start)
    }

    // MARK: Names and numbers

    private mutating func word() -> String {
        let start = position
        while let byte = peek(), isNameStart(byte) || isDigit(byte) { position += 1 }
        return text(from: start)
    }

    private func text(from start: Int) -> String {
        String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func name(after sign: String) throws(ExpressionDiagnostic) -> String {
        let start = position
        position += 1
        guard let byte = peek(), isNameStart(byte) else {
            throw ExpressionDiagnostic(offset: start, message: "a name must follow '\(sign)'")
        }
        return word()
    }

    private mutating func number() -> String {
        let start = position
        if peek() == UInt8(ascii: "0"), let mark = peek(1), "xXbBoO".utf8.contains(mark) {
            position += 2
            _ = word()
            return text(from: start)
        }
        skipDigits()
        if peek() == UInt8(ascii: "."), hasDigit(at: 1) {
            position += 1
            skipDigits()
        }
        if let mark = peek(), mark | 0x20 == UInt8(ascii: "e") {
            let length = peek(1) == UInt8(ascii: "+") || peek(1) == UInt8(ascii: "-") ? 2 : 1
            if hasDigit(at: length) {
                position += length
                skipDigits()
            }
        }
        return text(from: start)
    }

    private mutating func skipDigits() {
        while hasDigit(at: 0) { position += 1 }
    }

    private func hasDigit(at distance: Int) -> Bool {
        if let byte = peek(distance) { isDigit(byte) } else { false }
    }

    /// The format of an argument as printf spells it: flags, width and length are read over.
    private mutating func placeholder() throws(ExpressionDiagnostic) -> String {
        let start = position
        position += 1
        while let byte = peek(), isDigit(byte) || "+-.lhqzjt".utf8.contains(byte) { position += 1 }
        guard let byte = peek(), "@KdDiuUxXoOfFeEgGaAcCsS".utf8.contains(byte) else {
            throw ExpressionDiagnostic(
                offset: start, message: "'%' is not followed by a format such as @, K or d")
        }
        position += 1
        return String(decoding: bytes[(start + 1)..<position], as: UTF8.self)
    }

    // MARK: Strings

    private mutating func string(quote: UInt8) throws(ExpressionDiagnostic) -> String {
        let start = position
        position += 1
        var contents: [UInt8] = []
        while let byte = peek() {
            position += 1
            if byte == quote {
                guard !contents.contains(0) else {
                    throw ExpressionDiagnostic(
                        offset: start, message: "a string must not contain the character NUL")
                }
                return String(decoding: contents, as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") {
                try escape(into: &contents)
            } else {
                contents.append(byte)
            }
        }
        throw ExpressionDiagnostic(
            offset: start, message: "the string has no end",
            hint: "close it with \(Character(Unicode.Scalar(quote)))")
    }

    private mutating func escape(into contents: inout [UInt8]) throws(ExpressionDiagnostic) {
        let start = position - 1
        guard let byte = peek() else { return }
        position += 1
        switch byte {
        case UInt8(ascii: "n"): contents.append(10)
        case UInt8(ascii: "t"): contents.append(9)
        case UInt8(ascii: "r"): contents.append(13)
        case UInt8(ascii: "x"): try scalar(digits: 2, from: start, into: &contents)
        case UInt8(ascii: "u"): try scalar(digits: 4, from: start, into: &contents)
        case UInt8(ascii: "U"): try scalar(digits: 8, from: start, into: &contents)
        default:
            // Patterns are written as '\d' and '\*'. A sequence that is not an escape of strings
            // stays unchanged.
            if !"\\'\"".utf8.contains(byte) { contents.append(UInt8(ascii: "\\")) }
            contents.append(byte)
        }
    }

    private mutating func scalar(
        digits: Int, from start: Int, into contents: inout [UInt8]
    ) throws(ExpressionDiagnostic) {
        let text = String(decoding: bytes[position...].prefix(digits), as: UTF8.self)
        guard text.utf8.count == digits, let code = UInt32(text, radix: 16),
            let scalar = Unicode.Scalar(code)
        else {
            throw ExpressionDiagnostic(
                offset: start, message: "the escape needs \(digits) hexadecimal digits")
        }
        position += digits
        contents.append(contentsOf: Character(scalar).utf8)
    }

    // MARK: Bytes

    private func peek(_ distance: Int = 0) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }

    private func isSpace(_ byte: UInt8) -> Bool {
        byte == 32 || (9...13).contains(byte)
    }

    private func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Letters of any script are allowed. The model decides whether the name exists.
    private func isNameStart(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "_")
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
