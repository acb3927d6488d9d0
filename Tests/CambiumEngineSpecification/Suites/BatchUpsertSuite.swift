import Cambium
import ShopModel
import Testing

extension EngineSuite {
    /// Inserted rows whose unique values other rows have are merged into these.
    package static let batchUpsert = EngineSuite("batch upsert", requires: .batches) {
        EngineCase("under error the row is named, and nothing is inserted") { engine in
            try withConflict(engine, .error) { context, _, result in
                let error = #expect(throws: BatchInsertError.self) { try result.get() }
                #expect(error?.row == 0)
                #expect((error?.underlying as? ValidationError)?.code == .notUnique)
                #expect(error?.coreDataCode == 133021)
                try #expect(shown(context) == ["AB-1 Old toy 1 5"])
            }
        }

        EngineCase("under objectTrump the stored object gets what the row sets, and nothing else") {
            engine in
            try withConflict(engine, .objectTrump) { context, old, result in
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

        EngineCase("under overwrite what the row does not set becomes the default") { engine in
            try withConflict(engine, .overwrite) { context, _, result in
                try #expect(result.get().count == 3)
                try #expect(
                    shown(context) == ["AB-1 Untitled book 9 0", "AB-2 Untitled book 3 0"])
            }
        }

        for policy in [MergePolicy.storeTrump, .rollback] as [MergePolicy] {
            EngineCase("under storeTrump and rollback the row is left out (\(policy))") { engine in
                try withConflict(engine, policy) { context, _, result in
                    let result = try result.get()
                    #expect(result.count == 1)
                    #expect(result.objectIDs.count == 1)
                    try #expect(shown(context) == ["AB-1 Old toy 1 5", "AB-2 Untitled book 2 0"])
                }
            }
        }

        EngineCase("without a policy of its own the request follows the context's") { engine in
            try engine.withContainer(Shop.model) { container in
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

        EngineCase("a row that meets two objects, or breaks a limit of one, is named") { engine in
            try engine.withContainer(Dispute.model) { container in
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
    }
}

/// A shop with AB-1 (stock 5, "Old") and a batch of AB-1 (stock 0, price 9), AB-2, AB-2 again.
private func withConflict(
    _ engine: EngineEntry, _ policy: MergePolicy,
    _ body: (ManagedObjectContext, Product, Result<BatchResult, any Error>) throws -> Void
) throws {
    try engine.withContainer(Shop.model) { container in
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
