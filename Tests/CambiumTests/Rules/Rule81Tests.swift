import Cambium
import Testing

/// What makes two versions of a model different for the stores that they have.
struct Rule81Tests {
    /// A model of two entities, of which the first differs from one to another.
    private static func model(
        sku: Attribute = Attribute(name: "sku", type: .string),
        category: Relationship = category(), isAbstract: Bool = false, className: String? = nil,
        unique: [String] = ["sku"], index: [String] = [], modifier: String? = nil,
        userInfo: [String: String] = [:]
    ) -> Model {
        let product = Entity(
            name: "Product", className: className, isAbstract: isAbstract, attributes: [sku],
            relationships: [category],
            uniqueConstraints: unique.isEmpty ? [] : [UniqueConstraint(properties: unique)],
            indexes: index.isEmpty
                ? [] : [Index(elements: index.map { IndexElement(property: $0) })],
            hashModifier: modifier, userInfo: userInfo)
        let groups = ["Category", "Shelf"].map { name in
            Entity(
                name: name,
                relationships: ["products", "others"].map {
                    Relationship(name: $0, destination: "Product", isToMany: true)
                })
        }
        return Model(name: "Shop", version: "1", entities: [product] + groups)
    }

    private static func category(
        to destination: String = "Category", inverse: String = "products", isToMany: Bool = false,
        isOptional: Bool = true, maximumCount: Int? = nil, deleteRule: DeleteRule = .nullify,
        userInfo: [String: String] = [:]
    ) -> Relationship {
        Relationship(
            name: "category", destination: destination, inverse: inverse, isToMany: isToMany,
            isOptional: isOptional, maximumCount: maximumCount, deleteRule: deleteRule,
            userInfo: userInfo)
    }

    @Test(arguments: [
        model(category: category(deleteRule: .cascade)),
        model(category: category(userInfo: ["a": "b"])),
        model(sku: Attribute(name: "sku", type: .string, defaultValue: .constant(.string("x")))),
        model(sku: Attribute(name: "sku", type: .string, limits: Limits(minimumLength: 2))),
        model(sku: Attribute(name: "sku", type: .string, isPreservedAfterDeletion: true)),
        model(sku: Attribute(name: "sku", type: .string, userInfo: ["a": "b"])),
        model(className: "Article"), model(index: ["sku"]), model(userInfo: ["a": "b"]),
    ])
    func `rule 81: what decides nothing about storage leaves the version hash`(other: Model) {
        #expect(other.versionHash == Self.model().versionHash)
    }

    @Test(arguments: [
        model(sku: Attribute(name: "sku", type: .string, isOptional: true)),
        model(sku: Attribute(name: "sku", type: .string, isTransient: true)),
        model(sku: Attribute(name: "sku", type: .uri)),
        model(sku: Attribute(name: "code", type: .string)),
        model(sku: Attribute(name: "sku", type: .string, hashModifier: "2")),
        model(category: category(to: "Shelf")), model(category: category(inverse: "others")),
        model(category: category(isToMany: true)), model(category: category(isOptional: false)),
        model(unique: []), model(modifier: "2"),
    ])
    func `rule 81: what is stored in another way changes the version hash`(other: Model) {
        #expect(other.versionHash != Self.model().versionHash)
    }

    /// Core Data counts them; here they are conditions on rows, as limits are.
    @Test(arguments: [
        model(category: category(isToMany: true, maximumCount: 3)),
        model(category: category(isToMany: true), isAbstract: true),
    ])
    func `rule 81: how many there may be, and of which entity, leaves the version hash`(
        other: Model
    ) {
        let plain = Self.model(category: Self.category(isToMany: true))
        #expect(other.versionHash == plain.versionHash)
    }
}
