import Cambium

/// Things that contexts quarrel about: with a unique code, a shelf, tags, and a one-to-one.
package enum Dispute {
    package static let model = CompiledModel(value)

    package static let value = Model(
        name: "Dispute", version: "1",
        entities: [
            Entity(
                name: "Thing",
                attributes: [
                    text("both"), text("first"), text("second"),
                    Attribute(name: "code", type: .string, isOptional: true),
                    Attribute(name: "made", type: .date, defaultValue: .now),
                ],
                relationships: [
                    Relationship(name: "shelf", destination: "Shelf", inverse: "things"),
                    Relationship(
                        name: "labels", destination: "Label", inverse: "things", isToMany: true),
                    Relationship(
                        name: "pieces", destination: "Piece", inverse: "thing", isToMany: true,
                        deleteRule: .cascade),
                    Relationship(name: "mate", destination: "Thing", inverse: "mateOf"),
                    Relationship(name: "mateOf", destination: "Thing", inverse: "mate"),
                    Relationship(name: "cover", destination: "Cover", inverse: "thing"),
                ],
                uniqueConstraints: [UniqueConstraint(properties: ["code"])]),
            Entity(name: "Gadget", parent: "Thing", attributes: [text("power")]),
            Entity(
                name: "Shelf", attributes: [text("name")],
                relationships: [
                    Relationship(
                        name: "things", destination: "Thing", inverse: "shelf", isToMany: true)
                ]),
            Entity(
                name: "Label", attributes: [text("name")],
                relationships: [
                    Relationship(
                        name: "things", destination: "Thing", inverse: "labels", isToMany: true)
                ]),
            Entity(
                name: "Piece", attributes: [text("name")],
                relationships: [
                    Relationship(
                        name: "thing", destination: "Thing", inverse: "pieces", isOptional: false)
                ],
                uniqueConstraints: [UniqueConstraint(properties: ["thing", "name"])]),
            Entity(
                name: "Cover", attributes: [text("name")],
                relationships: [
                    Relationship(
                        name: "thing", destination: "Thing", inverse: "cover", isOptional: false)
                ]),
        ])

    private static func text(_ name: String) -> Attribute {
        Attribute(name: name, type: .string, defaultValue: .constant(.string("")))
    }
}

extension ManagedObjectContext {
    /// A new object with these texts.
    package func make(_ entity: String, _ values: [String: String] = [:]) throws -> ManagedObject {
        let object = try insertObject(ofEntity: entity)
        for (name, value) in values { try object.setValue(.string(value), forKey: name) }
        return object
    }

    /// All objects of an entity, in the order of their keys.
    package func all(_ entity: String) throws -> [ManagedObject] {
        try fetch(FetchRequest<ManagedObject>(entityName: entity))
    }
}

extension ManagedObject {
    /// A text by its name.
    package subscript(_ name: String) -> String {
        get {
            guard case .string(let text)? = try? value(forKey: name) else { return "" }
            return text
        }
        set { _ = try? setValue(.string(newValue), forKey: name) }
    }

    /// The object at the other end of a to-one.
    package subscript(one name: String) -> ManagedObject? {
        get { try? relatedObject(forKey: name) }
        set { _ = try? setRelatedObject(newValue, forKey: name) }
    }

    /// The objects at the other end of a to-many.
    package func many(_ name: String) throws -> ToMany<ManagedObject> {
        try relatedObjects(forKey: name)
    }
}
