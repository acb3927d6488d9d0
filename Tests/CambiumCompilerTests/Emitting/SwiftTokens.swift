/// A piece of Swift, as far as a test must tell the pieces apart.
enum SwiftToken: Equatable {
    /// A name or keyword.
    case word(String)
    /// A name in back-ticks.
    case quotedWord(String)
    /// A string literal, by what it means.
    case string(String)
    /// A number.
    case number(String)
    /// Anything else, one character at a time.
    case mark(Character)
}

/// Why a text is not Swift.
struct SwiftTokenError: Error, CustomStringConvertible {
    let description: String
}

/// A tokenizer for the Swift that the emitter writes, written apart from it. It goes over bytes, of
/// which the tests have millions.
struct SwiftTokenizer {
    private let bytes: [UInt8]
    private var position = 0

    /// The tokens of a text without its comments.
    static func tokens(of text: String) throws -> [SwiftToken] {
        var tokenizer = SwiftTokenizer(bytes: Array(text.utf8))
        return try tokenizer.tokens()
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private static let space = UInt8(ascii: " ")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let quote = UInt8(ascii: "\"")
    private static let hash = UInt8(ascii: "#")
    private static let tick = UInt8(ascii: "`")
    private static let slash = UInt8(ascii: "/")
    private static let backslash = UInt8(ascii: "\\")
    private static let dot = UInt8(ascii: ".")

    /// What each byte may be part of.
    private static let wordBytes: [Bool] = (0...255).map { byte in
        byte >= 0x80 || byte == 0x5F || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
            || (0x61...0x7A).contains(byte)
    }

    /// The byte at a place; 0, which is nowhere legal, behind the end.
    private func byte(_ index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 0 }

    private func starts(with text: [UInt8], at index: Int) -> Bool {
        guard byte(index) == text[0], index + text.count <= bytes.count else { return false }
        for offset in text.indices where bytes[index + offset] != text[offset] { return false }
        return true
    }

    private mutating func tokens() throws -> [SwiftToken] {
        var tokens: [SwiftToken] = []
        while position < bytes.count {
            let first = bytes[position]
            switch first {
            case Self.space, Self.lineFeed:
                position += 1
            case Self.slash where byte(position + 1) == Self.slash:
                // To Swift a carriage return ends a comment too.
                while position < bytes.count, bytes[position] != Self.lineFeed,
                    bytes[position] != 13
                { position += 1 }
            case Self.slash where byte(position + 1) == UInt8(ascii: "*"):
                throw SwiftTokenError(description: "A block comment")
            case Self.quote, Self.hash:
                tokens.append(.string(try string()))
            case Self.tick:
                position += 1
                let word = takeWord()
                guard isWord(word), byte(position) == Self.tick else {
                    throw SwiftTokenError(description: "A strange name in back-ticks")
                }
                position += 1
                tokens.append(.quotedWord(word))
            case 0x30...0x39:
                tokens.append(.number(takeWord(withPoints: true)))
            case _ where Self.wordBytes[Int(first)]:
                let word = takeWord()
                guard isWord(word), word.unicodeScalars.first.map(isStart) == true else {
                    throw SwiftTokenError(description: "A strange scalar in \(word)")
                }
                tokens.append(.word(word))
            case 33...126:
                position += 1
                tokens.append(.mark(Character(Unicode.Scalar(first))))
            default:
                throw SwiftTokenError(description: "A strange byte, \(first)")
            }
        }
        return tokens
    }

    private mutating func takeWord(withPoints: Bool = false) -> String {
        let start = position
        while position < bytes.count,
            Self.wordBytes[Int(bytes[position])] || (withPoints && bytes[position] == Self.dot)
        { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private func isStart(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isXIDStart || scalar == "_"
    }

    /// Whether a text of bytes that words may have is one.
    private func isWord(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 < 0x80 }
            || text.unicodeScalars.allSatisfy { $0.properties.isXIDContinue || $0 == "_" }
    }

    /// Reads a literal: plain or raw, of one line or several.
    private mutating func string() throws -> String {
        let start = position
        while byte(position) == Self.hash { position += 1 }
        let hashes = [UInt8](repeating: Self.hash, count: position - start)
        let three = [UInt8](repeating: Self.quote, count: 3)
        let quotes = !hashes.isEmpty && starts(with: three, at: position) ? 3 : 1
        guard byte(position) == Self.quote else {
            throw SwiftTokenError(description: "A lone number sign")
        }
        position += quotes
        var margin: [UInt8]?
        if quotes == 3 {
            guard byte(position) == Self.lineFeed else {
                throw SwiftTokenError(description: "Text behind the quotes")
            }
            position += 1
            let spaces = try self.margin(end: three + hashes)
            if byte(position) != Self.lineFeed { try skip(spaces) }
            margin = spaces
        }
        return try body(
            end: [UInt8](repeating: Self.quote, count: quotes) + hashes,
            escape: [Self.backslash] + hashes, margin: margin)
    }

    private mutating func body(
        end: [UInt8], escape: [UInt8], margin: [UInt8]?
    ) throws -> String {
        var value: [UInt8] = []
        while position < bytes.count {
            let next = bytes[position]
            if next == Self.quote, starts(with: end, at: position) {
                position += end.count
                // The line feed before the end is none of the text's.
                if margin != nil, value.popLast() != Self.lineFeed {
                    throw SwiftTokenError(description: "Text before the quotes")
                }
                return String(decoding: value, as: UTF8.self)
            }
            if next == Self.backslash, starts(with: escape, at: position) {
                position += escape.count
                if byte(position) == Self.lineFeed, let margin {
                    position += 1
                    try skip(margin)
                } else {
                    value += Array(String(try escaped()).utf8)
                }
                continue
            }
            if let scalar = noncharacter() {
                value += scalar
                continue
            }
            position += 1
            guard next == Self.lineFeed || (0x20...0x7E).contains(next) else {
                throw SwiftTokenError(description: "A strange scalar in a literal")
            }
            value.append(next)
            guard next == Self.lineFeed else { continue }
            guard let margin else {
                throw SwiftTokenError(description: "A line end in a literal")
            }
            if byte(position) != Self.lineFeed { try skip(margin) }
        }
        throw SwiftTokenError(description: "A literal without end")
    }

    /// Takes one of the noncharacters from U+FDD0 to U+FDEF, whose escapes Swift refuses.
    private mutating func noncharacter() -> [UInt8]? {
        guard starts(with: [0xEF, 0xB7], at: position),
            (0x90...0xAF).contains(byte(position + 2))
        else { return nil }
        position += 3
        return Array(bytes[position - 3..<position])
    }

    private mutating func escaped() throws -> Unicode.Scalar {
        let first = byte(position)
        if first == Self.quote || first == Self.backslash {
            position += 1
            return Unicode.Scalar(first)
        }
        guard first == UInt8(ascii: "u"), byte(position + 1) == UInt8(ascii: "{") else {
            throw SwiftTokenError(description: "A strange escape")
        }
        position += 2
        let digits = takeWord()
        guard byte(position) == UInt8(ascii: "}"), let value = UInt32(digits, radix: 16),
            let scalar = Unicode.Scalar(value)
        else { throw SwiftTokenError(description: "No scalar: \(digits)") }
        position += 1
        return scalar
    }

    /// The white space before the end of a literal of several lines.
    private func margin(end: [UInt8]) throws -> [UInt8] {
        var index = position
        while index < bytes.count {
            let start = index
            while byte(index) == Self.space { index += 1 }
            if starts(with: end, at: index) { return Array(bytes[start..<index]) }
            while index < bytes.count, bytes[index] != Self.lineFeed { index += 1 }
            index += 1
        }
        throw SwiftTokenError(description: "A literal without end")
    }

    private mutating func skip(_ margin: [UInt8]) throws {
        guard margin.isEmpty || starts(with: margin, at: position) else {
            throw SwiftTokenError(description: "A line left of the margin")
        }
        position += margin.count
    }
}
