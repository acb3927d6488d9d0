import CambiumModel

extension Attribute {
    /// The limits that the store's CHECKs can hold values to: not those that the attribute's own
    /// default breaks, which a migration gives to rows. (Only models of Xcode's have such defaults.)
    package var enforcedLimits: Limits {
        guard !limits.isEmpty, case .constant(let value)? = defaultValue else { return limits }
        let length = value.length
        let isMatched =
            if case .string(let text) = value, let pattern = limits.pattern {
                (try? Regex(pattern).wholeMatch(in: text)) != nil
            } else {
                true
            }
        return Limits(
            minimum: limits.minimum.flatMap { Value.isLess(value, $0) ? nil : $0 },
            maximum: limits.maximum.flatMap { Value.isLess($0, value) ? nil : $0 },
            minimumLength: limits.minimumLength.flatMap { length ?? .max < $0 ? nil : $0 },
            maximumLength: limits.maximumLength.flatMap { length ?? 0 > $0 ? nil : $0 },
            pattern: isMatched ? limits.pattern : nil)
    }
}

extension Value {
    /// Unicode scalars of a string, bytes of data.
    package var length: Int? {
        switch self {
        case .string(let text): text.unicodeScalars.count
        case .data(let data): data.count
        default: nil
        }
    }
}
