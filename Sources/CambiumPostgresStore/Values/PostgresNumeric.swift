import CambiumModel

/// A `numeric` as it is on the wire: digits to the base of 10,000.
struct PostgresNumeric {
    private var isNegative = false
    /// The power of 10,000 that the first digit counts.
    private var weight = 0
    /// The number of decimal places that are shown.
    private var scale = 0
    private var digits: [Int16] = []

    /// A number of units of 10 to the power −scale.
    init(units: Int64, scale: Int) {
        self.init(
            decimalDigits: Array(String(units.magnitude).utf8), scale: scale,
            isNegative: units < 0)
    }

    /// A decimal of any scale, as a record holds it.
    init(ordered bytes: Data) {
        let text = (OrderedDecimal.decimal(of: bytes) ?? 0).description
        let parts = text.drop { $0 == "-" }.split(separator: ".")
        let fraction = parts.count > 1 ? parts[1] : ""
        self.init(
            decimalDigits: Array((parts.first ?? "0").utf8) + Array(fraction.utf8),
            scale: fraction.utf8.count, isNegative: text.hasPrefix("-"))
    }

    /// - Parameter decimalDigits: As ASCII.
    private init(decimalDigits: [UInt8], scale: Int, isNegative: Bool) {
        self.isNegative = isNegative
        self.scale = scale
        let zero = UInt8(ascii: "0")
        // Groups of four begin at the point.
        let behind = (4 - scale % 4) % 4
        let before = (4 - (decimalDigits.count + behind) % 4) % 4
        let padded =
            [UInt8](repeating: zero, count: before) + decimalDigits
            + [UInt8](repeating: zero, count: behind)
        weight = (padded.count - scale - behind) / 4 - 1
        for start in stride(from: 0, to: padded.count, by: 4) {
            digits.append(padded[start..<start + 4].reduce(0) { $0 * 10 + Int16($1 - zero) })
        }
        while digits.first == 0 {
            digits.removeFirst()
            weight -= 1
        }
        while digits.last == 0 { digits.removeLast() }
        if digits.isEmpty { (weight, self.isNegative) = (0, false) }
    }

    private static let negativeSign: Int16 = 0x4000

    func append(to wire: inout WireWriter) {
        wire.append(bigEndian: Int16(digits.count))
        wire.append(bigEndian: Int16(weight))
        wire.append(bigEndian: isNegative ? Self.negativeSign : 0)
        wire.append(bigEndian: Int16(scale))
        for digit in digits { wire.append(bigEndian: digit) }
    }

    init(_ bytes: UnsafeRawBufferPointer) {
        let count = Int(bytes.number(Int16.self))
        weight = Int(bytes.number(Int16.self, at: 2))
        isNegative = bytes.number(Int16.self, at: 4) == Self.negativeSign
        scale = Int(bytes.number(Int16.self, at: 6))
        digits = (0..<max(0, count)).map { bytes.number(Int16.self, at: 8 + 2 * $0) }
    }

    /// The number in units of 10 to the power −scale; nil if it has more decimal places, or does
    /// not fit in 64 bits.
    func units(scale: Int) -> Int64? {
        // More digits do not fit into 64 bits.
        guard digits.count <= 9 else { return nil }
        var units = digits.reduce(Int128(0)) { $0 * 10_000 + Int128($1) }
        let places = 4 * (weight - digits.count + 1) + scale
        for _ in 0..<places.magnitude {
            if units == 0 { break }
            if places > 0 {
                let (product, overflows) = units.multipliedReportingOverflow(by: 10)
                if overflows { return nil }
                units = product
            } else {
                guard units % 10 == 0 else { return nil }
                units /= 10
            }
        }
        return Int64(exactly: isNegative ? -units : units)
    }

    /// The number as a record holds a decimal of any scale; nil if it is too large or too precise
    /// for a decimal.
    var ordered: Data? {
        var text = isNegative ? "-" : ""
        for digit in digits {
            let word = String(digit)
            text += String(repeating: "0", count: 4 - word.utf8.count) + word
        }
        return OrderedDecimal.bytes(
            spelled: digits.isEmpty ? "0" : "\(text)e\(4 * (weight - digits.count + 1))")
    }
}
