import CambiumModel

extension StoredValue {
    /// What the value is in another type, by Swift's own conversions.
    ///
    /// - Returns: Nil where this knows nothing about the types, or the value does not fit.
    func converted(from old: AttributeType, to new: AttributeType) -> StoredValue? {
        if old == new { return self }
        if old == .duration, new.isFraction {
            return converted(from: .decimal(scale: 9), to: new)
        }
        if new == .duration, old.isFraction { return converted(from: old, to: .decimal(scale: 9)) }
        switch (self, old, new) {
        case (_, .float, .double), (_, .date, .double), (_, .double, .date),
            (_, .uuid, .data), (_, .data, .uuid), (_, .uri, .string), (_, .codable, .string):
            return self
        case (.integer(let value), .bool, .string):
            return .text(value == 1 ? "true" : "false")
        case (.integer(let value), .int16, .string), (.integer(let value), .int32, .string),
            (.integer(let value), .int64, .string):
            return .text(String(value))
        case (.text(let text), _, .data):
            return .blob(Data(text.utf8))
        case (.text("true"), .string, .bool), (.text("1"), .string, .bool):
            return .integer(1)
        case (.text("false"), .string, .bool), (.text("0"), .string, .bool):
            return .integer(0)
        case (.text(let text), .string, .double):
            return Double(text).map { .real($0) }
        case (.text(let text), .string, _):
            return new.scale.flatMap { scale in
                Decimal(string: text).flatMap { units(of: $0, scale) }
            }
        case (.integer(let value), _, .float), (.integer(let value), _, .double):
            return old.scale.map { .real(Double(value) / power($0)) }
        case (.real(let value), .double, _):
            return new.scale.map { .integer(Int64((value * power($0)).rounded())) }
        case (.integer(let value), _, _):
            guard let oldScale = old.scale, let newScale = new.scale else { return nil }
            return units(of: Decimal(value) / power(oldScale), newScale)
        default:
            return nil
        }
    }

    private func units(of decimal: Decimal, _ scale: Int) -> StoredValue? {
        Int64("\(decimal * (power(scale) as Decimal))").map { .integer($0) }
    }

    private func power<Number: Numeric>(_ exponent: Int) -> Number {
        (0..<exponent).reduce(1) { power, _ in power * 10 }
    }
}

extension AttributeType {
    /// Whether its values can be numbers of seconds with decimal places.
    fileprivate var isFraction: Bool {
        if case .decimal = self { true } else { self == .double }
    }

    /// How many digits behind the point a number of this type has; nil where it is none.
    fileprivate var scale: Int? {
        switch self {
        case .bool, .int16, .int32, .int64: 0
        case .decimal(let scale): scale
        default: nil
        }
    }
}
