// Rounding to a scale: to the nearest, halves away from zero.
extension DecimalStorage {
    /// Units of a scale, rounded to those of a smaller one.
    package static func units(_ units: Int64, ofScale own: Int, roundedTo scale: Int) -> Int64 {
        guard own > scale else { return units }
        // A half of what 64 bits hold is less than a unit of a scale by 19 places smaller.
        guard own - scale <= maximumScale else { return 0 }
        let size = NumberFunctions.powerOfTen(own - scale)
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
        return NumberFunctions.integer(
            sign * significand, .multiply, NumberFunctions.powerOfTen(places))
    }
}
