@testable import Cambium
import CambiumRecords
import EverythingModel
import Foundation
import ShopModel
import Testing

struct BatchUpdateTests {
    private func withShop(
        on kind: StoreKind = .memory, _ body: (ManagedObjectContext) throws -> Void
    ) throws {
        try withContainer(Shop.model, on: kind) { container in
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

    @Test(arguments: StoreKind.sqlite)
    func `constants and expressions are set where the condition is met`(_ kind: StoreKind) throws {
        try withShop(on: kind) { context in
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

    @Test func `an attribute loses its value, a relationship its object`() throws {
        try withShop { context in
            try context.execute(
                BatchUpdateRequest<Product>().set(Product.salePrice, to: 0)
                    .filter(Product.stock == 1))
            try context.execute(
                BatchUpdateRequest<Product>()
                    .set(Product.salePrice, to: nil).set(Product.category, to: nil))
            try #expect(products(context).allSatisfy { $0.salePrice == nil && $0.category == nil })
            let books = try #require(try context.fetch(Category.fetchRequest()).first)
            #expect(books.products.isEmpty)
            try context.execute(BatchUpdateRequest<Product>().set(Product.category, to: books))
            #expect(books.products.count == 6)
        }
    }

    @Test func `a limit and an order count`() throws {
        try withShop { context in
            let request = BatchUpdateRequest<Product>(
                Product.fetchRequest().sorted(by: Product.price.descending).limit(2)
            ).set(Product.stock, to: 100)
            try #expect(context.execute(request).count == 2)
            try #expect(products(context).map(\.stock) == [0, 1, 2, 3, 100, 100])
        }
    }

    @Test func `all is computed before the first row is written`() throws {
        try withContainer(Everything.model) { container in
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

    @Test func `an expression may name objects, those of this container`() throws {
        try withContainer(Everything.model) { container in
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
            try withContainer(Everything.model) { other in
                let error = #expect(throws: StoreError.self) {
                    try other.newContext().execute(request)
                }
                #expect(error?.code == .foreignObject)
            }
        }
    }

    /// Executes an update row by row, as far as it may be cut.
    private func executeInPieces(
        _ request: BatchUpdateRequest<Node>, _ context: ManagedObjectContext
    ) throws {
        let coordinator = context.coordinator
        let rows = try context.rowRequest(for: request.objects)
        let update = BatchUpdate(
            request: rows,
            assignments: try BatchAssignments(
                request.assignments, of: rows.entity, in: coordinator),
            resultType: .count, chunkSize: 1)
        var count = 0
        try coordinator.store(ofRoot: rows.entity.rootIndex).run(
            update, by: TransactionAuthor(), attachesRows: false
        ) { count = $0.count }
        #expect(count == 3)
    }

    @Test func `an update is cut into pieces only where rows do not look at each other`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let nodes = (0..<4).map { Node(in: context, number: Int64($0)) }
            for (node, next) in zip(nodes, nodes.dropFirst()) { next.next = node }
            try context.save()
            let request = BatchUpdateRequest<Node>().filter(Node.next != nil)
            try executeInPieces(request.set(Node.number, toResultOf: "next.number"), context)
            func numbers() throws -> [Int64] {
                try container.newContext().fetch(Node.fetchRequest()).map(\.number)
            }
            try #expect(numbers() == [0, 0, 1, 2])
            try executeInPieces(request.set(Node.number, toResultOf: "number * 2"), context)
            try #expect(numbers() == [0, 0, 2, 4])
        }
    }

    @Test(arguments: StoreKind.sqlite)
    func `unique values may move from row to row`(_ kind: StoreKind) throws {
        try withShop(on: kind) { context in
            for product in try products(context) { product.sku = "AB-1\(product.stock)" }
            try context.save()
            // AB-10 becomes AB-11, which is still another one's when its row is written.
            let next = ModelExpression.conditional(
                .comparison(
                    .keyPath(root: .subject, names: ["sku"]), .equal, .literal(.string("AB-10")),
                    []),
                then: .literal(.string("AB-11")), otherwise: .literal(.string("AB-10")))
            try context.execute(
                BatchUpdateRequest<Product>().filter(Product.stock <= 1)
                    .set(Product.sku, to: next))
            let found = try context.fetch(Product.fetchRequest().sorted(by: Product.stock))
            #expect(found.map(\.sku).prefix(3) == ["AB-11", "AB-10", "AB-12"])
        }
    }

    @Test func `rows that would have the same unique value are named, and nothing is changed`()
        throws
    {
        try withShop { context in
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

    @Test func `the object that would break a limit or a rule is named, and nothing is changed`()
        throws
    {
        try withShop { context in
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

    /// Rows whose keys follow each other are written as a range.
    @Test func `the object that is refused is named in the second of two ranges, too`() throws {
        try withShop { context in
            func add(_ numbers: Range<Int>) throws {
                for number in numbers {
                    _ = Product(
                        in: context, sku: "CD-\(number)", kind: .book,
                        price: number == 150 ? 1000 : 1)
                }
                try context.save()
            }
            try add(100..<130)
            try context.execute(
                BatchDeleteRequest(Product.fetchRequest().filter(Product.sku == "CD-129")))
            try add(130..<170)
            let error = #expect(throws: ValidationError.self) {
                try context.execute(
                    BatchUpdateRequest<Product>().set(Product.price, toResultOf: "price * 1000"))
            }
            let found = try context.fetch(
                Product.fetchRequest().filter(Product.sku == "CD-150"))
            #expect(error?.code == .numberTooLarge && error?.objectID == found.first?.objectID)
        }
    }

    @Test func `what cannot be set is refused by name`() throws {
        try withShop { context in
            func error(_ request: BatchUpdateRequest<Product>) -> String {
                do {
                    try context.execute(request)
                    return ""
                } catch {
                    return "\(error)"
                }
            }
            let request = BatchUpdateRequest<Product>()
            #expect(error(request).contains("sets nothing"))
            #expect(error(request.set(Product.category.name, to: "x")).contains("another object"))
            #expect(error(request.setValue(.int(1), forKey: "prize")).contains("price"))
            #expect(
                error(request.setValue(.string("x"), forKey: "stock")).contains("Product.stock"))
            #expect(
                error(request.set(Product.stock, to: 1).set(Product.stock, to: 2))
                    .contains("twice"))
            #expect(
                error(request.set(Product.stock, toResultOf: "prize + 1")).contains("prize"))
            #expect(
                error(request.setResult(of: "stock", forKey: "category")).contains("expression"))
        }
    }

    @Test func `a parent's properties are set in the rows of sub-entities too`() throws {
        try withContainer(Everything.model) { container in
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

    @Test func `a place in an ordered to-many goes with the owner`() throws {
        try withContainer(OrderedModel.model) { container in
            let context = container.newContext()
            let albums = ["a", "b"].map { Album(in: context, title: $0) }
            let tracks = ["1", "2", "3"].map { Track(in: context, title: $0) }
            albums[0].tracks.append(contentsOf: tracks.reversed())
            try context.save()
            #expect(albums[0].tracks.map(\.title) == ["3", "2", "1"])
            try context.execute(
                BatchUpdateRequest<Track>(
                    FetchRequest<Track>().filter(format: "title != '2'")
                ).setValue(.int(albums[1].objectID.key), forKey: "album"))
            #expect(albums[0].tracks.map(\.title) == ["2"])
            #expect(albums[1].tracks.map(\.title) == ["1", "3"])
        }
    }
}
