import CambiumModel

// Between numbers that are exact: whole ones, and decimals, which are whole numbers of units.
extension AttributeConversion {
    /// From and to decimals of any scale, whose form SQLite knows nothing of.
    static func unscaled(
        from old: AttributeType, to new: AttributeType
    ) -> AttributeConversion? {
        func call(_ function: ConversionFunction, _ arguments: String) -> String {
            "\(function.rawValue)(\(arguments))"
        }
        if let scale = scale(of: old), new == .anyDecimal {
            return AttributeConversion(value: { call(.decimalBytes, "\($0), \(scale)") })
        }
        if let scale = scale(of: new), old == .anyDecimal {
            let units = { (column: String) in call(.decimalUnits, "\(column), \(scale)") }
            guard let range = range(of: new) else {
                return AttributeConversion(value: units, fits: { "\(units($0)) IS NOT NULL" })
            }
            return AttributeConversion(
                value: units,
                fits: { column in
                    "coalesce(\(units(column)) BETWEEN \(range.lowerBound) AND "
                        + "\(range.upperBound), 0)"
                }, isExact: { "\(units($0)) IS NOT NULL" })
        }
        switch (old, new) {
        case (.anyDecimal, .string):
            return AttributeConversion(value: { call(.decimalText, $0) })
        case (.string, .anyDecimal):
            return AttributeConversion(
                value: { call(.decimalOfText, $0) },
                fits: { "\(call(.decimalOfText, $0)) IS NOT NULL" })
        default:
            return nil
        }
    }

    /// Between whole numbers and decimals, which are whole numbers of units.
    static func exact(
        from old: AttributeType, to new: AttributeType
    ) -> AttributeConversion? {
        guard let oldScale = scale(of: old), let newScale = scale(of: new) else { return nil }
        let range = range(of: new) ?? Int64.min...Int64.max
        if newScale >= oldScale {
            let factor = powerOfTen(newScale - oldScale)
            let oldRange = Self.range(of: old) ?? Int64.min...Int64.max
            let lower = max(range.lowerBound / factor, -Int64.max)
            let upper = range.upperBound / factor
            let isFree = oldRange.lowerBound >= lower && oldRange.upperBound <= upper
            let isWhole = factor == 1 && range == Int64.min...Int64.max
            let most = Int64.max / factor
            let overflows = oldRange.lowerBound < -most || oldRange.upperBound > most
            return AttributeConversion(
                value: { factor == 1 ? $0 : "\($0) * \(factor)" },
                fits: isFree || isWhole ? nil : { "\($0) BETWEEN \(lower) AND \(upper)" },
                isExact: factor > 1 && overflows
                    ? { "\($0) BETWEEN -\(most) AND \(most)" } : nil)
        }
        let factor = powerOfTen(oldScale - newScale)
        return AttributeConversion(
            value: { "\($0) / \(factor)" },
            fits: { column in
                let whole = "\(column) % \(factor) = 0"
                guard range != Int64.min...Int64.max else { return whole }
                let bounds = "\(range.lowerBound) AND \(range.upperBound)"
                return "\(whole) AND \(column) / \(factor) BETWEEN \(bounds)"
            }, isExact: { "\($0) % \(factor) = 0" })
    }

    private static func scale(of type: AttributeType) -> Int? {
        switch type {
        case .bool, .int16, .int32, .int64: 0
        case .decimal(let scale): scale
        default: nil
        }
    }

    static func powerOfTen(_ exponent: Int) -> Int64 {
        (0..<min(exponent, DecimalStorage.maximumScale)).reduce(1) { power, _ in power * 10 }
    }
}
