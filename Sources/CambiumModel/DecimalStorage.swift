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
        return Int64(scaled.description)  // nil for a fraction, and where 64 bits do not hold it
    }

    /// The decimal of a number of units.
    public static func decimal(ofUnits units: Int64, scale: Int) -> Decimal {
        Decimal(
            sign: units < 0 ? .minus : .plus, exponent: -scale,
            significand: Decimal(units.magnitude))
    }
}
