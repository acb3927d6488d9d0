/// Exact decimals as integers of units of 10 to the power −scale. SQLite stores, sorts and adds
/// them exactly.
public enum DecimalStorage {
    /// The scale of a decimal attribute that names none.
    public static let defaultScale = 6
    /// The greatest scale that an attribute may name.
    public static let maximumScale = 18

    /// Returns the number of units, or nil if the value has more decimal places than the scale, is
    /// too great for 64 bits, or is not a number.
    public static func units(of value: Decimal, scale: Int) -> Int64? {
        guard value.isFinite else { return nil }
        let scaled = Decimal(sign: .plus, exponent: scale, significand: value)
        // nil for a fraction, and if 64 bits cannot hold it
        return wholeNumber(scaled) ?? Int64(scaled.description)
    }

    /// Returns an integer of few digits, as most are. FoundationEssentials converts a decimal to an
    /// integer only through a text, and this takes twenty times as long.
    private static func wholeNumber(_ value: Decimal) -> Int64? {
        let exponent = value.exponent
        guard MemoryLayout<Decimal>.size == 20, 0...maximumScale ~= exponent else { return nil }
        // Safety: the value has 20 bytes, as was just checked, and 8 of them are read. They contain
        // the lower digits. The result counts only if it equals the decimal, by Foundation's own
        // comparison.
        let digits = withUnsafeBytes(of: value) {
            UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 4, as: UInt64.self))
        }
        guard var number = Int64(exactly: digits) else { return nil }
        for _ in 0..<exponent {
            let (product, overflows) = number.multipliedReportingOverflow(by: 10)
            if overflows { return nil }
            number = product
        }
        if value.sign == .minus { number = -number }
        return Decimal(number) == value ? number : nil
    }

    /// The decimal of a number of units.
    public static func decimal(ofUnits units: Int64, scale: Int) -> Decimal {
        Decimal(
            sign: units < 0 ? .minus : .plus, exponent: -scale,
            significand: Decimal(units.magnitude))
    }

    /// Returns 10 to the power. The greatest scale is 18, and 64 bits can hold its power.
    package static func powerOfTen(_ exponent: Int) -> Int64 {
        (0..<max(0, min(exponent, maximumScale))).reduce(1) { power, _ in power * 10 }
    }

    // MARK: Rounding, to the nearest, halves away from zero

    /// Returns units of a scale, rounded to units of a smaller scale.
    package static func units(_ units: Int64, ofScale own: Int, roundedTo scale: Int) -> Int64 {
        guard own > scale else { return units }
        // Any 64-bit number is less than half a unit of a scale that is smaller by 19 places.
        guard own - scale <= maximumScale else { return 0 }
        let size = powerOfTen(own - scale)
        let (quotient, rest) = units.quotientAndRemainder(dividingBy: size)
        return rest.magnitude < size.magnitude / 2 ? quotient : quotient + units.signum()
    }

    /// Returns a floating-point number, by its shortest decimal digits, rounded to units of a
    /// scale; nil if it is not finite, or too great.
    package static func units(rounding number: Double, scale: Int) -> Int64? {
        guard number.isFinite else { return nil }
        let sign: Int64 = number < 0 ? -1 : 1
        // Such as 38.885, 1e-05 or 1.5e+20.
        let parts = number.magnitude.description.split(separator: "e")
        guard let mantissa = parts.first else { return nil }
        let digits = mantissa.split(separator: ".")
        var fraction = digits.count > 1 ? digits[1] : ""
        if fraction == "0" { fraction = "" }
        guard let whole = digits.first, let significand = Int64(whole + fraction) else {
            return nil
        }
        let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        let places = exponent + scale - fraction.count
        if significand == 0 { return 0 }
        if places <= 0 {
            return sign * units(significand, ofScale: -places, roundedTo: 0)
        }
        guard places <= maximumScale else { return nil }
        let (units, overflows) = (sign * significand).multipliedReportingOverflow(
            by: powerOfTen(places))
        // SQLite's conversion of greater numbers yields the two outermost integers.
        return overflows || units == .max || units == .min ? nil : units
    }
}

/// Exact decimals of any scale as bytes that sort like the numbers. SQLite compares, sorts and
/// indexes them as BLOBs.
///
/// A number is ±0.d₁d₂d₃… × 10ᵉ with d₁ ≠ 0 and no zero at the end. Its bytes are:
/// - two bytes for the sign and e: 0x8000 for zero, a greater number if the value is positive, a
///   smaller one if it is negative. The distance from 0x8000 increases with e.
/// - one byte for each pair of digits: the pair plus 1, or 100 minus the pair if the value is
///   negative.
/// - a final byte 0xFF if the value is negative. Of two negative values that start with the same
///   digits, the one with fewer digits is then greater.
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

    /// Returns the bytes of a number; nil for NaN.
    package static func bytes(of value: Decimal) -> Data? {
        value.isFinite ? digits(of: value.description)?.data : nil
    }

    /// Returns whether the bytes of a number convert back to it. This is true except for some of
    /// the outermost numbers.
    static func keeps(_ number: Decimal) -> Bool {
        abs(number.exponent) <= safeExponent || bytes(of: number).flatMap(decimal) != nil
    }

    /// Returns the bytes of the number that a text spells, with an optional point and exponent. The
    /// result is nil if the text is not a number, or a decimal cannot hold it.
    package static func bytes(spelled text: String) -> Data? {
        guard let number = digits(of: text), number.digits.count <= 38 else { return nil }
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

    private static func digits(of text: String) -> Digits? {
        var number = Digits()
        var (isFraction, hasDigits) = (false, false)
        var power = 0
        var rest = Substring(text).utf8
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
                guard let value = Int(Substring(rest)), abs(value) < 400 else { return nil }
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

    /// Returns the number of its bytes; nil if they are not the form of a number. Only another
    /// program can have written such bytes.
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
            if pair < 10 { digits += "0" }
            digits += pair.description
        }
        if digits.last == "0" { digits.removeLast() }
        let exponent = (isNegative ? zero - header : header - zero) - bias - digits.utf8.count
        // If the number does not convert to the same bytes, they were not the form of a number.
        guard let value = Decimal(string: "\(isNegative ? "-" : "")\(digits)e\(exponent)"),
            self.bytes(of: value).map([UInt8].init) == bytes
        else { return nil }
        return value
    }
}

extension OrderedDecimal {
    /// The maximum number of decimal places that are tried.
    private static let places = 6
    /// Every integer below it has at most 15 digits, and is a double.
    private static let limit = 1e15

    /// Returns the bytes of the decimal that a double's 15 digits spell, if it has at most six
    /// decimal places. The nearest double of a decimal of 15 digits spells the same decimal.
    ///
    /// - Returns: Nil if the double has more decimal places, or 15 digits are not enough.
    static func bytes(ofShort number: Double) -> Data? {
        var power = 1.0
        for count in 0...places {
            let whole = (number * power).rounded()
            guard abs(whole) < limit else { return nil }
            // Both numbers are exact, and the quotient is the double that is nearest to the
            // decimal.
            if whole / power == number { return bytes(of: Int(whole), places: count) }
            power *= 10
        }
        return nil
    }

    /// Returns the bytes of an integer with its last digits after the decimal point.
    private static func bytes(of number: Int, places: Int) -> Data {
        guard number != 0 else { return Data([0x80, 0x00]) }
        let isNegative = number < 0
        var (rest, count) = (number.magnitude, 0)
        var exponent = -places
        while rest.isMultiple(of: 10) {
            rest /= 10
            exponent += 1
        }
        // The greatest power of ten that is not greater, and so its digits.
        var top: UInt = 1
        while rest / top >= 10 {
            top *= 10
            count += 1
        }
        exponent += count + 1
        let header = isNegative ? zero - bias - exponent : zero + bias + exponent
        var bytes = Data([UInt8(truncatingIfNeeded: header >> 8), UInt8(header & 0xFF)])
        while top > 0 {
            // Two digits, or the last one and a zero.
            let pair = top >= 10 ? rest / (top / 10) : rest * 10
            bytes.append(UInt8(isNegative ? 100 - pair : pair + 1))
            if top >= 10 { rest %= top / 10 }
            top /= 100
        }
        if isNegative { bytes.append(0xFF) }
        return bytes
    }
}

/// Durations as integers of nanoseconds, which the store keeps, and as texts of ISO 8601, such as
/// `PT1H30M` or `-PT0.5S`. Days and weeks are read as 24 and 168 hours. Months and years are not
/// read, because their length varies.
package enum DurationStorage {
    /// The scale of a decimal number of seconds that has the same units.
    package static let scale = 9
    private static let nanosecondsPerSecond: Int128 = 1_000_000_000

    /// Returns the nanoseconds of a duration, rounded to the nearest, halves away from zero; nil if
    /// 64 bits cannot hold them (beyond 292 years).
    package static func nanoseconds(of duration: Duration) -> Int64? {
        // The components of longer ones may not exist.
        let limit = Duration.seconds(1 << 34)
        guard (.zero - limit...limit).contains(duration) else { return nil }
        let (seconds, attoseconds) = duration.components
        let (whole, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let rounding = rest.magnitude >= 500_000_000 ? rest.signum() : 0
        return Int64(exactly: Int128(seconds) * nanosecondsPerSecond + Int128(whole + rounding))
    }

    /// The nearest duration that the store can keep.
    package static func nearest(to duration: Duration) -> Duration {
        .nanoseconds(nanoseconds(of: duration) ?? (duration < .zero ? .min : .max))
    }

    /// A duration as text, in hours, minutes and seconds.
    package static func text(of duration: Duration) -> String {
        let total = nanoseconds(of: nearest(to: duration)) ?? 0
        let (seconds, fraction) = total.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        let (minutes, rest) = seconds.quotientAndRemainder(dividingBy: 60)
        var text = total < 0 ? "-PT" : "PT"
        if minutes >= 60 { text += "\(minutes / 60)H" }
        if minutes % 60 > 0 { text += "\(minutes % 60)M" }
        if rest > 0 || fraction > 0 || total == 0 {
            text += "\(rest)"
            if fraction > 0 {
                let digits = String(fraction + 1_000_000_000).dropFirst()
                text +=
                    ".\(digits.prefix(through: digits.lastIndex { $0 != "0" } ?? digits.startIndex))"
            }
            text += "S"
        }
        return text
    }

    /// Returns the duration of a text; nil if it is not a duration, has fractions of a nanosecond,
    /// or is too long.
    package static func duration(of text: String) -> Duration? {
        var rest = Substring(text)
        let isNegative = rest.first == "-"
        if isNegative { rest.removeFirst() }
        guard rest.first == "P" else { return nil }
        let parts = rest.dropFirst().split(separator: "T", omittingEmptySubsequences: false)
        guard parts.count == 1 || parts.count == 2 && !parts[1].isEmpty,
            var total = nanoseconds(parts[0], [("W", 604_800), ("D", 86_400)])
        else { return nil }
        if parts.count == 2 {
            guard let time = nanoseconds(parts[1], [("H", 3600), ("M", 60), ("S", 1)]) else {
                return nil
            }
            total += time
        } else if parts[0].isEmpty {
            return nil
        }
        return Int64(exactly: isNegative ? -total : total).map(Duration.nanoseconds)
    }

    /// The sum of numbers with units, in this order, each at most once. Only seconds have decimal
    /// places.
    private static func nanoseconds(
        _ text: Substring, _ units: [(name: Character, seconds: Int128)]
    ) -> Int128? {
        var total: Int128 = 0
        var rest = text
        for unit in units {
            guard let end = rest.firstIndex(of: unit.name) else { continue }
            let number = rest[..<end].split(separator: ".", omittingEmptySubsequences: false)
            let places = number.count == 2 ? number[1] : ""
            let isNumber = number.allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
            }
            guard isNumber, (1...(unit.seconds == 1 ? 2 : 1)).contains(number.count),
                number[0].count <= 18, places.count <= scale, let whole = Int64(number[0]),
                let fraction = Int64(places + String(repeating: "0", count: scale - places.count))
            else { return nil }
            total += Int128(whole) * unit.seconds * nanosecondsPerSecond + Int128(fraction)
            rest = rest[rest.index(after: end)...]
        }
        return rest.isEmpty ? total : nil
    }
}
