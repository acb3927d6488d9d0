/// Conversions between numbers and texts, without loss and without guesses.
package enum DecimalText {
    /// The number of digits that a decimal can keep of any number.
    package static let exactDigits = 38

    /// Returns whether a text is a decimal number, with or without decimal places and an exponent.
    /// Foundation reads the start of a text and ignores the rest.
    package static func isNumber(_ text: String) -> Bool {
        var bytes = text.utf8[...]
        func isDigit(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        func dropSign() {
            if bytes.first == UInt8(ascii: "-") || bytes.first == UInt8(ascii: "+") {
                bytes.removeFirst()
            }
        }
        func dropDigits() -> Int {
            let count = bytes.prefix(while: isDigit).count
            bytes = bytes.dropFirst(count)
            return count
        }
        dropSign()
        var digits = dropDigits()
        if bytes.first == UInt8(ascii: ".") {
            bytes.removeFirst()
            digits += dropDigits()
        }
        guard digits > 0 else { return false }
        if bytes.first == UInt8(ascii: "e") || bytes.first == UInt8(ascii: "E") {
            bytes.removeFirst()
            dropSign()
            guard dropDigits() > 0 else { return false }
        }
        return bytes.isEmpty
    }

    /// Returns the exact decimal of a text; nil if it is not a number, or has more digits than a
    /// decimal can hold.
    package static func decimal(of text: String) -> Decimal? {
        guard isNumber(text) else { return nil }
        let digits = significantDigits(text)
        if digits == 0 { return 0 }
        guard digits <= exactDigits, let value = Decimal(string: text), value.isFinite else {
            return nil
        }
        // A number too near to zero for a decimal would become zero.
        return value == 0 ? nil : value
    }

    /// The number of digits without zeros at either end.
    package static func significantDigits(_ text: String) -> Int {
        var digits = text.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }
            .filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }[...]
        digits = digits.drop { $0 == UInt8(ascii: "0") }
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        return digits.count
    }

    /// Whether a decimal has fewer digits than it could have kept, and so surely all of its number.
    package static func hasExactDigits(_ value: Decimal) -> Bool {
        // Most are short, and to compare takes a fraction of the time of making a text.
        value.significand.magnitude < shortest
            || significantDigits(value.description) < exactDigits
    }

    /// The least number with the maximum number of digits of a decimal.
    private static let shortest = Decimal(sign: .plus, exponent: exactDigits - 1, significand: 1)

    /// Returns the floating-point number of a text: a decimal number, `inf` or `-inf`. The result
    /// is nil if the text is not a number, or the number is too great.
    package static func double(of text: String) -> Double? {
        switch text {
        case "inf": return .infinity
        case "-inf": return -.infinity
        default: return isNumber(text) ? Double(text).flatMap { $0.isFinite ? $0 : nil } : nil
        }
    }

    /// Returns the 32-bit number that a text spells.
    package static func float(of text: String) -> Float? {
        switch text {
        case "inf": return .infinity
        case "-inf": return -.infinity
        default: return isNumber(text) ? Float(text).flatMap { $0.isFinite ? $0 : nil } : nil
        }
    }

    /// The shortest text that reads back as the number.
    ///
    /// - Parameter isSingle: Whether the text is read as a number of 32 bits.
    package static func shortest(_ value: Double, isSingle: Bool) -> String {
        let single = Float(value)
        return isSingle && Double(single) == value ? "\(single)" : "\(value)"
    }

    /// A number, not negative and below 2⁵³, as its integer part and the shortest decimal places
    /// from which the number can be restored.
    package static func plain(_ value: Double) -> (whole: Int64, places: String) {
        let text = value.description
        let mantissa = text.prefix { $0 != "e" }
        let exponent = Int(text.dropFirst(mantissa.count + 1)) ?? 0
        let parts = mantissa.split(separator: ".", omittingEmptySubsequences: false)
        var whole = parts.first.map(String.init) ?? "0"
        var places = parts.count > 1 ? String(parts[1]) : ""
        if exponent < 0 {
            places = String(repeating: "0", count: max(0, -exponent - whole.count)) + whole + places
            whole = "0"
        } else if exponent > 0 {
            places += String(repeating: "0", count: max(0, exponent - places.count))
            whole += places.prefix(exponent)
            places = String(places.dropFirst(exponent))
        }
        while places.last == "0" { places.removeLast() }
        return (Int64(whole) ?? 0, places)
    }
}
