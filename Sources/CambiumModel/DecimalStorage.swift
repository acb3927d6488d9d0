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
}
