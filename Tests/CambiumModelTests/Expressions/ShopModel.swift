@testable import CambiumModel

/// The model that the tests of expressions are about.
enum ShopModel {
    static let model = Model(
        name: "Shop", version: "1",
        entities: [
            Entity(
                name: "Product",
                attributes: [
                    Attribute(name: "title", type: .string, isOptional: true),
                    Attribute(name: "kind", type: .enumeration("Kind"), isOptional: true),
                    Attribute(name: "price", type: .decimal(scale: 2), isOptional: true),
                    Attribute(name: "stock", type: .int32, isOptional: true),
                    Attribute(name: "weight", type: .double, isOptional: true),
                    Attribute(name: "height", type: .float, isOptional: true),
                    Attribute(name: "added", type: .date, isOptional: true),
                    Attribute(name: "isNew", type: .bool, isOptional: true),
                    Attribute(name: "token", type: .uuid, isOptional: true),
                    Attribute(name: "amount", type: .anyDecimal, isOptional: true),
                    Attribute(name: "colour", type: .codable("Colour"), isOptional: true),
                    Attribute(name: "image", type: .data, isOptional: true),
                    Attribute(name: "link", type: .uri, isOptional: true),
                    Attribute(name: "scan", type: .data, isOptional: true, isExternal: true),
                    Attribute(name: "total", type: .int64, derivation: .literal(.int(1))),
                    Attribute(
                        name: "isSelected", type: .bool, isOptional: true, isTransient: true),
                    Attribute(name: "home.city", type: .string, isOptional: true),
                    Attribute(name: "home.geo.lat", type: .double, isOptional: true),
                    Attribute(name: "home.geo.long", type: .double, isOptional: true),
                ],
                compositeAttributes: [
                    CompositeAttribute(name: "home", composite: "Address", isOptional: true),
                    CompositeAttribute(name: "home.geo", composite: "Geo", isOptional: true),
                ],
                relationships: [
                    Relationship(name: "category", destination: "Category", inverse: "products"),
                    Relationship(
                        name: "tags", destination: "Tag", inverse: "products", isToMany: true),
                ]),
            Entity(
                name: "Category",
                attributes: [Attribute(name: "name", type: .string, isOptional: true)],
                relationships: [
                    Relationship(
                        name: "products", destination: "Product", inverse: "category",
                        isToMany: true)
                ]),
            Entity(
                name: "Tag",
                attributes: [Attribute(name: "word", type: .string, isOptional: true)],
                relationships: [
                    Relationship(
                        name: "products", destination: "Product", inverse: "tags", isToMany: true)
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

    static var product: Entity { entity("Product") }

    static func condition(
        _ text: String, parameters: [FetchParameter] = [], arguments: [FormatArgument]? = nil
    ) throws -> ModelExpression {
        try ExpressionCompiler.condition(
            text, entity: product, model: model, parameters: parameters, arguments: arguments
        ).get()
    }

    static func value(_ text: String, as type: AttributeType) throws -> ModelExpression {
        try ExpressionCompiler.value(text, as: type, entity: product, model: model).get()
    }
}

/// An object with nothing but values.
final class PlainObject: ExpressionSubject {
    let expressionKey: Int64
    var values: [String: Value]
    var toOnes: [String: PlainObject] = [:]
    var toManys: [String: [PlainObject]] = [:]

    init(_ key: Int64 = 1, _ values: [String: Value] = [:]) {
        expressionKey = key
        self.values = values
    }

    var expressionEntity: String { "Plain" }
    func value(ofAttribute name: String) -> Value { values[name] ?? .null }
    func related(_ toOne: String) -> (any ExpressionSubject)? { toOnes[toOne] }
    func relatedObjects(_ toMany: String) -> [any ExpressionSubject] { toManys[toMany] ?? [] }
}
