import Cambium
import EverythingModel
import Foundation
import ShopModel
import Testing

extension EngineSuite {
    /// Rows are changed where they are, with the limits and rules of objects.
    package static let batchUpdate = EngineSuite("batch update", requires: .batches) {
        EngineCase("constants and expressions are set where the condition is met") { engine in
            try withProducts(engine) { context in
                var request = BatchUpdateRequest<Product>()
                    .filter(Product.stock >= 4)
                    .set(Product.kind, to: .toy)
                    .set(Product.title, toResultOf: "uppercase:(title)")
                    .set(Product.price, to: Product.price * 2)
                    .set(Product.salePrice, to: 1)
                request.resultType = .objectIDs
                let result = try context.execute(request)
                let found = try products(context)
                #expect(result.count == 2)
                #expect(result.objectIDs == found.suffix(2).map(\.objectID))
                #expect(result.changes.updated == result.objectIDs)
                #expect(found.map(\.price) == [1, 2, 3, 4, 10, 12])
                #expect(found.map(\.kind).suffix(3) == [.book, .toy, .toy])
                #expect(found.map(\.title).suffix(2) == ["UNTITLED", "UNTITLED"])
                #expect(found.map(\.salePrice) == [nil, nil, nil, nil, 1, 1])
                // Nothing is left to be saved, and nothing in the way of it.
                #expect(!context.hasChanges)
                found[5].stock = 9
                try context.save()
            }
        }

        EngineCase("an attribute loses its value, a relationship its object") { engine in
            try withProducts(engine) { context in
                try context.execute(
                    BatchUpdateRequest<Product>().set(Product.salePrice, to: 0)
                        .filter(Product.stock == 1))
                try context.execute(
                    BatchUpdateRequest<Product>()
                        .set(Product.salePrice, to: nil).set(Product.category, to: nil))
                try #expect(
                    products(context).allSatisfy { $0.salePrice == nil && $0.category == nil })
                let books = try #require(try context.fetch(Category.fetchRequest()).first)
                #expect(books.products.isEmpty)
                try context.execute(BatchUpdateRequest<Product>().set(Product.category, to: books))
                #expect(books.products.count == 6)
            }
        }

        EngineCase("a limit and an order count") { engine in
            try withProducts(engine) { context in
                let request = BatchUpdateRequest<Product>(
                    Product.fetchRequest().sorted(by: Product.price.descending).limit(2)
                ).set(Product.stock, to: 100)
                try #expect(context.execute(request).count == 2)
                try #expect(products(context).map(\.stock) == [0, 1, 2, 3, 100, 100])
            }
        }

        EngineCase("all is computed before the first row is written") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                let nodes = (0..<4).map { Node(in: context, number: Int64($0)) }
                for (node, next) in zip(nodes, nodes.dropFirst()) { node.next = next }
                try context.save()
                try context.execute(
                    BatchUpdateRequest<Node>().filter(Node.next != nil)
                        .set(Node.number, to: Node.next.number))
                #expect(nodes.map(\.number) == [1, 2, 3, 3])
            }
        }

        EngineCase("an expression may name objects, those of this container") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                let box = Box(in: context, name: "b")
                let nodes = (0..<3).map { Node(in: context, number: Int64($0)) }
                for node in nodes.dropFirst() { nodes[0].follows.insert(node) }
                nodes[1].box = box
                try context.save()
                let request = BatchUpdateRequest<Node>().filter(Node.number == 0)
                    .set(Node.number, to: Node.follows.filter(Node.box == box).number.max)
                try context.execute(request)
                #expect(nodes.map(\.number) == [1, 1, 2])
                try engine.withContainer(Everything.model) { other in
                    let error = #expect(throws: StoreError.self) {
                        try other.newContext().execute(request)
                    }
                    #expect(error?.code == .objectOfAnotherContext)
                }
            }
        }

        EngineCase("unique values may move from row to row") { engine in
            try withProducts(engine) { context in
                for product in try products(context) { product.sku = "AB-1\(product.stock)" }
                try context.save()
                // AB-10 becomes AB-11, which is still another one's when its row is written.
                let next = ModelExpression.conditional(
                    .comparison(
                        .keyPath(root: .subject, names: ["sku"]), .equal,
                        .literal(.string("AB-10")),
                        []),
                    then: .literal(.string("AB-11")), otherwise: .literal(.string("AB-10")))
                try context.execute(
                    BatchUpdateRequest<Product>().filter(Product.stock <= 1)
                        .set(Product.sku, to: next))
                let found = try context.fetch(Product.fetchRequest().sorted(by: Product.stock))
                #expect(found.map(\.sku).prefix(3) == ["AB-11", "AB-10", "AB-12"])
            }
        }

        EngineCase("rows that would have the same unique value are named, and nothing is changed") {
            engine in
            try withProducts(engine) { context in
                let request = BatchUpdateRequest<Product>().filter(Product.stock < 2)
                    .set(Product.sku, to: "ZZ-1").set(Product.stock, to: 50)
                let error = #expect(throws: ConstraintConflictError.self) {
                    try context.execute(request)
                }
                #expect(error?.conflicts.first?.constraint == ["sku"])
                #expect(error?.conflicts.first?.conflictingObjectIDs.count == 2)
                try #expect(products(context).map(\.stock) == [0, 1, 2, 3, 4, 5])
            }
        }

        EngineCase("the object that would break a limit or a rule is named, and nothing is changed")
        { engine in
            try withProducts(engine) { context in
                func error(
                    _ request: BatchUpdateRequest<Product>
                ) throws -> ValidationError? {
                    #expect(throws: ValidationError.self) { try context.execute(request) }
                }
                let found = try products(context)
                let tooHigh = try error(
                    BatchUpdateRequest().set(Product.price, toResultOf: "price * 20000"))
                #expect(tooHigh?.code == .numberTooLarge && tooHigh?.property == "price")
                #expect(tooHigh?.objectID == found[4].objectID)
                let rule = try error(BatchUpdateRequest().set(Product.salePrice, to: 3))
                #expect(rule?.rule == "saleBelowPrice" && rule?.objectID == found[0].objectID)
                let missing = try error(BatchUpdateRequest().set(Product.title, to: nil))
                #expect(missing?.code == .missing && missing?.property == "title")
                let overflow = try error(
                    BatchUpdateRequest().set(Product.stock, toResultOf: "10 / (2 - stock)"))
                #expect(overflow?.code == .missing && overflow?.objectID == found[2].objectID)
                #expect(found.map(\.price) == [1, 2, 3, 4, 5, 6])
                let onSale = Product.fetchRequest().filter(Product.salePrice != nil)
                try #expect(context.fetch(onSale).isEmpty)
            }
        }

        EngineCase("a parent's properties are set in the rows of sub-entities too") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                let person = EverythingModel.Person(in: context, name: "Ada")
                let robot = Robot(in: context, name: "Rob", serial: "1")
                let home = Home(in: context)
                try context.save()
                try context.execute(
                    BatchUpdateRequest<Being>().set(Being.name, toResultOf: "name + '!'")
                        .set(Being.home, to: home.objectID))
                #expect(person.name == "Ada!" && robot.name == "Rob!")
                #expect(Set(home.residents.map(\.name)) == ["Ada!", "Rob!"])
                try context.execute(BatchUpdateRequest<Home>().set(Home.owner, to: robot.objectID))
                #expect((home.owner as? Robot)?.serial == "1")
                try context.execute(
                    BatchUpdateRequest<EverythingModel.Person>().set(Person.age, to: 7))
                #expect(person.age == 7)
            }
        }

        EngineCase("a rule that looks at other objects holds for what is set, and inserted") {
            engine in
            try engine.withContainer(Budget.model) { container in
                let context = container.newContext()
                let account = try context.insertObject(ofEntity: "Account")
                try account.setValue(.int(5), forKey: "limit")
                let cost = try context.insertObject(ofEntity: "Cost")
                try cost.setValue(.int(1), forKey: "amount")
                try cost.setValue(.int(1), forKey: "number")
                try cost.setRelatedObject(account, forKey: "account")
                try context.save()
                func expectRefusal(of amount: Int64, _ work: () throws -> BatchResult) {
                    let error = #expect(throws: (any Error).self) { try work() }
                    let refused =
                        error as? ValidationError
                        ?? (error as? BatchInsertError)?.underlying as? ValidationError
                    #expect(refused?.rule == "withinLimit", "\(amount)")
                    #expect(refused?.message == "A cost is within its account's limit")
                }
                func update(_ amount: Int64) throws -> BatchResult {
                    try context.execute(
                        BatchUpdateRequest<ManagedObject>(entityName: "Cost")
                            .setValue(.int(amount), forKey: "amount"))
                }
                func insert(_ amount: Int64, number: Int64) throws -> BatchResult {
                    try context.execute(
                        BatchInsertRequest<ManagedObject>(entityName: "Cost", [amount]) {
                            try $0.setValue(.int($1), forKey: "amount")
                            try $0.setValue(.int(number), forKey: "number")
                            try $0.setRelatedObject(account, forKey: "account")
                        })
                }
                expectRefusal(of: 6) { try update(6) }
                expectRefusal(of: 7) { try insert(7, number: 2) }
                // One that meets the stored object by its unique value.
                context.mergePolicy = .objectTrump
                expectRefusal(of: 8) { try insert(8, number: 1) }
                _ = try update(5)
                _ = try insert(4, number: 3)
                let reader = container.newContext()
                let costs = try reader.fetch(FetchRequest<ManagedObject>(entityName: "Cost"))
                #expect(try costs.map { try $0.value(forKey: "amount") } == [.int(5), .int(4)])
            }
        }

        EngineCase("a one-to-one that is its own inverse is the same on both sides") { engine in
            try engine.withContainer(Couples.model) { container in
                let context = container.newContext()
                let persons = try Couples.fill(context, "aBCd")
                func pair(_ name: String, with key: Value) throws {
                    var request = BatchUpdateRequest<ManagedObject>(entityName: "Person")
                        .setValue(key, forKey: "spouse")
                    request.objects = request.objects.filter(format: "name == %@", name)
                    _ = try context.execute(request)
                }
                try pair("a", with: .null)
                #expect(try Couples.stored(container) == "a- B- Cd dC")
                _ = try context.execute(
                    BatchDeleteRequest<ManagedObject>(objectIDs: [persons[2].objectID]))
                #expect(try Couples.stored(container) == "a- B- d-")
                try pair("B", with: .int(persons[3].objectID.key))
                #expect(try Couples.stored(container) == "a- Bd dB")
                #expect(throws: ConstraintConflictError.self) {
                    try pair("a", with: .int(persons[3].objectID.key))
                }
                #expect(try Couples.stored(container) == "a- Bd dB")
            }
        }
    }
}

/// Runs a body with six products of the stock 0 to 5, saved.
private func withProducts(
    _ engine: EngineEntry, _ body: (ManagedObjectContext) throws -> Void
) throws {
    try engine.withContainer(Shop.model) { container in
        let context = container.newContext()
        let books = Category(in: context, name: "Books")
        for number in 0..<6 {
            _ = Product(
                in: context, sku: "AB-\(number)", kind: .book, price: Decimal(number + 1),
                stock: Int32(number), category: number < 2 ? books : nil)
        }
        try context.save()
        try body(context)
    }
}

private func products(_ context: ManagedObjectContext) throws -> [Product] {
    try context.fetch(Product.fetchRequest().sorted(by: Product.sku))
}
