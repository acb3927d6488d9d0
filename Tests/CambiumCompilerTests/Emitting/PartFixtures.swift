import CambiumModel

@testable import CambiumCompiler

extension EmitterInput {
    /// Composite values (nested, optional, empty), JSON, decimals of any scale, derived, fetched
    /// and ordered properties, configurations, user info and names of classes.
    static var parts: EmitterInput {
        EmitterInput(
            model: Model(
                name: "Parts", version: "1", entities: [person, club],
                enumerations: [
                    Enumeration(
                        name: "Root", rawType: .string,
                        cases: [EnumerationCase(name: "oak", rawValue: .string("oak"))])
                ],
                composites: composites,
                configurations: [
                    Configuration(
                        name: "Main", entities: ["Person", "Club"], userInfo: ["store": "local"])
                ], identifier: "parts-1", userInfo: ["b": "2", "a": "1"]),
            access: .public)
    }

    private static let composites = [
        Composite(
            name: "Place",
            attributes: [
                Attribute(name: "latitude", type: .double),
                Attribute(name: "path", type: .string, isOptional: true),
            ]),
        Composite(
            name: "Address",
            attributes: [
                Attribute(name: "street", type: .string),
                Attribute(name: "class", type: .enumeration("Root"), isOptional: true),
                Attribute(name: "place.latitude", type: .double, isOptional: true),
                Attribute(name: "place.path", type: .string, isOptional: true),
                Attribute(name: "tax", type: .decimal(scale: 2)),
            ],
            compositeAttributes: [
                CompositeAttribute(name: "place", composite: "Place", isOptional: true)
            ], userInfo: ["note": "two\nlines"]),
        Composite(name: "Nothing"),
    ]

    private static let person = Entity(
        name: "Person", className: "Human",
        attributes: [
            Attribute(name: "name", type: .string, isExternal: false),
            Attribute(
                name: "tags", type: .codable("[String: [Int]?]"),
                defaultValue: .constant(.string("{}")), merge: .union),
            Attribute(name: "settings", type: .codable("Settings"), isOptional: true),
            Attribute(name: "worth", type: .anyDecimal),
            Attribute(name: "debt", type: .anyDecimal, isOptional: true),
            Attribute(
                name: "initial", type: .string, isOptional: true,
                derivation: .keyPath(root: .subject, names: ["name"])),
            Attribute(name: "photo", type: .data, isOptional: true, isExternal: true),
            Attribute(
                name: "home.street", type: .string,
                limits: Limits(minimumLength: 1, maximumLength: 80)),
            Attribute(name: "home.class", type: .enumeration("Root"), isOptional: true),
            Attribute(
                name: "home.place.latitude", type: .double, isOptional: true,
                limits: Limits(minimum: .int(-90), maximum: .int(90))),
            Attribute(name: "home.place.path", type: .string, isOptional: true),
            Attribute(name: "home.tax", type: .decimal(scale: 2)),
            Attribute(name: "birthplace.latitude", type: .double, isOptional: true),
            Attribute(name: "birthplace.path", type: .string, isOptional: true),
        ],
        compositeAttributes: [
            CompositeAttribute(name: "home", composite: "Address"),
            CompositeAttribute(name: "home.place", composite: "Place", isOptional: true),
            CompositeAttribute(name: "birthplace", composite: "Place", isOptional: true),
            CompositeAttribute(name: "nothing", composite: "Nothing", isOptional: true),
        ],
        relationships: [
            Relationship(
                name: "clubs", destination: "Club", inverse: "members", isToMany: true,
                isOrdered: true, userInfo: ["key": "value"])
        ],
        fetchTemplates: [
            FetchTemplate(
                name: "named",
                parameters: [
                    FetchParameter(name: "names", type: .string, isList: true),
                    FetchParameter(name: "kinds", type: .enumeration("Root"), isList: true),
                    FetchParameter(name: "worth", type: .anyDecimal),
                ], options: RequestOptions(limit: 5, isDistinct: true))
        ],
        fetchedProperties: [
            FetchedProperty(
                name: "rivals", destination: "Person",
                condition: .comparison(
                    .keyPath(root: .subject, names: ["name"]), .notEqual, .literal(.string("x")),
                    []), sort: [IndexElement(property: "name")])
        ], userInfo: ["author": "me"])

    private static let club = Entity(
        name: "Club",
        relationships: [
            Relationship(
                name: "members", destination: "Person", inverse: "clubs", isToMany: true)
        ])
}
