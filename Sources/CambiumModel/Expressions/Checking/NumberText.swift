/// Numbers as they are written in expressions: decimal, or whole ones after `0x`, `0o` and `0b`.
enum NumberText {
    static func integer(_ text: String) -> Int64? {
        let isNegative = text.hasPrefix("-")
        let digits = isNegative ? text.dropFirst() : text[...]
        let radix =
            switch digits.prefix(2).lowercased() {
            case "0x": 16
            case "0o": 8
            case "0b": 2
            default: 10
            }
        guard radix != 10 else { return Int64(text) }
        return Int64((isNegative ? "-" : "") + digits.dropFirst(2), radix: radix)
    }

    static func double(_ text: String) -> Double? {
        if let integer = integer(text) { return Double(integer) }
        guard let first = text.utf8.last, (48...57).contains(first) else { return nil }
        return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }

    /// Bytes, written as `0x` and an even number of hexadecimal digits.
    static func bytes(_ text: String) -> Data? {
        guard text.prefix(2).lowercased() == "0x", text.utf8.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in text.dropFirst(2) {
            guard let digit = character.hexDigitValue.map(UInt8.init) else { return nil }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return Data(bytes)
    }

    /// The exact number, or nil where it has more digits than a decimal.
    static func decimal(_ text: String) -> Decimal? {
        if let integer = integer(text) { return Decimal(integer) }
        let digits = text.lazy.filter(\.isNumber).count
        guard digits <= 38, double(text) != nil, let value = Decimal(string: text),
            value.isFinite
        else { return nil }
        return value
    }
}
