/// The type of an attribute's values.
public enum AttributeType: Sendable, Hashable {
    /// True or false; stored as 1 or 0.
    case bool
    /// A whole number of 16 bits.
    case int16
    /// A whole number of 32 bits.
    case int32
    /// A whole number of 64 bits.
    case int64
    /// A binary floating-point number of 32 bits.
    case float
    /// A binary floating-point number of 64 bits.
    case double
    /// An exact decimal number, stored as an integer in units of 10 to the power −scale.
    case decimal(scale: Int)
    /// An exact decimal number of up to 38 digits, whatever its scale; stored as bytes that sort as
    /// the numbers do.
    case anyDecimal
    /// Text.
    case string
    /// A moment; stored as seconds since 2001-01-01 UTC.
    case date
    /// A UUID; stored as its 16 bytes.
    case uuid
    /// A URI; stored as text.
    case uri
    /// Bytes.
    case data
    /// One of the cases of the model's enumeration of that name; stored as its raw value.
    case enumeration(String)
    /// A value of the Swift type of that name, which is `Codable` and `Sendable`; stored as JSON.
    case codable(String)

    /// The types that hold nothing but what their case says.
    package static let plain: [AttributeType] = [
        .bool, .int16, .int32, .int64, .float, .double, .anyDecimal, .string, .date, .uuid, .uri,
        .data,
    ]

    /// The case's name without what it holds. Swift's own description of an enumeration looks it up
    /// in metadata, which takes long for ten thousand attributes.
    package var caseName: String {
        switch self {
        case .bool: "bool"
        case .int16: "int16"
        case .int32: "int32"
        case .int64: "int64"
        case .float: "float"
        case .double: "double"
        case .decimal: "decimal"
        case .anyDecimal: "anyDecimal"
        case .string: "string"
        case .date: "date"
        case .uuid: "uuid"
        case .uri: "uri"
        case .data: "data"
        case .enumeration: "enumeration"
        case .codable: "codable"
        }
    }
}

/// A closed set of values that the model names; a Swift `enum` with a raw value.
public struct Enumeration: Sendable, Hashable {
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
public struct EnumerationCase: Sendable, Hashable {
    /// The name of the Swift case.
    public let name: String
    /// What the store holds: a `.string` or an `.int`, as the enumeration's raw type says.
    public let rawValue: Value

    /// Describes a case.
    public init(name: String, rawValue: Value) {
        self.name = name
        self.rawValue = rawValue
    }
}

/// How a value is kept in a row: SQLite's storage classes without NULL.
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

extension Model {
    /// How values of a type are kept in a row.
    public func storageClass(of type: AttributeType) -> StorageClass {
        switch type {
        case .bool, .int16, .int32, .int64, .decimal: .integer
        case .float, .double, .date: .real
        case .string, .uri, .codable: .text
        case .uuid, .data, .anyDecimal: .blob
        case .enumeration(let name):
            enumeration(named: name)?.rawType == .string ? .text : .integer
        }
    }
}
