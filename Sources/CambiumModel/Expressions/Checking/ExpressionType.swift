/// The type of an expression's value. Every type has nil too.
package enum ExpressionType: Sendable, Equatable {
    /// nil itself, if its type is unknown.
    case null
    case bool
    case integer
    /// 32 bits: constants are rounded to it before they are compared.
    case float
    case double
    case decimal(scale: Int)
    /// An exact number of any scale.
    case anyDecimal
    case string
    case date
    /// An exact number of seconds. It combines with other numbers only by multiplication and
    /// division.
    case duration
    case uuid
    case uri
    case data
    case enumeration(String)
    /// A value of that Swift type. Expressions can compare it only with nil.
    case codable(String)
    /// An object of that entity.
    case object(String)

    package init(_ type: AttributeType) {
        self =
            switch type {
            case .bool: .bool
            case .int16, .int32, .int64: .integer
            case .float: .float
            case .double: .double
            case .decimal(let scale): .decimal(scale: scale)
            case .anyDecimal: .anyDecimal
            case .codable(let name): .codable(name)
            case .string: .string
            case .date: .date
            case .duration: .duration
            case .uuid: .uuid
            case .uri: .uri
            case .data: .data
            case .enumeration(let name): .enumeration(name)
            }
    }

    package var isNumber: Bool {
        switch self {
        case .integer, .float, .double, .decimal, .anyDecimal: true
        default: false
        }
    }

    /// Whether its values have no text form, so that options for comparing texts have no effect on
    /// them.
    var hasNoSpelling: Bool {
        switch self {
        case .bool, .date, .duration, .uuid, .data, .object: true
        default: isNumber
        }
    }

    /// Whether sums and means of its values can be computed.
    var hasSum: Bool { isNumber || self == .duration }

    /// Whether its values can be sorted.
    var isOrdered: Bool {
        hasSum || self == .string || self == .date
    }

    package var isFloatingPoint: Bool {
        self == .float || self == .double
    }

    /// Whether its numbers are exact to their last decimal place.
    var isExact: Bool {
        switch self {
        case .decimal, .anyDecimal, .duration: true
        default: false
        }
    }

    /// The places of an exact number.
    package var scale: Int? {
        switch self {
        case .integer: 0
        case .decimal(let scale): scale
        case .duration: DurationStorage.scale
        default: nil
        }
    }

    /// An exact number in units of the type's scale.
    func units(of value: Value) -> Int64? {
        switch value {
        case .int(let value): value
        case .decimal(let value): DecimalStorage.units(of: value, scale: scale ?? 0)
        case .duration(let value): DurationStorage.nanoseconds(of: value)
        default: nil
        }
    }

    /// The exact number of that many units.
    func value(ofUnits units: Int64?) -> Value {
        guard let units else { return .null }
        return switch self {
        case .decimal(let scale): .decimal(DecimalStorage.decimal(ofUnits: units, scale: scale))
        case .duration: .duration(.nanoseconds(units))
        default: .int(units)
        }
    }

    /// Whether its constants are written as constants of another type, such as an enumeration's
    /// case as a string.
    var hasConstantsOfOthers: Bool {
        switch self {
        case .enumeration, .date, .data: true
        default: AttributeType(self)?.descriptor.isSpelled ?? false
        }
    }

    /// Whether constants of this type are stored in the same form as values of the other.
    func isKept(in other: ExpressionType) -> Bool {
        if case .decimal(let own) = self, case .decimal(let scale) = other { return own <= scale }
        // Objects of one hierarchy have their keys from one table.
        if case .object = self, case .object = other { return true }
        return self == other
    }

    /// Returns the message that a value has this type instead of the expected one.
    func mismatch(with wanted: ExpressionType) -> String {
        if case .decimal(let own) = self, case .decimal(let scale) = wanted {
            return "a decimal number of scale \(own) where one of scale \(scale) is wanted"
        }
        return "\(description) where \(wanted.description) is wanted"
    }

    /// The name in messages.
    var description: String {
        switch self {
        case .null: "nil"
        case .bool: "a Boolean"
        case .integer: "an integer"
        case .float, .double: "a floating-point number"
        case .decimal, .anyDecimal: "a decimal number"
        case .string: "a string"
        case .date: "a date"
        case .duration: "a duration"
        case .uuid: "a UUID"
        case .uri: "a URI"
        case .data: "data"
        case .enumeration(let name), .codable(let name): "a value of \(name)"
        case .object(let name): "an object of \(name)"
        }
    }
}

extension AttributeType {
    /// The attribute type of an argument beside an operand of a type; nil if there is none.
    init?(_ type: ExpressionType) {
        switch type {
        case .bool: self = .bool
        case .integer: self = .int64
        case .float: self = .float
        case .double: self = .double
        case .decimal(let scale): self = .decimal(scale: scale)
        case .anyDecimal: self = .anyDecimal
        case .string: self = .string
        case .date: self = .date
        case .duration: self = .duration
        case .uuid: self = .uuid
        case .uri: self = .uri
        case .data: self = .data
        case .enumeration(let name): self = .enumeration(name)
        case .null, .codable, .object: return nil
        }
    }
}

extension Value {
    /// The type of a constant by itself; nil for NaN.
    var naturalType: ExpressionType? {
        switch self {
        case .null: .null
        case .bool: .bool
        case .int: .integer
        case .double(let value): value.isNaN ? nil : .double
        case .decimal(let value):
            value.isNaN
                ? nil
                : value.places <= DecimalStorage.maximumScale
                    ? .decimal(scale: value.places) : .anyDecimal
        case .string: .string
        case .date: .date
        case .duration: .duration
        case .uuid: .uuid
        case .uri: .uri
        case .data: .data
        }
    }
}

extension Decimal {
    /// The number of digits after the decimal point.
    var places: Int {
        let digits = description
        guard let point = digits.firstIndex(of: ".") else { return 0 }
        return digits.distance(from: point, to: digits.endIndex) - 1
    }
}

extension Model {
    /// Returns a constant in the form of a type's values, and its resulting type. The result is nil
    /// if the constant is not a value of that type and cannot be compared with one.
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
            guard let own = value.naturalType else { return nil }
            return (value, own)
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
            guard let number = value.exact, number.isFinite else { return nil }
            return (.decimal(number), .anyDecimal)
        case .date:
            guard let seconds = value.approximation, !seconds.isNaN else { return nil }
            return (.date(Date(timeIntervalSinceReferenceDate: seconds)), .date)
        case .enumeration(let name):
            let isCase = enumeration(named: name)?.cases.contains { $0.rawValue == value }
            return isCase == true ? (value, type) : nil
        default:
            guard let scale = type.scale else { return nil }
            var units: Int64?
            if case .double(let number) = value {
                units = DecimalStorage.units(rounding: number, scale: scale)
            } else if let number = value.exact {
                units = DecimalStorage.units(of: number, scale: scale)
            }
            return units == nil ? nil : (type.value(ofUnits: units), type)
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

/// Numbers as they are written in expressions: decimal, or integers after `0x`, `0o` and `0b`.
enum NumberText {
    static func integer(_ text: String) -> Int64? {
        let isNegative = text.hasPrefix("-")
        let digits = isNegative ? text.dropFirst() : text[...]
        let radix =
            switch digits.prefix(2).lowercased() {
            case "0x": 16
            case "0o": 8
            case "0b": 2
            default: 10
            }
        guard radix != 10 else { return Int64(text) }
        return Int64((isNegative ? "-" : "") + digits.dropFirst(2), radix: radix)
    }

    static func double(_ text: String) -> Double? {
        if let integer = integer(text) { return Double(integer) }
        guard let first = text.utf8.last, (48...57).contains(first) else { return nil }
        return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }

    /// Bytes, written as `0x` and an even number of hexadecimal digits.
    static func bytes(_ text: String) -> Data? {
        guard text.prefix(2).lowercased() == "0x", text.utf8.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in text.dropFirst(2) {
            guard let digit = character.hexDigitValue.map(UInt8.init) else { return nil }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return Data(bytes)
    }

    /// Returns the exact number, or nil if it has more digits than a decimal can hold.
    static func decimal(_ text: String) -> Decimal? {
        if let integer = integer(text) { return Decimal(integer) }
        let digits = text.lazy.filter { $0.isNumber }.count
        guard digits <= 38, double(text) != nil, let value = Decimal(string: text),
            value.isFinite
        else { return nil }
        return value
    }
}
