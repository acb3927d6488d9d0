/// The type of an attribute's values.
public enum AttributeType: Sendable, Hashable {
    /// True or false; stored as 1 or 0.
    case bool
    /// An integer of 16 bits.
    case int16
    /// An integer of 32 bits.
    case int32
    /// An integer of 64 bits.
    case int64
    /// A binary floating-point number of 32 bits.
    case float
    /// A binary floating-point number of 64 bits.
    case double
    /// An exact decimal number, stored as an integer in units of 10 to the power −scale.
    case decimal(scale: Int)
    /// An exact decimal number of up to 38 digits, of any scale; stored as bytes that sort like the
    /// numbers.
    case anyDecimal
    /// Text.
    case string
    /// A point in time; stored as seconds since 2001-01-01 UTC.
    case date
    /// A length of time of whole nanoseconds; stored as their number.
    case duration
    /// A UUID; stored as its 16 bytes.
    case uuid
    /// A URI; stored as text.
    case uri
    /// Bytes.
    case data
    /// One of the cases of the model's enumeration of that name; stored as its raw value.
    case enumeration(String)
    /// A value of the Swift type with that name. The type is `Codable` and `Sendable`; values are
    /// stored as JSON.
    case codable(String)

    /// All types except decimals with a scale, enumerations and codable types.
    package static let plain: [AttributeType] = [
        .bool, .int16, .int32, .int64, .float, .double, .anyDecimal, .string, .date, .duration,
        .uuid, .uri, .data,
    ]

    /// The properties of the type.
    @inline(never)
    package var descriptor: AttributeTypeDescriptor {
        switch self {
        case .bool: .bool
        case .int16: .int16
        case .int32: .int32
        case .int64: .int64
        case .float: .float
        case .double: .double
        case .decimal: .decimal
        case .anyDecimal: .anyDecimal
        case .string: .string
        case .date: .date
        case .duration: .duration
        case .uuid: .uuid
        case .uri: .uri
        case .data: .data
        case .enumeration: .enumeration
        case .codable: .codable
        }
    }

    /// The case's name without its associated value. Swift's own description of an enumeration
    /// looks it up in metadata, which takes long for ten thousand attributes.
    package var caseName: String { descriptor.name }

    /// The range of an integer of less than 64 bits; nil of other types.
    package var narrowIntegers: ClosedRange<Int64>? {
        self == .bool || self == .int64 ? nil : descriptor.integers
    }

    /// The words for types in a model, each with the type that it names.
    package static let words: [String: AttributeType] = Dictionary(
        uniqueKeysWithValues: plain.filter { $0 != .anyDecimal }.map { ($0.caseName, $0) }
            + [("decimal", .decimal(scale: DecimalStorage.defaultScale))])
}

/// The properties of an attribute type: a row of the table of types.
package final class AttributeTypeDescriptor: Sendable {
    /// The name of the case. It is also the word for the type in a model.
    package let name: String
    /// The name of the type in the documentation of a generated property.
    package let title: String
    /// The Swift type of the values, and whether the standard library defines it.
    package let swiftName: String
    package let isOfStandardLibrary: Bool
    /// The case of ``Value`` that holds the values, and the Swift type that the case holds.
    package let valueCase: String
    package let valueType: String?
    /// The base name of the object accessors that generated code calls.
    package let accessor: String
    /// The storage of the values.
    package let storage: StorageClass
    /// The integers of the type, if it is a type of integers.
    package let integers: ClosedRange<Int64>?
    /// Whether the values can have limits. This is so for numbers and dates.
    package let hasOrder: Bool
    /// The expression for a neutral value, for existing objects that need one.
    package let neutral: String?
    /// Whether a default is the same constant in the store.
    package let hasPlainDefault: Bool
    /// Whether JSON, conditions and files have the values as texts of a form of their own.
    package let isSpelled: Bool
    /// The noun for a value in messages, and an example of how to write one.
    package let noun: String
    package let example: String
    /// The text of the error for a value that the store cannot keep.
    package let unfit: String
    /// The name in Xcode's editor and files.
    package let xcodeName: String?
    /// The names of the type in other tools and databases, in lower case.
    package let otherNames: [String]

    fileprivate init(
        name: String, title: String, swiftName: String, isOfStandardLibrary: Bool = false,
        valueCase: String, valueType: String? = nil, accessor: String = "value",
        storage: StorageClass, integers: ClosedRange<Int64>? = nil, hasOrder: Bool = false,
        neutral: String? = nil, hasPlainDefault: Bool = true, isSpelled: Bool = false,
        noun: String = "", example: String = "", unfit: String = "", xcodeName: String? = nil,
        otherNames: [String] = []
    ) {
        self.name = name
        self.title = title
        self.swiftName = swiftName
        self.isOfStandardLibrary = isOfStandardLibrary
        self.valueCase = valueCase
        self.valueType = valueType
        self.accessor = accessor
        self.storage = storage
        self.integers = integers
        self.hasOrder = hasOrder
        self.neutral = neutral
        self.hasPlainDefault = hasPlainDefault
        self.isSpelled = isSpelled
        self.noun = noun
        self.example = example
        self.unfit = unfit
        self.xcodeName = xcodeName
        self.otherNames = otherNames
    }
}

extension AttributeTypeDescriptor {
    /// Returns the word for the type with a name in other tools and databases; nil if there is
    /// none.
    package static func word(forOther name: String) -> String? {
        (AttributeType.plain.map { $0.descriptor } + [.decimal, .codable])
            .first { $0.otherNames.contains(name.lowercased()) }?.name
    }

    static let bool = AttributeTypeDescriptor(
        name: "bool", title: "Boolean", swiftName: "Bool", isOfStandardLibrary: true,
        valueCase: "bool", accessor: "bool", storage: .integer, integers: 0...1, neutral: "FALSE",
        xcodeName: "Boolean", otherNames: ["boolean"])

    static let int16 = integer(bits: 16)
    static let int32 = integer(bits: 32)
    static let int64 = integer(bits: 64, otherNames: ["int", "integer"])

    private static func integer(bits: Int, otherNames: [String] = []) -> AttributeTypeDescriptor {
        let greatest = Int64.max >> (64 - bits)
        return AttributeTypeDescriptor(
            name: "int\(bits)", title: "Integer of \(bits) bits", swiftName: "Int\(bits)",
            isOfStandardLibrary: true, valueCase: "int", valueType: "Int64", accessor: "int\(bits)",
            storage: .integer, integers: (-greatest - 1)...greatest, hasOrder: true, neutral: "0",
            noun: "integer", xcodeName: "Integer \(bits)",
            otherNames: otherNames + ["integer \(bits)"])
    }

    static let float = AttributeTypeDescriptor(
        name: "float", title: "Floating-point number of 32 bits", swiftName: "Float",
        isOfStandardLibrary: true, valueCase: "double", valueType: "Double", accessor: "float",
        storage: .real,
        hasOrder: true, neutral: "0", noun: "number", example: "12.5 or 1e-3", xcodeName: "Float")

    static let double = AttributeTypeDescriptor(
        name: "double", title: "Floating-point number of 64 bits", swiftName: "Double",
        isOfStandardLibrary: true, valueCase: "double", accessor: "double", storage: .real,
        hasOrder: true,
        neutral: "0", noun: "number", example: "12.5 or 1e-3", xcodeName: "Double",
        otherNames: ["real", "number"])

    static let decimal = AttributeTypeDescriptor(
        name: "decimal", title: "Decimal", swiftName: "Decimal", valueCase: "decimal",
        accessor: "decimal", storage: .integer, hasOrder: true, neutral: "0",
        noun: "decimal number",
        unfit: "a decimal that has more places than the attribute keeps, or more than 18 digits. "
            + "Round it, or give the attribute another scale.",
        xcodeName: "Decimal", otherNames: ["numeric"])

    static let anyDecimal = AttributeTypeDescriptor(
        name: "anyDecimal", title: "Decimal of up to 38 digits", swiftName: "Decimal",
        valueCase: "decimal", accessor: "decimal", storage: .blob, hasOrder: true, neutral: "0",
        hasPlainDefault: false, noun: "decimal number", unfit: "a decimal that is not a number.")

    static let string = AttributeTypeDescriptor(
        name: "string", title: "String", swiftName: "String", isOfStandardLibrary: true,
        valueCase: "string", accessor: "string", storage: .text, noun: "string",
        xcodeName: "String",
        otherNames: ["text", "varchar"])

    static let date = AttributeTypeDescriptor(
        name: "date", title: "Date", swiftName: "Date", valueCase: "date", accessor: "date",
        storage: .real,
        hasOrder: true, neutral: "'2001-01-01T00:00:00Z'", noun: "date", xcodeName: "Date",
        otherNames: ["datetime", "timestamp"])

    static let duration = AttributeTypeDescriptor(
        name: "duration", title: "Duration", swiftName: "Duration", isOfStandardLibrary: true,
        valueCase: "duration", storage: .integer, hasOrder: true, neutral: "'PT0S'",
        isSpelled: true, noun: "duration", example: "PT1H30M",
        unfit: "a duration of more than 292 years.",
        xcodeName: "Integer 64",
        otherNames: ["interval", "time interval", "timeinterval", "timespan"])

    static let uuid = AttributeTypeDescriptor(
        name: "uuid", title: "UUID", swiftName: "UUID", valueCase: "uuid", accessor: "uuid",
        storage: .blob,
        neutral: "uuid()", hasPlainDefault: false, isSpelled: true, noun: "UUID",
        example: "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6", xcodeName: "UUID")

    static let uri = AttributeTypeDescriptor(
        name: "uri", title: "URI", swiftName: "URL", valueCase: "uri", accessor: "uri",
        storage: .text,
        neutral: "'about:blank'", hasPlainDefault: false, isSpelled: true, noun: "URI",
        example: "https://example.org/", xcodeName: "URI", otherNames: ["url"])

    static let data = AttributeTypeDescriptor(
        name: "data", title: "Data", swiftName: "Data", valueCase: "data", accessor: "data",
        storage: .blob,
        neutral: "0x00", hasPlainDefault: false, noun: "data", xcodeName: "Binary",
        otherNames: ["binary", "binary data", "blob"])

    /// The store keeps the raw values, so the storage class depends on the model: see
    /// ``Model/storageClass(of:)``.
    static let enumeration = AttributeTypeDescriptor(
        name: "enumeration", title: "Enumeration", swiftName: "", valueCase: "string",
        storage: .integer)

    static let codable = AttributeTypeDescriptor(
        name: "codable", title: "JSON", swiftName: "", valueCase: "string", accessor: "codable",
        storage: .text,
        hasPlainDefault: false, unfit: "a value that cannot be written as JSON.",
        otherNames: ["transformable", "json"])
}

/// A closed set of values that the model names; a Swift `enum` with a raw value.
public struct Enumeration: Sendable, Equatable {
    /// The name of the Swift type.
    public let name: String
    /// The type of the raw values: `.string` or one of the integers.
    public let rawType: AttributeType
    /// The cases in declaration order.
    public let cases: [EnumerationCase]

    /// Describes an enumeration.
    public init(name: String, rawType: AttributeType, cases: [EnumerationCase]) {
        self.name = name
        self.rawType = rawType
        self.cases = cases
    }
}

/// A case of an enumeration.
public struct EnumerationCase: Sendable, Equatable {
    /// The name of the Swift case.
    public let name: String
    /// The stored value: a `.string` or an `.int`, depending on the enumeration's raw type.
    public let rawValue: Value

    /// Describes a case.
    public init(name: String, rawValue: Value) {
        self.name = name
        self.rawValue = rawValue
    }
}

/// The storage of a value in a row: SQLite's storage classes without NULL.
public enum StorageClass: String, Sendable, Hashable {
    /// A signed 64-bit integer.
    case integer = "INTEGER"
    /// A 64-bit floating-point number.
    case real = "REAL"
    /// UTF-8 text.
    case text = "TEXT"
    /// Bytes.
    case blob = "BLOB"
}
