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

/// A tokenizer for the Swift that the emitter writes, written apart from it.
struct SwiftTokenizer {
    private let scalars: [Unicode.Scalar]
    private var position = 0

    /// The tokens of a text without its comments.
    static func tokens(of text: String) throws -> [SwiftToken] {
        var tokenizer = SwiftTokenizer(scalars: Array(text.unicodeScalars))
        return try tokenizer.tokens()
    }

    private init(scalars: [Unicode.Scalar]) { self.scalars = scalars }

    private func starts(with text: String, at index: Int) -> Bool {
        var index = index
        for scalar in text.unicodeScalars {
            guard index < scalars.count, scalars[index] == scalar else { return false }
            index += 1
        }
        return true
    }

    private mutating func tokens() throws -> [SwiftToken] {
        var tokens: [SwiftToken] = []
        while position < scalars.count {
            let scalar = scalars[position]
            if scalar == " " || scalar == "\n" {
                position += 1
            } else if starts(with: "//", at: position) {
                // To Swift a carriage return ends a comment too.
                while position < scalars.count, scalars[position] != "\n", scalars[position] != "\r"
                {
                    position += 1
                }
            } else if starts(with: "/*", at: position) {
                throw SwiftTokenError(description: "A block comment")
            } else if scalar == "\"" || scalar == "#" {
                tokens.append(.string(try string()))
            } else if scalar == "`" {
                let word = scalars[(position + 1)...].prefix { $0 != "`" }
                guard word.allSatisfy(isWord) else {
                    throw SwiftTokenError(description: "A strange name in back-ticks")
                }
                position += word.count + 2
                tokens.append(.quotedWord(text(word)))
            } else if scalar.properties.isXIDStart || scalar == "_" {
                let word = scalars[position...].prefix(while: isWord)
                position += word.count
                tokens.append(.word(text(word)))
            } else if ("0"..."9").contains(scalar) {
                let number = scalars[position...].prefix { isWord($0) || $0 == "." }
                position += number.count
                tokens.append(.number(text(number)))
            } else if scalar.isASCII, scalar.value > 32 {
                position += 1
                tokens.append(.mark(Character(scalar)))
            } else {
                throw SwiftTokenError(
                    description: "A strange scalar, \(scalar.escaped(asASCII: true))")
            }
        }
        return tokens
    }

    private func isWord(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isXIDContinue || scalar == "_"
    }

    private func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars)
        return text
    }

    /// Reads a literal: plain or raw, of one line or several.
    private mutating func string() throws -> String {
        let hashes = String(repeating: "#", count: scalars[position...].prefix { $0 == "#" }.count)
        position += hashes.count
        let quotes = starts(with: "\"\"\"", at: position) && hashes.isEmpty == false ? 3 : 1
        guard starts(with: "\"", at: position) else {
            throw SwiftTokenError(description: "A lone number sign")
        }
        position += quotes
        var margin: [Unicode.Scalar] = []
        if quotes == 3 {
            guard starts(with: "\n", at: position) else {
                throw SwiftTokenError(description: "Text behind the quotes")
            }
            position += 1
            margin = try self.margin(end: "\"\"\"" + hashes)
            if !starts(with: "\n", at: position) { try skip(margin) }
        }
        return try body(
            end: String(repeating: "\"", count: quotes) + hashes, escape: "\\" + hashes,
            margin: quotes == 3 ? margin : nil)
    }

    private mutating func body(
        end: String, escape: String, margin: [Unicode.Scalar]?
    ) throws -> String {
        var value = String.UnicodeScalarView()
        while position < scalars.count {
            if starts(with: end, at: position) {
                position += end.unicodeScalars.count
                if margin != nil { value.removeLast() }  // the line feed before the end
                return String(value)
            }
            if starts(with: escape, at: position) {
                position += escape.unicodeScalars.count
                if starts(with: "\n", at: position), let margin {
                    position += 1
                    try skip(margin)
                } else {
                    value.append(try escaped())
                }
                continue
            }
            let scalar = scalars[position]
            position += 1
            guard scalar == "\n" || (0x20...0x7E).contains(scalar.value) else {
                throw SwiftTokenError(description: "A strange scalar in a literal")
            }
            value.append(scalar)
            guard scalar == "\n" else { continue }
            guard let margin else {
                throw SwiftTokenError(description: "A line end in a literal")
            }
            if !starts(with: "\n", at: position) { try skip(margin) }
        }
        throw SwiftTokenError(description: "A literal without end")
    }

    private mutating func escaped() throws -> Unicode.Scalar {
        if starts(with: "\"", at: position) || starts(with: "\\", at: position) {
            position += 1
            return scalars[position - 1]
        }
        guard starts(with: "u{", at: position) else {
            throw SwiftTokenError(description: "A strange escape")
        }
        let digits = scalars[(position + 2)...].prefix { $0 != "}" }
        position += digits.count + 3
        guard let value = UInt32(text(digits), radix: 16), let scalar = Unicode.Scalar(value) else {
            throw SwiftTokenError(description: "No scalar: \(text(digits))")
        }
        return scalar
    }

    /// The white space before the end of a literal of several lines.
    private func margin(end: String) throws -> [Unicode.Scalar] {
        var index = position
        while index < scalars.count {
            let spaces = scalars[index...].prefix { $0 == " " }
            if starts(with: end, at: index + spaces.count) { return Array(spaces) }
            index = (scalars[index...].firstIndex(of: "\n") ?? scalars.count) + 1
        }
        throw SwiftTokenError(description: "A literal without end")
    }

    private mutating func skip(_ margin: [Unicode.Scalar]) throws {
        guard position + margin.count <= scalars.count,
            scalars[position..<position + margin.count].elementsEqual(margin)
        else { throw SwiftTokenError(description: "A line left of the margin") }
        position += margin.count
    }
}
