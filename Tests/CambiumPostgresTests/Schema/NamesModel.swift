import Cambium
import Foundation

/// A model with every kind of column, and with names that PostgreSQL does not take as they are.
enum NamesModel {
    static let model = CompiledModel(
        Model(
            name: "Names", version: "1",
            entities: [account, accountKey, order, special, report, first, second],
            enumerations: [
                Enumeration(
                    name: "Level", rawType: .int16,
                    cases: [EnumerationCase(name: "low", rawValue: .int(1))]),
                Enumeration(
                    name: "Colour", rawType: .string,
                    cases: [EnumerationCase(name: "red", rawValue: .string("RED"))]),
            ], composites: [spot]))

    /// 64 bytes: the server keeps 63 of them.
    static let long = String(repeating: "Lengthy_", count: 8)
    /// Byte 63 is in the middle of a character.
    static let wide = "x" + String(repeating: "ß", count: 40)

    private static let spot = Composite(
        name: "Spot",
        attributes: [
            Attribute(name: "latitude", type: .double),
            Attribute(name: "note", type: .string, isOptional: true),
        ])

    private static func path(_ names: String...) -> ModelExpression {
        .keyPath(root: .subject, names: names)
    }

    private static func constant(_ value: Value) -> DefaultValue { .constant(value) }

    /// What SQL has words for, or the server a column of its own.
    private static let order = Entity(
        name: "order",
        attributes: [
            Attribute(name: "select", type: .bool, defaultValue: constant(.bool(true))),
            Attribute(
                name: "user", type: .string, defaultValue: constant(.string("it's \\ \"$1\""))),
            Attribute(name: "xmin", type: .double), Attribute(name: "xmax", type: .double),
            Attribute(name: "ctid", type: .uuid, isOptional: true),
            Attribute(
                name: "width", type: .double, isOptional: true,
                derivation: .arithmetic(path("xmax"), .subtract, path("xmin"))),
            Attribute(
                name: "double width", type: .double, isOptional: true,
                derivation: .arithmetic(path("width"), .multiply, .literal(.double(2)))),
        ],
        relationships: [
            Relationship(name: "table", destination: "account", inverse: "orders"),
            Relationship(
                name: "tableoid", destination: "order", inverse: "cmin", isToMany: true,
                isOrdered: true),
            Relationship(
                name: "cmin", destination: "order", inverse: "tableoid", isToMany: true),
        ],
        uniqueConstraints: [UniqueConstraint(properties: ["user", "xmin"])],
        indexes: [
            Index(elements: [
                IndexElement(property: "xmax", isDescending: true), IndexElement(property: "table"),
            ])
        ])

    /// A family, in whose table each row has the columns of all.
    private static let account = Entity(
        name: "account", isAbstract: true,
        attributes: [
            Attribute(name: "home.latitude", type: .double, isOptional: true),
            Attribute(name: "home.note", type: .string, isOptional: true),
            Attribute(name: "level", type: .enumeration("Level"), defaultValue: constant(.int(1))),
            Attribute(name: "rank", type: .int32, defaultValue: constant(.int(1))),
            Attribute(name: "colour", type: .enumeration("Colour"), isOptional: true),
            Attribute(
                name: "balance", type: .decimal(scale: 2),
                defaultValue: constant(
                    .decimal(Decimal(sign: .minus, exponent: -1, significand: 5))),
                limits: Limits(minimum: .int(-100))),
            Attribute(name: "small", type: .decimal(scale: 18), isOptional: true),
            Attribute(
                name: "exact", type: .anyDecimal, defaultValue: constant(.int(0)),
                limits: Limits(maximum: .int(1000))),
            Attribute(name: "span", type: .duration, isOptional: true),
            Attribute(name: "seen", type: .date, defaultValue: .now),
            Attribute(
                name: "saved", type: .date, isOptional: true, derivation: .function(.now, [])),
            Attribute(name: "link", type: .uri, isOptional: true),
            Attribute(name: "list", type: .codable("[String]"), isOptional: true),
            Attribute(
                name: "photo", type: .data, isOptional: true, limits: Limits(maximumLength: 9),
                isExternal: true),
            Attribute(
                name: "hash", type: .data, isOptional: true,
                limits: Limits(minimumLength: 1, maximumLength: 3)),
            Attribute(
                name: "code", type: .string, isOptional: true,
                limits: Limits(minimumLength: 2, maximumLength: 4, pattern: "[A-Z]+")),
            Attribute(
                name: "orderCount", type: .int32, derivation: .aggregate(.count, path("orders"))),
            Attribute(
                name: "codeLength", type: .int16, isOptional: true,
                derivation: .function(.length, [path("code")])),
        ],
        compositeAttributes: [
            CompositeAttribute(name: "home", composite: "Spot", isOptional: true)
        ],
        relationships: [
            Relationship(name: "orders", destination: "order", inverse: "table", isToMany: true)
        ],
        uniqueConstraints: [UniqueConstraint(properties: ["code"])],
        indexes: [
            Index(elements: [
                IndexElement(property: "", expression: .function(.length, [path("code")]))
            ]),
            Index(
                elements: [IndexElement(property: "rank")],
                condition: .comparison(path("rank"), .greater, .literal(.int(1)), [])),
        ],
        rules: [
            Rule(
                name: "notTooLong",
                condition: .comparison(path("rank"), .less, .literal(.int(9)), []))
        ])

    /// The server itself would call the index of the key of `account` so.
    private static let accountKey = Entity(
        name: "account_pkey", attributes: [Attribute(name: "name", type: .string)])

    private static let special = Entity(
        name: "special", parent: "account",
        attributes: [
            Attribute(name: long, type: .string), Attribute(name: "fee", type: .float),
            Attribute(
                name: "doubleRank", type: .int64, isOptional: true,
                derivation: .arithmetic(path("rank"), .multiply, .literal(.int(2)))),
        ],
        uniqueConstraints: [UniqueConstraint(properties: [long])])

    private static let report = Entity(
        name: "report", parent: "account",
        attributes: [Attribute(name: wide, type: .string, isOptional: true)])

    /// Two names that are one to the server, of tables, columns and all that is named after them.
    private static let first = entity("\(long)A", other: "\(long)B")
    private static let second = entity("\(long)B", other: "\(long)A")

    private static func entity(_ name: String, other: String) -> Entity {
        let isFirst = name.hasSuffix("A")
        return Entity(
            name: name,
            attributes: [
                Attribute(
                    name: "\(long)1", type: .int32, defaultValue: constant(.int(1)),
                    limits: Limits(minimum: .int(0), maximum: .int(9))),
                Attribute(name: "\(long)2", type: .string, isOptional: true),
                Attribute(
                    name: "\(wide)1.latitude", type: .double, isOptional: true),
                Attribute(name: "\(wide)1.note", type: .string, isOptional: true),
                Attribute(
                    name: "\(long)3", type: .int64, isOptional: true,
                    derivation: .arithmetic(path("\(long)1"), .add, .literal(.int(1)))),
                Attribute(
                    name: "\(long)4", type: .int64, isOptional: true,
                    derivation: .aggregate(.count, path("\(long)many"))),
            ],
            compositeAttributes: [
                CompositeAttribute(name: "\(wide)1", composite: "Spot", isOptional: true)
            ],
            relationships: [
                Relationship(
                    name: "\(long)many", destination: other, inverse: "\(long)many",
                    isToMany: true, isOrdered: true),
                Relationship(
                    name: "\(long)\(isFirst ? "list" : "owner")", destination: other,
                    inverse: "\(long)\(isFirst ? "owner" : "list")", isToMany: isFirst,
                    isOrdered: isFirst),
                Relationship(name: "\(wide)account", destination: "account"),
            ],
            uniqueConstraints: [
                UniqueConstraint(properties: ["\(long)1", "\(long)2"]),
                UniqueConstraint(properties: ["\(long)2"]),
            ],
            indexes: [
                Index(elements: [
                    IndexElement(property: "\(long)1", isDescending: true),
                    IndexElement(property: "\(long)2"),
                ])
            ])
    }
}
