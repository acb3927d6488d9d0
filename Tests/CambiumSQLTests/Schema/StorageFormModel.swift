import CambiumModel

/// A model with every storage form, small enough to read its SQL in one go.
enum StorageFormModel {
    static let model = Model(
        name: "Forms", version: "1", entities: [everyType, named, person, company, tag],
        enumerations: [
            Enumeration(
                name: "Kind", rawType: .string,
                cases: [EnumerationCase(name: "book", rawValue: .string("book"))]),
            Enumeration(
                name: "Level", rawType: .int16,
                cases: [EnumerationCase(name: "low", rawValue: .int(1))]),
        ])

    private static let everyType = Entity(
        name: "EveryType",
        attributes: [
            Attribute(name: "aBool", type: .bool, defaultValue: .constant(.bool(false))),
            Attribute(name: "anInt16", type: .int16),
            Attribute(
                name: "anInt32", type: .int32, defaultValue: .constant(.int(-5)),
                limits: Limits(minimum: .int(-10), maximum: .int(10))),
            Attribute(name: "anInt64", type: .int64, isOptional: true),
            Attribute(name: "aFloat", type: .float),
            Attribute(
                name: "aDouble", type: .double, defaultValue: .constant(.double(0.5)),
                limits: Limits(minimum: .double(0))),
            Attribute(
                name: "aDecimal", type: .decimal(scale: 2),
                defaultValue: .constant(
                    .decimal(Decimal(sign: .plus, exponent: -2, significand: 1)))
            ),
            Attribute(
                name: "aString", type: .string, defaultValue: .constant(.string("it's")),
                limits: Limits(minimumLength: 1, maximumLength: 20, pattern: "[a-z']+")),
            Attribute(name: "aDate", type: .date, defaultValue: .now),
            Attribute(
                name: "aDuration", type: .duration,
                defaultValue: .constant(.duration(.seconds(90))),
                limits: Limits(minimum: .duration(.zero))),
            Attribute(name: "aUUID", type: .uuid, defaultValue: .newUUID),
            Attribute(name: "aURI", type: .uri, isOptional: true),
            Attribute(
                name: "someData", type: .data, isOptional: true, limits: Limits(maximumLength: 9)),
            Attribute(name: "aKind", type: .enumeration("Kind")),
            Attribute(name: "aLevel", type: .enumeration("Level"), isOptional: true),
            Attribute(name: "inMemory", type: .string, isTransient: true),
        ],
        relationships: [
            Relationship(name: "owner", destination: "Person", isOptional: false),
            Relationship(
                name: "holder", destination: "Named", inverse: "holding", deleteRule: .cascade),
            Relationship(name: "tags", destination: "Tag", inverse: "items", isToMany: true),
            Relationship(name: "seeAlso", destination: "EveryType", isToMany: true),
        ],
        uniqueConstraints: [UniqueConstraint(properties: ["aString", "owner"])],
        indexes: [
            Index(elements: [
                IndexElement(property: "aDecimal", isDescending: true),
                IndexElement(property: "aString"),
            ]),
            Index(
                elements: [IndexElement(property: "aDate")],
                condition: .comparison(
                    .keyPath(root: .subject, names: ["anInt32"]), .greater, .literal(.int(0)), [])),
        ],
        rules: [
            Rule(
                name: "ordered",
                condition: .comparison(
                    .keyPath(root: .subject, names: ["anInt16"]), .less,
                    .keyPath(root: .subject, names: ["anInt32"]), [])),
            Rule(
                name: "ownerIsNamed",
                condition: .comparison(
                    .keyPath(root: .subject, names: ["owner", "name"]), .notEqual,
                    .literal(.string("")), [])),
        ])

    private static let named = Entity(
        name: "Named", isAbstract: true, attributes: [Attribute(name: "name", type: .string)],
        relationships: [
            Relationship(
                name: "holding", destination: "EveryType", inverse: "holder", isToMany: true)
        ])

    private static let person = Entity(
        name: "Person", parent: "Named",
        attributes: [
            Attribute(name: "born", type: .date),
            Attribute(name: "code", type: .string, isOptional: true),
        ],
        uniqueConstraints: [UniqueConstraint(properties: ["name"])])

    private static let company = Entity(
        name: "Company", parent: "Named", attributes: [Attribute(name: "code", type: .int64)],
        relationships: [Relationship(name: "head", destination: "Person", isOptional: false)],
        rules: [
            Rule(
                name: "codePositive",
                condition: .comparison(
                    .keyPath(root: .subject, names: ["code"]), .greater, .literal(.int(0)), []))
        ])

    private static let tag = Entity(
        name: "Tag",
        relationships: [
            Relationship(name: "items", destination: "EveryType", inverse: "tags", isToMany: true)
        ])
}
