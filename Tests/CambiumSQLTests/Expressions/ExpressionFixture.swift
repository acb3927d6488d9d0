import CambiumModel
import CambiumSQL

/// A small model in which expressions meet every type and every kind of relationship.
enum ExpressionFixture {
    static let model = Model(
        name: "Shop", version: "1",
        entities: [
            Entity(
                name: "Item",
                attributes: [
                    Attribute(name: "name", type: .string, isOptional: true),
                    Attribute(name: "code", type: .string),
                    Attribute(name: "count", type: .int64, isOptional: true),
                    Attribute(name: "stock", type: .int32),
                    Attribute(name: "price", type: .decimal(scale: 2), isOptional: true),
                    Attribute(name: "tax", type: .decimal(scale: 4), isOptional: true),
                    Attribute(name: "weight", type: .double, isOptional: true),
                    Attribute(name: "made", type: .date, isOptional: true),
                    Attribute(name: "isNew", type: .bool, isOptional: true),
                    Attribute(name: "kind", type: .enumeration("Kind"), isOptional: true),
                    Attribute(
                        name: "isSelected", type: .bool, isOptional: true, isTransient: true),
                    Attribute(name: "amount", type: .anyDecimal, isOptional: true),
                    Attribute(name: "rate", type: .anyDecimal),
                    Attribute(name: "home.city", type: .string, isOptional: true),
                    Attribute(name: "home.geo.lat", type: .double, isOptional: true),
                    Attribute(name: "home.geo.long", type: .double, isOptional: true),
                    Attribute(name: "colour", type: .codable("Colour"), isOptional: true),
                ],
                compositeAttributes: [
                    CompositeAttribute(name: "home", composite: "Address", isOptional: true),
                    CompositeAttribute(name: "home.geo", composite: "Geo", isOptional: true),
                ],
                relationships: [
                    Relationship(name: "box", destination: "Box", inverse: "items"),
                    Relationship(name: "label", destination: "Label", inverse: "item"),
                    Relationship(
                        name: "tags", destination: "Tag", inverse: "items", isToMany: true),
                ]),
            Entity(
                name: "Box",
                attributes: [
                    Attribute(name: "name", type: .string, isOptional: true),
                    Attribute(name: "size", type: .int16, isOptional: true),
                ],
                relationships: [
                    Relationship(name: "parent", destination: "Box", inverse: "children"),
                    Relationship(
                        name: "children", destination: "Box", inverse: "parent", isToMany: true),
                    Relationship(
                        name: "items", destination: "Item", inverse: "box", isToMany: true),
                ]),
            Entity(
                name: "Label",
                attributes: [Attribute(name: "text", type: .string, isOptional: true)],
                relationships: [Relationship(name: "item", destination: "Item", inverse: "label")]
            ),
            Entity(
                name: "Tag",
                attributes: [Attribute(name: "word", type: .string, isOptional: true)],
                relationships: [
                    Relationship(
                        name: "items", destination: "Item", inverse: "tags", isToMany: true)
                ]),
        ],
        enumerations: [
            Enumeration(
                name: "Kind", rawType: .string,
                cases: [
                    EnumerationCase(name: "book", rawValue: .string("book")),
                    EnumerationCase(name: "toy", rawValue: .string("TOY")),
                ])
        ])

    static func entity(_ name: String) -> Entity {
        model.entity(named: name) ?? Entity(name: name)
    }

    static var item: Entity { entity("Item") }
    static var box: Entity { entity("Box") }
}
