extension Decimal {
    /// How many digits it has after the point.
    var places: Int {
        let digits = description
        guard let point = digits.firstIndex(of: ".") else { return 0 }
        return digits.distance(from: point, to: digits.endIndex) - 1
    }
}

extension Model {
    /// A constant in the form that values of a type have, with the type that it has then; nil where
    /// it is no value of that type, nor can be compared with one.
    func constant(_ value: Value, as type: ExpressionType) -> (Value, ExpressionType)? {
        switch value {
        case .null: return (value, type)
        case .double, .decimal: return number(value, as: type)
        case .int(let number):
            switch type {
            case .bool where number == 0 || number == 1: return (.bool(number == 1), type)
            case .integer, .object: return (value, type)
            default: return self.number(value, as: type)
            }
        case .bool(let isTrue):
            if case .integer = type { return (.int(isTrue ? 1 : 0), type) }
        case .string(let text):
            guard let value = constant(text, as: type) else { return nil }
            return (value, type)
        default: break
        }
        return value.naturalType == type ? (value.normalized, type) : nil
    }

    private func constant(_ text: String, as type: ExpressionType) -> Value? {
        switch type {
        case .string: return .string(text)
        case .date:
            let date =
                (try? Date(text, strategy: .iso8601))
                ?? (try? Date(text + "T00:00:00Z", strategy: .iso8601))
            return date.map { .date($0) }
        case .enumeration(let name):
            let cases = enumeration(named: name)?.cases ?? []
            let known =
                cases.first { $0.rawValue == .string(text) } ?? cases.first { $0.name == text }
            return known?.rawValue
        default: return AttributeType(type).flatMap { Value(spelled: text, as: $0) }
        }
    }

    private func number(_ value: Value, as type: ExpressionType) -> (Value, ExpressionType)? {
        switch type {
        case .integer:
            return value.naturalType.map { (value, $0) }
        case .double, .float:
            guard let double = value.approximation, !double.isNaN else { return nil }
            return (.double(type == .float ? Double(Float(double)) : double), type)
        case .decimal:
            guard let decimal = value.exact, decimal.isFinite else { return nil }
            let places = decimal.places
            return (
                .decimal(decimal),
                places <= DecimalStorage.maximumScale ? .decimal(scale: places) : .anyDecimal
            )
        case .anyDecimal:
            return value.exact.flatMap { $0.isFinite ? (.decimal($0), .anyDecimal) : nil }
        case .date:
            return value.approximation.flatMap {
                $0.isNaN ? nil : (.date(Date(timeIntervalSinceReferenceDate: $0)), .date)
            }
        case .enumeration(let name):
            return enumeration(named: name)?.cases.first { $0.rawValue == value }.map {
                ($0.rawValue, type)
            }
        default:
            guard let scale = type.scale else { return nil }
            let units: Int64? =
                if case .double(let number) = value {
                    DecimalStorage.units(rounding: number, scale: scale)
                } else {
                    value.exact.flatMap { DecimalStorage.units(of: $0, scale: scale) }
                }
            return units.map { (type.value(ofUnits: $0), type) }
        }
    }
}

extension Value {
    /// A number as the nearest floating-point one.
    fileprivate var approximation: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        case .decimal(let value): Double(value.description)
        default: nil
        }
    }

    /// A number as an exact one; a floating-point one by its shortest digits, as a person would
    /// have written it.
    fileprivate var exact: Decimal? {
        switch self {
        case .int(let value): Decimal(value)
        case .double(let value): NumberText.decimal(value.description)
        case .decimal(let value): value
        default: nil
        }
    }
}
