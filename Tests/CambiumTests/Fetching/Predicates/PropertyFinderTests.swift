@_spi(Generated) @testable import Cambium
import EverythingModel
import ExtendedModel
import Foundation
import ShopModel
import Testing

/// How a key path finds its property, for every shape that a property can have.
struct PropertyFinderTests {
    private func name<Root: ManagedObject>(
        _ path: PartialKeyPath<Root>, _ more: AnyKeyPath..., in model: CompiledModel
    ) -> String? {
        switch PropertyFinder.property([path] + more, of: Root.self, model.modelDescription) {
        case .attribute(let name): name
        case .composite(let name): "composite \(name)"
        case .toOne(let name, let type): "one \(name) \(type)"
        case .toMany(let name, let type): "many \(name) \(type)"
        case .identity: "identity"
        case nil: nil
        }
    }

    @Test func `attributes of every type`() {
        typealias Sample = EverythingModel.Sample
        let paths: [PartialKeyPath<Sample>] = [
            \.flag, \.short, \.medium, \.long, \.single, \.double, \.amount, \.text, \.moment,
            \.token, \.link, \.bytes, \.size, \.colour, \.scratch, \.maybeShort, \.maybeLong,
            \.maybeDouble, \.maybeAmount, \.maybeText, \.maybeMoment, \.maybeToken,
        ]
        let names = [
            "flag", "short", "medium", "long", "single", "double", "amount", "text", "moment",
            "token", "link", "bytes", "size", "colour", "scratch", "maybeShort", "maybeLong",
            "maybeDouble", "maybeAmount", "maybeText", "maybeMoment", "maybeToken",
        ]
        #expect(paths.map { name($0, in: Everything.model) } == names)
    }

    @Test func `relationships of every shape`() {
        typealias Person = EverythingModel.Person
        let model = Everything.model
        #expect(name(\Node.box, in: model) == "one box Box")
        #expect(name(\Node.next, in: model) == "one next Node")
        #expect(name(\Node.previous, in: model) == "one previous Node")
        #expect(name(\Node.parts, in: model) == "many parts Part")
        #expect(name(\Node.follows, in: model) == "many follows Node")
        #expect(name(\Node.followers, in: model) == "many followers Node")
        #expect(name(\Node.queue, in: model) == "many queue Topic")
        #expect(name(\Part.node, in: model) == "one node Node")
        #expect(name(\Passport.holder, in: model) == "one holder Person")
        #expect(name(\Person.name, in: model) == "name")
        #expect(name(\Person.age, in: model) == "age")
        #expect(name(\Person.home, in: model) == "one home Home")
        #expect(name(\Being.home, in: model) == "one home Home")
        #expect(name(\Home.owner, in: model) == "one owner Being")
        #expect(name(\Watched.name, in: model) == "name")
        #expect(name(\Node.objectID, in: model) == "identity")
    }

    @Test func `composite, codable, derived, external and transient values`() {
        typealias Person = ExtendedModel.Person
        let model = Extended.model
        #expect(name(\Person.balance, in: model) == "balance")
        #expect(name(\Person.nicknames, in: model) == "nicknames")
        #expect(name(\Person.photo, in: model) == "photo")
        #expect(name(\Person.nameLength, in: model) == "nameLength")
        #expect(name(\Person.partner, in: model) == "one partner Person")
        #expect(name(\Person.favourites, in: model) == "many favourites Topic")
        #expect(name(\Person.home, in: model) == "composite home")
        #expect(name(\Person.office, in: model) == "composite office")
        #expect(name(\Person.home, \Address.street, in: model) == "home.street")
        #expect(name(\Person.office, \Address.number, in: model) == "office.number")
        #expect(name(\Person.office, \Address.spot, in: model) == "composite office.spot")
        #expect(
            name(\Person.office, \Address.spot, \Spot.longitude, in: model)
                == "office.spot.longitude")
    }

    @Test func `a getter that computes something is no property`() {
        let model = Shop.model
        let paths: [PartialKeyPath<Product>] = [
            \.doublePrice, \.isCheap, \.shortTitle, \.trimmedTitle, \.priceToPay, \.clamped,
            \.brand, \.folded, \.isInserted, \.titleOrSKU, \.inStock,
        ]
        for path in paths { #expect(name(path, in: model) == nil, "\(path)") }
        #expect(name(\Product.heading, in: model) == "title")
    }

    /// Each of them would end the program with one of the values that are tried later.
    @Test func `a getter is told before it meets values that it cannot stand`() {
        let shop: [PartialKeyPath<Product>] = [
            \.initial, \.twice, \.distance, \.parsed, \.address,
        ]
        for path in shop { #expect(name(path, in: Shop.model) == nil, "\(path)") }
        let samples: [PartialKeyPath<EverythingModel.Sample>] = [
            \.narrow, \.unsigned, \.next, \.whole, \.unwrapped, \.firstByte,
        ]
        for path in samples { #expect(name(path, in: Everything.model) == nil, "\(path)") }
        #expect(throws: UnsupportedPredicateError.self) {
            try Condition<Product>(#Predicate { $0.twice > 3 })
        }
    }

    @Test func `what a key path leads to is known for each model by itself`() {
        let everything = Everything.model.model
        func attributes(_ entity: Entity) -> [Attribute] {
            entity.attributes.map {
                $0.name == "label" ? Attribute(name: "title", type: .string) : $0
            }
        }
        // A later version, in which the label is called a title.
        let renamed = CompiledModel(
            model: Model(
                name: "Everything", version: "2",
                entities: everything.entities.filter {
                    ["Node", "Box", "Topic", "Part"].contains($0.name)
                }.map {
                    Entity(
                        name: $0.name, attributes: attributes($0), relationships: $0.relationships)
                }),
            classes: ["Node": Node.self, "Box": Box.self, "Topic": Topic.self, "Part": Part.self],
            schema: [], migrations: [])
        #expect(name(\Node.label, in: Everything.model) == "label")
        #expect(name(\Node.label, in: renamed) == "title")
        #expect(name(\Node.label, in: Everything.model) == "label")
    }
}

/// Ends the program where there is no value, as `!` does.
private func demand<Value>(_ value: Value?) -> Value {
    guard let value else { preconditionFailure("There is no value.") }
    return value
}

extension Product {
    fileprivate var doublePrice: Decimal { price * 2 }
    fileprivate var isCheap: Bool { price < 10 }
    fileprivate var shortTitle: String { String(title.prefix(100)) }
    fileprivate var trimmedTitle: String { title.trimmingCharacters(in: .whitespaces) }
    fileprivate var folded: String { title.precomposedStringWithCanonicalMapping }
    fileprivate var priceToPay: Decimal { salePrice ?? price }
    fileprivate var clamped: Int32 { max(0, stock) }
    fileprivate var inStock: Decimal? { stock > 0 ? price : nil }
    fileprivate var brand: ShopModel.Category? { category?.isBrand == true ? category : nil }
    fileprivate var titleOrSKU: String { title.isEmpty ? sku : title }
    fileprivate var initial: Character { demand(title.first) }
    fileprivate var twice: Int32 { stock * 2 }
    fileprivate var distance: Int32 { abs(stock) }
    fileprivate var parsed: Int { demand(Int(title)) }
    fileprivate var address: URL { demand(URL(string: "https://a.b/" + sku)) }
    /// Another name for the same thing, and so the same thing.
    fileprivate var heading: String { title }
}

extension EverythingModel.Sample {
    fileprivate var narrow: Int16 { Int16(medium) }
    fileprivate var unsigned: UInt64 { UInt64(long) }
    fileprivate var next: Int64 { long + 1 }
    fileprivate var whole: Int { Int(double) }
    fileprivate var unwrapped: Int { Int(demand(maybeLong)) }
    fileprivate var firstByte: UInt8 { demand(text.utf8.first) }
}
