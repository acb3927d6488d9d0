extension OrderedDecimal {
    /// The most places after the point that are tried.
    private static let places = 6
    /// Below it every whole number has 15 digits, and is a double.
    private static let limit = 1e15

    /// The bytes of the decimal that a double's 15 digits spell, where it has at most six places
    /// after the point: a decimal of 15 digits is the one that its nearest double spells again.
    ///
    /// - Returns: nil where it has more of them, or 15 digits do not reach.
    static func bytes(ofShort number: Double) -> Data? {
        var power = 1.0
        for count in 0...places {
            let whole = (number * power).rounded()
            guard abs(whole) < limit else { return nil }
            // Both are exact, and a quotient is the double that is nearest to it.
            if whole / power == number { return bytes(of: Int(whole), places: count) }
            power *= 10
        }
        return nil
    }

    /// The bytes of a whole number whose last digits come after the point.
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
