@_spi(Generated) import Cambium
import Foundation
import Testing

/// What a model can say beyond plain attributes and relationships: composite, codable, derived and
/// external attributes, decimals of any scale, fetched properties and transient relationships.
enum Widened {
    static let model = CompiledModel(
        model: plain, classes: ["Customer": Customer.self, "Patron": Patron.self],
        schema: CompiledModel(plain).schema,
        migrations: [])

    static let plain = Model(
        name: "Widened", version: "1", entities: [customer, patron, order, line, tag],
        composites: [place, spot])

    private static let spot = Composite(
        name: "Spot",
        attributes: [
            Attribute(name: "latitude", type: .double), Attribute(name: "longitude", type: .double),
        ])

    private static let place = Composite(
        name: "Place",
        attributes: [
            Attribute(name: "street", type: .string),
            Attribute(name: "number", type: .int32, isOptional: true),
            Attribute(name: "spot.latitude", type: .double, isOptional: true),
            Attribute(name: "spot.longitude", type: .double, isOptional: true),
        ],
        compositeAttributes: [
            CompositeAttribute(name: "spot", composite: "Spot", isOptional: true)
        ])

    private static func parts(of name: String, isOptional: Bool) -> [Attribute] {
        place.attributes.map {
            Attribute(
                name: "\(name).\($0.name)", type: $0.type, isOptional: $0.isOptional || isOptional)
        }
    }

    static func path(_ names: String...) -> ModelExpression {
        .keyPath(root: .subject, names: names)
    }

    private static let customer = Entity(
        name: "Customer",
        attributes: [
            Attribute(name: "name", type: .string, defaultValue: .constant(.string("")))
        ] + parts(of: "address", isOptional: true) + [
            Attribute(
                name: "balance", type: .anyDecimal, defaultValue: .constant(.int(0)),
                limits: Limits(minimum: .int(-100)), merge: .sum),
            Attribute(name: "best", type: .anyDecimal, isOptional: true, merge: .max),
            Attribute(
                name: "words", type: .codable("[String]"),
                defaultValue: .constant(.string(#"["first"]"#)), merge: .union),
            Attribute(name: "size", type: .codable("Size"), isOptional: true),
            Attribute(
                name: "nameLength", type: .int64, derivation: .function(.length, [path("name")])),
            Attribute(
                name: "shout", type: .string, isOptional: true,
                derivation: .function(.uppercase, [path("name")])),
            Attribute(
                name: "orderCount", type: .int64,
                derivation: .aggregate(.count, path("orders"))),
            Attribute(
                name: "total", type: .decimal(scale: 2),
                derivation: .aggregate(.sum, path("orders", "amount"))),
            Attribute(
                name: "lineTotal", type: .int64,
                derivation: .aggregate(.sum, path("orders", "lineCount"))),
            Attribute(
                name: "tagCount", type: .int64, derivation: .aggregate(.count, path("tags"))),
            Attribute(
                name: "savedAt", type: .date, isOptional: true, derivation: .function(.now, [])),
            Attribute(name: "photo", type: .data, isOptional: true, isExternal: true),
        ],
        compositeAttributes: [
            CompositeAttribute(name: "address", composite: "Place", isOptional: true),
            CompositeAttribute(name: "address.spot", composite: "Spot", isOptional: true),
        ],
        relationships: [
            Relationship(
                name: "orders", destination: "Order", inverse: "customer", isToMany: true,
                deleteRule: .cascade),
            Relationship(name: "tags", destination: "Tag", inverse: "customers", isToMany: true),
            Relationship(
                name: "partner", destination: "Customer", inverse: "partner", isTransient: true),
            Relationship(
                name: "guide", destination: "Customer", inverse: "guided", isTransient: true),
            Relationship(
                name: "guided", destination: "Customer", inverse: "guide", isToMany: true,
                isTransient: true),
        ],
        uniqueConstraints: [UniqueConstraint(properties: ["address.street", "address.number"])],
        fetchTemplates: [
            FetchTemplate(
                name: "named",
                parameters: [FetchParameter(name: "names", type: .string, isList: true)],
                condition: .comparison(path("name"), .in, .parameter("names"), []),
                sort: [IndexElement(property: "name", isDescending: true)],
                options: RequestOptions(limit: 2, prefetched: ["orders"]))
        ],
        fetchedProperties: [
            FetchedProperty(
                name: "namesakes", destination: "Customer",
                condition: .and([
                    .comparison(
                        path("name"), .equal,
                        .keyPath(root: .variable("source"), names: ["name"]), []),
                    .comparison(
                        path(), .notEqual, .keyPath(root: .variable("source"), names: []), []),
                ]),
                sort: [IndexElement(property: "balance")], options: RequestOptions(limit: 3))
        ])

    private static let patron = Entity(
        name: "Patron", parent: "Customer",
        attributes: [
            Attribute(name: "level", type: .int32, defaultValue: .constant(.int(1))),
            Attribute(
                name: "bonus", type: .int64, isOptional: true,
                derivation: .arithmetic(path("level"), .multiply, path("orderCount"))),
        ])

    private static let order = Entity(
        name: "Order",
        attributes: [
            Attribute(
                name: "amount", type: .decimal(scale: 2), defaultValue: .constant(.int(0))),
            Attribute(
                name: "customerName", type: .string, isOptional: true,
                derivation: path("customer", "name")),
            Attribute(
                name: "lineCount", type: .int64, derivation: .aggregate(.count, path("lines"))),
        ],
        relationships: [
            Relationship(name: "customer", destination: "Customer", inverse: "orders"),
            Relationship(
                name: "lines", destination: "Line", inverse: "order", isToMany: true,
                deleteRule: .cascade),
        ])

    private static let line = Entity(
        name: "Line",
        attributes: [
            Attribute(
                name: "holder", type: .string, isOptional: true,
                derivation: path("order", "customer", "name"))
        ],
        relationships: [Relationship(name: "order", destination: "Order", inverse: "lines")])

    private static let tag = Entity(
        name: "Tag",
        relationships: [
            Relationship(
                name: "customers", destination: "Customer", inverse: "tags", isToMany: true)
        ])
}

/// A customer with accessors like generated ones.
class Customer: ManagedObject {
    override class var entityName: String { "Customer" }

    struct Size: Codable, Sendable, Equatable {
        var width: Double
        var height: Double
    }

    private func slot(_ name: String) -> Int {
        RecordLayout(of: Widened.plain.entities[0], in: Widened.plain).slot(of: name) ?? 0
    }

    var name: String {
        get { value(at: slot("name")) }
        set { setValue(newValue, at: slot("name")) }
    }
    var balance: Decimal {
        get { decimal(at: slot("balance")) }
        set { setDecimal(newValue, at: slot("balance")) }
    }
    var best: Decimal? {
        get { optionalDecimal(at: slot("best")) }
        set { setDecimal(newValue, at: slot("best")) }
    }
    var words: [String] {
        get { codable(at: slot("words")) }
        set { setCodable(newValue, at: slot("words")) }
    }
    var size: Size? {
        get { optionalCodable(at: slot("size")) }
        set { setCodable(newValue, at: slot("size")) }
    }
    var photo: Data? {
        get { optionalValue(at: slot("photo")) }
        set { setValue(newValue, at: slot("photo")) }
    }
    var nameLength: Int64 { value(at: slot("nameLength")) }
    var orderCount: Int64 { value(at: slot("orderCount")) }
    var tagCount: Int64 { value(at: slot("tagCount")) }
    var lineTotal: Int64 { value(at: slot("lineTotal")) }
    var total: Decimal { decimal(at: slot("total"), scale: 2) }
    var shout: String? { optionalValue(at: slot("shout")) }
    var savedAt: Date? { optionalValue(at: slot("savedAt")) }

    var tags: ToMany<ManagedObject> { toMany(1) }
    var partner: Customer? {
        get { toOne(2) }
        set { setToOne(2, newValue) }
    }
    var guide: Customer? {
        get { toOne(3) }
        set { setToOne(3, newValue) }
    }
    var guided: ToMany<Customer> { toMany(4) }
    var namesakes: [Customer] { fetched(0) }

    private struct Unwilling: Codable {
        struct Refusal: Error {}
        func encode(to encoder: any Encoder) throws { throw Refusal() }
    }

    func setSizeToWhatCannotBeEncoded() {
        setCodable(Unwilling(), at: slot("size"))
    }

    func addOrder(_ amount: Decimal, lines: Int = 0) throws -> ManagedObject {
        let context = try #require(managedObjectContext)
        let order = try context.insertObject(ofEntity: "Order")
        try order.setValue(.decimal(amount), forKey: "amount")
        try order.setRelatedObject(self, forKey: "customer")
        for _ in 0..<lines {
            try context.insertObject(ofEntity: "Line").setRelatedObject(order, forKey: "order")
        }
        return order
    }
}

/// A customer of a sub-entity.
final class Patron: Customer {
    override class var entityName: String { "Patron" }
}

extension ManagedObjectContext {
    func makeCustomer(_ name: String) -> Customer {
        let customer = Customer(insertingInto: self)
        customer.name = name
        return customer
    }

    func customers() throws -> [Customer] {
        try fetch(FetchRequest<Customer>())
    }
}
