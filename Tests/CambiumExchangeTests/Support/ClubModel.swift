import CambiumExchange

/// Entities that are unique by what they reference, and a hierarchy: what imports know objects by
/// beyond their own attributes.
enum Clubs {
    static let model = CompiledModel(value)

    static let value = Model(
        name: "Clubs", version: "1",
        entities: [
            Entity(
                name: "Person", attributes: [text("email"), optional("name")],
                relationships: [many("memberships", "Membership", "person")],
                uniqueConstraints: [UniqueConstraint(properties: ["email"])]),
            Entity(
                name: "Club", attributes: [text("town"), text("name")],
                relationships: [many("memberships", "Membership", "club")],
                uniqueConstraints: [UniqueConstraint(properties: ["town", "name"])]),
            // Unique by two relationships; one of them may be nil.
            Entity(
                name: "Membership",
                attributes: [
                    Attribute(
                        name: "level", type: .int32, defaultValue: .constant(.int(1)),
                        limits: Limits(minimum: .int(0))), optional("note"),
                ],
                relationships: [
                    one("person", "Person", "memberships", isOptional: false),
                    one("club", "Club", "memberships"), many("fees", "Fee", "membership"),
                ], uniqueConstraints: [UniqueConstraint(properties: ["person", "club"])]),
            // Unique by a relationship and an attribute, and that leads to what is itself so.
            Entity(
                name: "Fee",
                attributes: [
                    Attribute(name: "year", type: .int32, isOptional: true), optional("paid"),
                ], relationships: [one("membership", "Membership", "fees")],
                uniqueConstraints: [UniqueConstraint(properties: ["membership", "year"])]),
            // Unique by a relationship alone.
            Entity(
                name: "Badge", attributes: [optional("colour")],
                relationships: [one("holder", "Person", nil, isOptional: false)],
                uniqueConstraints: [UniqueConstraint(properties: ["holder"])]),
            // A tree whose names have no end.
            Entity(
                name: "Folder", attributes: [text("name")],
                relationships: [
                    one("parent", "Folder", "folders"), many("folders", "Folder", "parent"),
                ], uniqueConstraints: [UniqueConstraint(properties: ["parent", "name"])]),
            // Of an abstract entity, with properties that only some have.
            Entity(
                name: "Party", isAbstract: true, attributes: [text("code"), optional("title")],
                relationships: [one("parent", "Party", "parts"), many("parts", "Party", "parent")],
                uniqueConstraints: [UniqueConstraint(properties: ["code"])]),
            Entity(
                name: "Individual", parent: "Party",
                attributes: [Attribute(name: "born", type: .int32, isOptional: true)],
                relationships: [one("employer", "Company", "staff")]),
            Entity(
                name: "Company", parent: "Party", attributes: [text("register")],
                relationships: [many("staff", "Individual", "employer")]),
            Entity(
                name: "Bank", parent: "Company",
                attributes: [Attribute(name: "born", type: .string, isOptional: true)],
                relationships: [many("branches", "Branch", "bank")]),
            Entity(
                name: "Branch", parent: "Company",
                relationships: [one("bank", "Bank", "branches", isOptional: false)]),
        ])

    private static func text(_ name: String) -> Attribute { Attribute(name: name, type: .string) }

    private static func optional(_ name: String) -> Attribute {
        Attribute(name: name, type: .string, isOptional: true)
    }

    private static func one(
        _ name: String, _ destination: String, _ inverse: String?, isOptional: Bool = true
    ) -> Relationship {
        Relationship(
            name: name, destination: destination, inverse: inverse, isOptional: isOptional)
    }

    private static func many(
        _ name: String, _ destination: String, _ inverse: String
    ) -> Relationship {
        Relationship(name: name, destination: destination, inverse: inverse, isToMany: true)
    }
}
