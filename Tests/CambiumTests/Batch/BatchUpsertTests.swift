import Cambium
import ShopModel
import Testing

/// Rows whose unique values another object has.
struct BatchUpsertTests {
    /// A shop with AB-1 (stock 5, "Old") and a batch of AB-1 (stock 0, price 9), AB-2, AB-2 again.
    private func withConflict(
        _ policy: MergePolicy, on kind: StoreKind = .memory,
        _ body: (ManagedObjectContext, Product, Result<BatchResult, any Error>) throws -> Void
    ) throws {
        try withContainer(Shop.model, on: kind) { container in
            let context = container.newContext()
            let old = Product(
                in: context, sku: "AB-1", title: "Old", kind: .toy, price: 1, stock: 5)
            try context.save()
            let rows = [("AB-1", 9), ("AB-2", 2), ("AB-2", 3)]
            var request = BatchInsertRequest<Product>(rows) { product, row in
                product.sku = row.0
                product.kind = .book
                product.price = Decimal(row.1)
                product.stock = 0
            }
            request.mergePolicy = policy
            request.resultType = .objectIDs
            try body(context, old, Result { try context.execute(request) })
        }
    }

    private func shown(_ context: ManagedObjectContext) throws -> [String] {
        try context.fetch(Product.fetchRequest().sorted(by: Product.sku))
            .map { "\($0.sku) \($0.title) \($0.kind) \($0.price) \($0.stock)" }
    }

    @Test func `under error the row is named, and nothing is inserted`() throws {
        try withConflict(.error) { context, _, result in
            let error = #expect(throws: BatchInsertError.self) { try result.get() }
            #expect(error?.row == 0)
            #expect((error?.underlying as? ValidationError)?.code == .notUnique)
            #expect(error?.coreDataCode == 133021)
            try #expect(shown(context) == ["AB-1 Old toy 1 5"])
        }
    }

    @Test(arguments: StoreKind.sqlite)
    func `under objectTrump the stored object gets what the row sets, and nothing else`(
        _ kind: StoreKind
    ) throws {
        try withConflict(.objectTrump, on: kind) { context, old, result in
            let result = try result.get()
            #expect(result.count == 3)
            #expect(result.objectIDs[0] == old.objectID)
            #expect(result.objectIDs[1] == result.objectIDs[2])
            try #expect(
                shown(context) == ["AB-1 Old book 9 0", "AB-2 Untitled book 3 0"])
            // Merged: the very object shows it, and can be saved.
            #expect(old.price == 9 && old.stock == 0)
            old.stock = 1
            try context.save()
        }
    }

    @Test func `under overwrite what the row does not set becomes the default`() throws {
        try withConflict(.overwrite) { context, _, result in
            try #expect(result.get().count == 3)
            try #expect(
                shown(context) == ["AB-1 Untitled book 9 0", "AB-2 Untitled book 3 0"])
        }
    }

    @Test(arguments: [MergePolicy.storeTrump, .rollback])
    func `under storeTrump and rollback the row is left out`(_ policy: MergePolicy) throws {
        try withConflict(policy) { context, _, result in
            let result = try result.get()
            #expect(result.count == 1)
            #expect(result.objectIDs.count == 1)
            try #expect(shown(context) == ["AB-1 Old toy 1 5", "AB-2 Untitled book 2 0"])
        }
    }

    @Test func `without a policy of its own the request follows the context's`() throws {
        try withContainer(Shop.model) { container in
            let context = container.newContext()
            let rows = (0..<2).map { index -> [String: Value] in
                ["sku": .string("AB-1"), "kind": .string("book"), "price": .int(Int64(index))]
            }
            #expect(throws: BatchInsertError.self) {
                try context.execute(BatchInsertRequest<Product>(objects: rows))
            }
            context.mergePolicy = .objectTrump
            try context.execute(BatchInsertRequest<Product>(objects: rows))
            try #expect(context.fetch(Product.fetchRequest()).map(\.price) == [1])
            context.mergePolicy = .custom(CustomMergePolicy { _ in })
            let error = #expect(throws: StoreError.self) {
                try context.execute(BatchInsertRequest<Product>(objects: rows))
            }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test func `a row that meets two objects, or breaks a limit of one, is named`() throws {
        try withContainer(Dispute.model) { container in
            let context = container.newContext()
            context.mergePolicy = .objectTrump
            let thing = try context.make("Thing", ["code": "a", "first": "1"])
            try context.save()
            let version = thing["first"]
            try context.execute(
                BatchInsertRequest<ManagedObject>(
                    entityName: "Gadget",
                    objects: [["code": .string("a"), "second": .string("2")]]))
            // The stored object keeps its entity.
            try #expect(context.all("Thing").count == 1)
            #expect(thing["second"] == "2" && thing["first"] == version)
        }
    }

    @Test func `rows of several chunks, half of them known, in one transaction`() throws {
        try withContainer(Shop.model) { container in
            let context = container.newContext()
            context.mergePolicy = .objectTrump
            func request(_ numbers: Range<Int>) -> BatchInsertRequest<Product> {
                BatchInsertRequest(numbers) { product, number in
                    product.sku = "AB-\(number)"
                    product.kind = .book
                    product.price = Decimal(numbers.lowerBound + 1)
                }
            }
            try #expect(context.execute(request(0..<5_000)).count == 5_000)
            try #expect(context.execute(request(2_500..<7_500)).count == 5_000)
            try #expect(context.count(for: Product.fetchRequest()) == 7_500)
            let changed = Product.fetchRequest().filter(Product.price == 2_501)
            try #expect(context.count(for: changed) == 5_000)
        }
    }
}
