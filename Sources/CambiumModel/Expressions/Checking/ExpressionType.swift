/// The type of an expression's value. Every type has nil too.
package enum ExpressionType: Sendable, Hashable {
    /// nil itself, where nothing says of what type.
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
    /// An exact number of seconds of its own, which meets others only by multiplication.
    case duration
    case uuid
    case uri
    case data
    case enumeration(String)
    /// A value of that Swift type, of which only nil can be told apart.
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

    /// Whether its values are no texts in any way, so that the options of a comparison of texts
    /// mean nothing for them.
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

    /// Whether it is a number with places, each of which counts.
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

    /// Whether its constants are written as those of another type: a case as a string.
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

    /// How messages say that a value is of this type and not of the one that is wanted.
    func mismatch(with wanted: ExpressionType) -> String {
        if case .decimal(let own) = self, case .decimal(let scale) = wanted {
            return "a decimal number of scale \(own) where one of scale \(scale) is wanted"
        }
        return "\(description) where \(wanted.description) is wanted"
    }

    /// How messages call it.
    var description: String {
        switch self {
        case .null: "nil"
        case .bool: "a truth value"
        case .integer: "a whole number"
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
    /// The type of an argument that meets something of a type; nil where there is none.
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
    /// The type of a constant that meets nothing; nil for NaN.
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
