import CambiumModel

/// The only place that turns names and values from a model into SQL text.
package enum SQLText {
    /// A name in double quotes. It is always quoted, so that no name can be a keyword.
    @inline(never)
    package static func identifier(_ name: String) -> String {
        quoted(name, with: "\"")
    }

    /// Names in double quotes, with commas between them.
    static func identifiers(_ names: [String]) -> String {
        names.map(identifier).joined(separator: ", ")
    }

    /// Returns a column, of a table alias if one is given.
    @inline(never)
    package static func column(_ name: String, of alias: String? = nil) -> String {
        guard let alias else { return identifier(name) }
        return "\(identifier(alias)).\(identifier(name))"
    }

    /// Returns a constant. Numbers read back to the same bits. Strings contain no NUL, because
    /// models and validation reject it.
    @inline(never)
    package static func literal(_ value: StoredValue) -> String {
        switch value {
        case .null: "NULL"
        case .integer(.min): "(-9223372036854775807 - 1)"  // its positive digits are no integer
        case .integer(let value): String(value)
        case .real(let value): literal(value)
        case .text(let value): literal(value)
        case .blob(let value): "x'\(hexadecimal(value))'"
        }
    }

    /// The constant of a text.
    @inline(never)
    package static func literal(_ text: String) -> String { quoted(text, with: "'") }

    /// The constants of texts, with commas between them.
    package static func literals(_ texts: [String]) -> String {
        texts.map { literal($0) }.joined(separator: ", ")
    }

    /// A condition that a row is of one of some entities, or that it is of none of them.
    package static func isOfEntity(_ names: [String], isNegated: Bool = false) -> String {
        names.count == 1
            ? "\"_entity\" \(isNegated ? "<>" : "=") \(literal(names[0]))"
            : "\"_entity\" \(isNegated ? "NOT IN" : "IN") (\(literals(names)))"
    }

    private static func literal(_ value: Double) -> String {
        if value.isNaN { return "NULL" }
        if value.isInfinite { return value < 0 ? "-9e999" : "9e999" }
        // The shortest digits that identify this number. SQLite's own conversion of decimal text
        // rounds correctly only up to 15 digits of moderate size. Other numbers are composed
        // exactly.
        let digits = value.description
        let significant = digits.prefix { $0 != "e" }.filter { $0.isNumber }.count
        let isExact = significant <= 15 && (value == 0 || (1e-6...1e22).contains(value.magnitude))
        return isExact ? digits : exact(value)
    }

    /// Returns a number as a product of an integer of at most 53 bits and powers of two. Each step
    /// of the product is exact.
    private static func exact(_ value: Double) -> String {
        guard value.isNormal else { return value.description }
        var significand = value.significand
        var exponent = value.exponent
        while significand != significand.rounded() {
            significand *= 2
            exponent -= 1
        }
        let whole = Int64(significand) * (value < 0 ? -1 : 1)
        var text = "\(whole).0"
        while exponent != 0 {
            let step = min(abs(exponent), 52)
            text += exponent > 0 ? " * \(1 << step).0" : " / \(1 << step).0"
            exponent -= exponent > 0 ? step : -step
        }
        return "(\(text))"
    }

    private static func quoted(_ text: String, with quote: Character) -> String {
        if let quote = quote.asciiValue, !text.utf8.contains(quote) {
            let mark = Character(UnicodeScalar(quote))
            return "\(mark)\(text)\(mark)"
        }
        var result = String(quote)
        for character in text.unicodeScalars {
            result.unicodeScalars.append(character)
            if Character(character) == quote { result.append(quote) }
        }
        result.append(quote)
        return result
    }

    private static func hexadecimal(_ data: Data) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(data.count * 2)
        for byte in data {
            bytes.append(digits[Int(byte >> 4)])
            bytes.append(digits[Int(byte & 15)])
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
