import Cambium
import ExtendedModel
import ShopModel
import Testing

/// Templates of the model by their names, for code without generated classes.
struct TemplateCallTests {
    private typealias Request = FetchRequest<ManagedObject>

    private static let home = Address(street: "Low St", number: 1, spot: nil)

    @Test func `a template takes values by the names of its parameters`() throws {
        try withContainer(Shop.model) { container in
            let context = container.newContext()
            for (index, price) in [5, 30, 10].enumerated() {
                _ = Product(
                    in: context, sku: "AB-\(index)", kind: .toy, price: Decimal(price), stock: 1)
            }
            try context.save()
            let cheaper = Request(entityName: "Product").template(
                "cheaper", substituting: ["limit": 20])
            func skus(_ request: Request) throws -> [Value] {
                try context.fetch(request).map { try $0.value(forKey: "sku") }
            }
            #expect(try skus(cheaper) == [.string("AB-0"), .string("AB-2")])
            #expect(
                try context.fetch(Product.cheaper(limit: 20)).map(\.sku) == ["AB-0", "AB-2"])
            #expect(try skus(cheaper.filter(format: "price > 5")) == [.string("AB-2")])
            #expect(try skus(cheaper.limit(1)) == [.string("AB-0")])
        }
    }

    @Test func `objects and lists are arguments too`() throws {
        try withContainer(Extended.model) { container in
            let context = container.newContext()
            let ann = Person(in: context, name: "Ann", home: Self.home)
            let bob = Person(in: context, name: "Bob", home: Self.home)
            _ = Letter(in: context, text: "dear", sender: ann)
            _ = Letter(in: context, text: "hello", sender: bob)
            try context.save()
            let letters = Request(entityName: "Letter")
            func texts(_ request: Request) throws -> [Value] {
                try context.fetch(request).map { try $0.value(forKey: "text") }
            }
            #expect(
                try texts(letters.template("sent", substituting: ["by": ann, "start": "d"]))
                    == [.string("dear")])
            #expect(
                try texts(letters.template("sentByAny", substituting: ["people": [ann, bob]]))
                    == [.string("dear"), .string("hello")])
            let named = Request(entityName: "Person")
                .template("named", substituting: ["names": ["Bob", "Eve"]])
            #expect(try context.fetch(named) == [bob])
        }
    }

    @Test(
        arguments: [
            ("sent", ["by": "Ann", "start": "d"], "has a variable by of another kind"),
            ("sent", ["start": "d"], "requires a value for by"),
            ("sent", ["bye": "Ann"], "no parameter bye. Did you mean by?"),
            ("sentByAny", ["people": "Ann"], "a list of objects of Person"),
            ("send", [:], "no fetch template send. Did you mean sent?"),
        ] as [(String, [String: String], String)])
    func `what does not fit its parameter is an error`(
        _ name: String, _ variables: [String: String], _ words: String
    ) throws {
        try withContainer(Extended.model) { container in
            let request = Request(entityName: "Letter").template(name, substituting: variables)
            let error = #expect(throws: (any Error).self) {
                try container.newContext().fetch(request)
            }
            #expect(error.map { "\($0)".contains(words) } == true, "\(error as Any)")
        }
    }

    @Test func `an object of another entity, or of another container, is an error`() throws {
        let other = try PersistentContainer(model: Extended.model, at: .temporary)
        try withContainer(Extended.model) { container in
            let context = container.newContext()
            func fault(_ person: ManagedObject) -> (any Error)? {
                let request = Request(entityName: "Letter")
                    .template("sent", substituting: ["by": person, "start": "d"])
                do {
                    _ = try context.fetch(request)
                    return nil
                } catch {
                    return error
                }
            }
            let ann = Person(in: context, name: "Ann", home: Self.home)
            let letter = Letter(in: context, text: "dear", sender: ann)
            #expect((fault(letter) as? StoreError)?.code == .invalidRequest)
            let stranger = Person(in: other.newContext(), name: "Eve", home: Self.home)
            #expect((fault(stranger) as? StoreError)?.code == .objectOfAnotherContext)
            #expect(fault(ann) == nil)
            #expect(
                fault(Member(in: context, name: "Bob", home: Self.home)) == nil, "a sub-entity's")
        }
    }
}
