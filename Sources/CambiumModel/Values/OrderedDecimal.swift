/// Exact decimals of any scale as bytes whose order is that of the numbers, which SQLite compares,
/// sorts and indexes as BLOBs.
///
/// A number is ±0.d₁d₂d₃… × 10ᵉ with d₁ ≠ 0 and no zero at the end. Its bytes are
/// - two with the sign and e: 0x8000 for zero, above it for positive numbers, below for negative
///   ones, further away the greater e is;
/// - one for each pair of digits: the pair plus 1, or 100 minus the pair where negative;
/// - 0xFF where negative, so that of two numbers that begin alike the shorter one is greater.
///
/// Each number has exactly one form, and no two numbers share one.
package enum OrderedDecimal {
    /// Above the least e that a decimal can have, so that e plus it is positive.
    static let bias = 512
    static let zero = 0x8000
    /// Decimals have at most 39 digits.
    private static let maximumPairs = 20

    /// The greatest power of ten that a decimal is surely made with.
    private static let safeExponent = 80

    /// The bytes of a number; nil where it is none (NaN).
    package static func bytes(of value: Decimal) -> Data? {
        value.isFinite ? digits(of: value.description.utf8)?.data : nil
    }

    /// The bytes of the number that a text spells, with a point and an exponent where it has them;
    /// nil where it spells none, or one that a decimal cannot hold.
    package static func bytes(spelled text: String) -> Data? {
        guard let number = digits(of: text.utf8), number.digits.count <= 38 else { return nil }
        let data = number.data
        return abs(number.exponent) <= safeExponent || decimal(of: data) != nil ? data : nil
    }

    /// ±0.d₁d₂d₃… × 10ᵉ.
    private struct Digits {
        var isNegative = false
        var digits: [UInt8] = []
        var exponent = 0

        var data: Data {
            guard !digits.isEmpty else { return Data([0x80, 0x00]) }
            let header = isNegative ? zero - bias - exponent : zero + bias + exponent
            var bytes = [UInt8(truncatingIfNeeded: header >> 8), UInt8(header & 0xFF)]
            for start in stride(from: 0, to: digits.count, by: 2) {
                let pair = digits[start] * 10 + (start + 1 < digits.count ? digits[start + 1] : 0)
                bytes.append(isNegative ? 100 - pair : pair + 1)
            }
            if isNegative { bytes.append(0xFF) }
            return Data(bytes)
        }
    }

    private static func digits(of text: some Collection<UInt8>) -> Digits? {
        var number = Digits()
        var (isFraction, hasDigits) = (false, false)
        var power = 0
        var rest = text[...]
        if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            number.isNegative = sign == UInt8(ascii: "-")
            rest.removeFirst()
        }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: ".") where !isFraction: isFraction = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                hasDigits = true
                if byte == UInt8(ascii: "0"), number.digits.isEmpty {
                    if isFraction { number.exponent -= 1 }
                } else {
                    number.digits.append(byte - UInt8(ascii: "0"))
                    if !isFraction { number.exponent += 1 }
                }
            case UInt8(ascii: "e") where hasDigits, UInt8(ascii: "E") where hasDigits:
                guard let value = Int(String(decoding: rest, as: UTF8.self)), abs(value) < 400
                else { return nil }
                power = value
                rest = rest[rest.endIndex...]
            default: return nil
            }
        }
        guard hasDigits else { return nil }
        while number.digits.last == 0 { number.digits.removeLast() }
        number.exponent += power
        // A power that no header has room for.
        return abs(number.exponent) < bias ? number : nil
    }

    /// The number of its bytes; nil where they are not the form of one, which only another program
    /// can have written.
    package static func decimal(of bytes: Data) -> Decimal? {
        let bytes = [UInt8](bytes)
        guard bytes.count >= 2 else { return nil }
        let header = Int(bytes[0]) << 8 | Int(bytes[1])
        if header == zero { return bytes.count == 2 ? 0 : nil }
        let isNegative = header < zero
        var pairs = bytes[2...]
        if isNegative, pairs.popLast() != 0xFF { return nil }
        guard pairs.count <= maximumPairs else { return nil }
        var digits = ""
        for byte in pairs {
            guard (1...100).contains(byte) else { return nil }
            let pair = isNegative ? 100 - byte : byte - 1
            digits += pair < 10 ? "0\(pair)" : "\(pair)"
        }
        if digits.last == "0" { digits.removeLast() }
        let exponent = (isNegative ? zero - header : header - zero) - bias - digits.utf8.count
        // What does not give these bytes again was no form of a number.
        guard let value = Decimal(string: "\(isNegative ? "-" : "")\(digits)e\(exponent)"),
            self.bytes(of: value).map([UInt8].init) == bytes
        else { return nil }
        return value
    }
}
