import Cambium

/// What imports and exports are tried on: an attribute of every type, and relationships of every
/// shape to entities that are named by a text, by two attributes, or not at all.
enum Exchange {
    static let model = CompiledModel(value)

    static let value = Model(
        name: "Exchange", version: "1",
        entities: [
            Entity(
                name: "Article",
                attributes: [
                    Attribute(
                        name: "sku", type: .string,
                        limits: Limits(minimumLength: 1, pattern: "[^!]*")),
                    optional("title", .string),
                    Attribute(
                        name: "stock", type: .int32, defaultValue: .constant(.int(7)),
                        limits: Limits(minimum: .int(0))),
                    optional("flag", .bool), optional("short", .int16), optional("long", .int64),
                    optional("single", .float), optional("double", .double),
                    optional("amount", .decimal(scale: 2)), optional("exact", .anyDecimal),
                    optional("moment", .date), optional("length", .duration),
                    optional("token", .uuid), optional("link", .uri),
                    optional("bytes", .data), optional("photo", .data, isExternal: true),
                    optional("size", .enumeration("Size")),
                    optional("colour", .enumeration("Colour")),
                    optional("notes", .codable("[String]")),
                ],
                relationships: [
                    one("category", "Category", "articles"),
                    one("city", "City", "articles"),
                    one("parent", "Article", "children"),
                    many("children", "Article", "parent"),
                    one("twin", "Article", "twinOf"), one("twinOf", "Article", "twin"),
                    many("related", "Article", "relatedFrom"),
                    many("relatedFrom", "Article", "related"),
                    many("tags", "Tag", "articles", isOrdered: true),
                    one("mark", "Mark", "article"),
                ], uniqueConstraints: [UniqueConstraint(properties: ["sku"])]),
            Entity(
                name: "Category", attributes: [text("name")],
                relationships: [many("articles", "Article", "category", isOrdered: true)],
                uniqueConstraints: [UniqueConstraint(properties: ["name"])]),
            Entity(
                name: "City", attributes: [text("name"), text("region")],
                relationships: [many("articles", "Article", "city")],
                uniqueConstraints: [UniqueConstraint(properties: ["region", "name"])]),
            Entity(
                name: "Tag", attributes: [text("label")],
                relationships: [many("articles", "Article", "tags")],
                uniqueConstraints: [UniqueConstraint(properties: ["label"])]),
            // Nobody can be led to this one by name.
            Entity(
                name: "Mark", attributes: [text("text")],
                relationships: [one("article", "Article", "mark", isOptional: false)]),
            // A tree of which every node but the first needs a parent that is there.
            Entity(
                name: "Step", attributes: [text("name")],
                relationships: [
                    one("before", "Step", "after", isOptional: false),
                    many("after", "Step", "before"),
                ], uniqueConstraints: [UniqueConstraint(properties: ["name"])]),
        ],
        enumerations: [
            Enumeration(
                name: "Size", rawType: .int16,
                cases: [
                    EnumerationCase(name: "small", rawValue: .int(1)),
                    EnumerationCase(name: "large", rawValue: .int(20)),
                ]),
            Enumeration(
                name: "Colour", rawType: .string,
                cases: [
                    EnumerationCase(name: "red", rawValue: .string("red")),
                    EnumerationCase(name: "green", rawValue: .string("GREEN")),
                ]),
        ])

    /// The properties that have a value of their own type each.
    static let attributes = value.entities[0].attributes

    private static func text(_ name: String) -> Attribute {
        Attribute(name: name, type: .string, limits: Limits(minimumLength: 1))
    }

    private static func optional(
        _ name: String, _ type: AttributeType, isExternal: Bool = false
    ) -> Attribute {
        Attribute(name: name, type: type, isOptional: true, isExternal: isExternal)
    }

    private static func one(
        _ name: String, _ destination: String, _ inverse: String, isOptional: Bool = true
    ) -> Relationship {
        Relationship(
            name: name, destination: destination, inverse: inverse, isOptional: isOptional)
    }

    private static func many(
        _ name: String, _ destination: String, _ inverse: String, isOrdered: Bool = false
    ) -> Relationship {
        Relationship(
            name: name, destination: destination, inverse: inverse, isToMany: true,
            isOrdered: isOrdered)
    }
}
