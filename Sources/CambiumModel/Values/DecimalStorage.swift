/// Exact decimals as whole numbers of units of 10 to the power −scale, which SQLite stores, sorts
/// and adds exactly.
public enum DecimalStorage {
    /// The scale of a decimal attribute that names none.
    public static let defaultScale = 6
    /// The greatest scale that an attribute may name.
    public static let maximumScale = 18

    /// The number of units, or nil where the value has more places than the scale, or is too great
    /// for 64 bits, or is not a number.
    public static func units(of value: Decimal, scale: Int) -> Int64? {
        guard value.isFinite else { return nil }
        let scaled = Decimal(sign: .plus, exponent: scale, significand: value)
        // nil for a fraction, and where 64 bits do not hold it
        return wholeNumber(scaled) ?? Int64(scaled.description)
    }

    /// A whole number of few digits, as most are. Foundation's essentials lead from a decimal to an
    /// integer over a text only, which takes twenty times as long.
    private static func wholeNumber(_ value: Decimal) -> Int64? {
        let exponent = value.exponent
        guard MemoryLayout<Decimal>.size == 20, 0...maximumScale ~= exponent else { return nil }
        // Safety: reads 8 of the 20 bytes that were just counted, where the lower digits lie. What
        // is made of them counts only if it equals the decimal, by Foundation's own comparison.
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

    /// 10 to the power; scales end at 18, where 64 bits still hold it.
    package static func powerOfTen(_ exponent: Int) -> Int64 {
        (0..<max(0, min(exponent, maximumScale))).reduce(1) { power, _ in power * 10 }
    }

    // MARK: Rounding, to the nearest, halves away from zero

    /// Units of a scale, rounded to those of a smaller one.
    package static func units(_ units: Int64, ofScale own: Int, roundedTo scale: Int) -> Int64 {
        guard own > scale else { return units }
        // A half of what 64 bits hold is less than a unit of a scale by 19 places smaller.
        guard own - scale <= maximumScale else { return 0 }
        let size = powerOfTen(own - scale)
        let (quotient, rest) = units.quotientAndRemainder(dividingBy: size)
        return rest.magnitude < size.magnitude / 2 ? quotient : quotient + units.signum()
    }

    /// A floating-point number, as its shortest decimal digits say it, rounded to units of a scale;
    /// nil where it is not finite, or too great.
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
