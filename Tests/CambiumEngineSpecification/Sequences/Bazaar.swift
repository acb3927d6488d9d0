import Cambium
import CambiumModel

/// A model for random work: every shape of a relationship and every delete rule, unique values, external
/// and derived ones, merge rules, limits and a hierarchy.
enum Bazaar {
    static let model = CompiledModel(
        Model(
            name: "Bazaar", version: "1", entities: [thing, gadget, shelf, room, label, piece]))

    private static func path(_ names: String...) -> ModelExpression {
        .keyPath(root: .subject, names: names)
    }

    private static func text(_ name: String) -> Attribute {
        Attribute(
            name: name, type: .string, defaultValue: .constant(.string("")),
            limits: Limits(maximumLength: 12))
    }

    private static let thing = Entity(
        name: "Thing",
        attributes: [
            text("name"),
            Attribute(
                name: "number", type: .int64, isOptional: true,
                limits: Limits(minimum: .int(-1000))),
            Attribute(
                name: "stock", type: .int32, defaultValue: .constant(.int(0)), merge: .sum),
            Attribute(name: "best", type: .int32, isOptional: true, merge: .max),
            Attribute(
                name: "price", type: .decimal(scale: 2), defaultValue: .constant(.int(0))),
            Attribute(name: "weight", type: .double, isOptional: true),
            Attribute(name: "isOld", type: .bool, defaultValue: .constant(.bool(false))),
            Attribute(name: "due", type: .date, isOptional: true),
            Attribute(
                name: "code", type: .string, isOptional: true, isPreservedAfterDeletion: true),
            Attribute(name: "image", type: .data, isOptional: true, isExternal: true),
            Attribute(
                name: "nameLength", type: .int64, derivation: .function(.length, [path("name")])),
            Attribute(
                name: "twice", type: .int64, isOptional: true,
                derivation: .arithmetic(path("number"), .add, path("number"))),
            Attribute(
                name: "pieceCount", type: .int64, derivation: .aggregate(.count, path("pieces"))),
            Attribute(
                name: "burden", type: .int64,
                derivation: .aggregate(.sum, path("labels", "weight"))),
            Attribute(
                name: "shelfName", type: .string, isOptional: true,
                derivation: path("shelf", "name")),
            Attribute(
                name: "roomName", type: .string, isOptional: true,
                derivation: path("shelf", "room", "name")),
        ],
        relationships: [
            Relationship(name: "shelf", destination: "Shelf", inverse: "things"),
            Relationship(name: "labels", destination: "Label", inverse: "things", isToMany: true),
            Relationship(
                name: "queue", destination: "Label", inverse: "waiting", isToMany: true,
                isOrdered: true),
            Relationship(
                name: "pieces", destination: "Piece", inverse: "thing", isToMany: true,
                deleteRule: .cascade),
            Relationship(name: "mate", destination: "Thing", inverse: "mateOf"),
            Relationship(name: "mateOf", destination: "Thing", inverse: "mate"),
            Relationship(
                name: "friends", destination: "Thing", inverse: "friends", isToMany: true),
            Relationship(name: "rival", destination: "Thing", inverse: "rival"),
            Relationship(name: "idol", destination: "Thing"),
        ],
        uniqueConstraints: [UniqueConstraint(properties: ["code"])])

    private static let gadget = Entity(
        name: "Gadget", parent: "Thing",
        attributes: [
            Attribute(name: "power", type: .int16, defaultValue: .constant(.int(1))),
            Attribute(
                name: "strength", type: .int64, isOptional: true,
                derivation: .arithmetic(path("power"), .multiply, path("pieceCount"))),
        ])

    private static let shelf = Entity(
        name: "Shelf",
        attributes: [
            text("name"),
            Attribute(
                name: "thingCount", type: .int64, derivation: .aggregate(.count, path("things"))),
            Attribute(
                name: "worth", type: .decimal(scale: 2),
                derivation: .aggregate(.sum, path("things", "price"))),
            Attribute(
                name: "total", type: .int64,
                derivation: .aggregate(.sum, path("things", "pieceCount"))),
        ],
        relationships: [
            Relationship(
                name: "things", destination: "Thing", inverse: "shelf", isToMany: true,
                isOrdered: true),
            Relationship(name: "room", destination: "Room", inverse: "shelves"),
        ])

    private static let room = Entity(
        name: "Room",
        attributes: [
            text("name"),
            Attribute(
                name: "shelfCount", type: .int64, derivation: .aggregate(.count, path("shelves"))),
            Attribute(
                name: "total", type: .int64,
                derivation: .aggregate(.sum, path("shelves", "thingCount"))),
        ],
        relationships: [
            Relationship(
                name: "shelves", destination: "Shelf", inverse: "room", isToMany: true,
                deleteRule: .deny)
        ], uniqueConstraints: [UniqueConstraint(properties: ["name"])])

    private static let label = Entity(
        name: "Label",
        attributes: [
            text("name"),
            Attribute(name: "weight", type: .int64, defaultValue: .constant(.int(1))),
            Attribute(
                name: "thingCount", type: .int64, derivation: .aggregate(.count, path("things"))),
        ],
        relationships: [
            Relationship(name: "things", destination: "Thing", inverse: "labels", isToMany: true),
            Relationship(name: "waiting", destination: "Thing", inverse: "queue", isToMany: true),
        ])

    private static let piece = Entity(
        name: "Piece",
        attributes: [
            text("name"),
            Attribute(
                name: "thingName", type: .string, isOptional: true,
                derivation: path("thing", "name")),
            Attribute(
                name: "shelfName", type: .string, isOptional: true,
                derivation: path("thing", "shelf", "name")),
        ],
        relationships: [
            Relationship(
                name: "thing", destination: "Thing", inverse: "pieces", isOptional: false)
        ], uniqueConstraints: [UniqueConstraint(properties: ["thing", "name"])])
}
