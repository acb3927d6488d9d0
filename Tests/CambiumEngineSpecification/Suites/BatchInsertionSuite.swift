import Cambium
import EverythingModel
import Foundation
import ShopModel
import Testing

extension EngineSuite {
    /// Rows are inserted in one transaction, and checked as objects are.
    package static let batchInsertion = EngineSuite("batch insertion", requires: .batches) {
        EngineCase("dictionaries become objects with the model's defaults") { engine in
            try engine.withContainer(Shop.model) { container in
                let context = container.newContext()
                let category = Category(in: context, name: "Books")
                try context.save()
                let result = try insert(
                    context,
                    [
                        ["sku": .string("AB-1"), "kind": .string("TOY"), "price": .int(3)],
                        [
                            "sku": .string("AB-2"), "kind": .string("book"),
                            "price": .decimal(Decimal(125) / 100), "salePrice": .int(1),
                            "stock": .int(7), "category": .int(category.objectID.key),
                        ],
                    ])
                #expect(result.count == 2)
                #expect(result.objectIDs.isEmpty)
                let reader = container.newContext()
                let found = try reader.fetch(Product.fetchRequest().sorted(by: Product.sku))
                #expect(found.map(\.kind) == [.toy, .book])
                #expect(found.map(\.title) == ["Untitled", "Untitled"])
                #expect(found.map(\.price) == [3, Decimal(125) / 100])
                #expect(found.map(\.stock) == [0, 7])
                #expect(found.map(\.category?.name) == [nil, "Books"])
            }
        }

        EngineCase("a handler fills objects until it returns true") { engine in
            try engine.withContainer(Shop.model) { container in
                let context = container.newContext()
                let category = Category(in: context, name: "Books")
                try context.save()
                var number = 0
                var request = BatchInsertRequest<Product> { product in
                    guard number < 3 else { return true }
                    product.sku = "AB-\(number)"
                    product.kind = .toy
                    product.price = Decimal(number)
                    product.category = number == 1 ? category : nil
                    number += 1
                    return false
                }
                request.resultType = .objectIDs
                let result = try context.execute(request)
                #expect(result.count == 3)
                #expect(result.changes.inserted == result.objectIDs)
                let other = container.newContext()
                let found = try result.objectIDs.map {
                    try other.existingObject(with: $0, as: Product.self)
                }
                #expect(found.map(\.sku) == ["AB-0", "AB-1", "AB-2"])
                #expect(found.map(\.category?.name) == [nil, "Books", nil])
                try #expect(other.fetch(Category.fetchRequest()).first?.products.count == 1)
            }
        }

        EngineCase("rule 78: true ends at once, and the object of that call is not inserted") {
            engine in
            try engine.withContainer(Shop.model) { container in
                let context = container.newContext()
                var calls = 0
                let request = BatchInsertRequest<Product> { product in
                    calls += 1
                    product.sku = "AB-1"
                    return true
                }
                let result = try context.execute(request)
                #expect(result.count == 0)
                #expect(calls == 1)
                try #expect(context.count(for: Product.fetchRequest()) == 0)
            }
        }

        EngineCase("rule 78: no rows are legal, and no change is announced") { engine in
            try engine.withContainer(Shop.model) { container in
                let context = container.newContext()
                var sets = 0
                let token = context.observe(.didMergeChangesObjectIDs) { _ in sets += 1 }
                try #expect(insert(context, []).count == 0)
                #expect(sets == 0)
                withExtendedLifetime(token) {}
            }
        }

        EngineCase("rule 78: defaults are applied, also those that are made anew") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                try context.execute(BatchInsertRequest<Sample>(0..<2) { _, _ in })
                let samples = try context.fetch(Sample.fetchRequest())
                #expect(samples.map(\.size) == [.large, .large])
                #expect(Set(samples.map(\.token)).count == 2)
                #expect(samples.allSatisfy { abs($0.moment.timeIntervalSinceNow) < 60 })
                #expect(samples.allSatisfy { $0.maybeText == nil && $0.text.isEmpty })
            }
        }

        EngineCase("a row that breaks a limit is named, and nothing is inserted") { engine in
            try expectError(engine, [product("AB-1"), product("A")], row: 1) {
                code($0) == .tooShort
            }
            try expectError(
                engine, [product("AB-1"), product("AB-2"), product("AB-3", ["price": .int(-1)])],
                row: 2
            ) { ($0 as? ValidationError)?.property == "price" && code($0) == .numberTooSmall }
            try expectError(engine, [product("AB-1"), product("ab-1")], row: 1) {
                code($0) == .patternMismatch
            }
            try expectError(engine, [product("AB-1", ["salePrice": .int(2)])], row: 0) {
                ($0 as? ValidationError)?.rule == "saleBelowPrice"
                    && ($0 as? ValidationError)?.message == "A sale price is below the price"
            }
            try expectError(engine, [product("AB-1"), ["sku": .string("AB-2")]], row: 1) {
                code($0) == .missing
            }
            try expectError(engine, [product("AB-1", ["title": .string("a\0b")])], row: 0) {
                code($0) == .nulInText
            }
            try expectError(
                engine, [product("AB-1", ["price": .decimal(Decimal(1) / 1000)])], row: 0
            ) {
                ($0 as? StoreError)?.code == .invalidRequest
            }
            try expectError(engine, [product("AB-1"), product("AB-1")], row: 1) {
                code($0) == .notUnique
            }
        }

        EngineCase("a name that does not exist, or a value of another type, is named") { engine in
            try expectError(engine, [product("AB-1", ["prize": .int(2)])], row: 0) {
                ($0 as? StoreError)?.code == .unknownName && "\($0)".contains("price")
            }
            try expectError(
                engine, [product("AB-1"), product("AB-2", ["stock": .string("many")])], row: 1
            ) {
                "\($0)".contains("Product.stock")
            }
            try expectError(engine, [product("AB-1", ["kind": .string("fish")])], row: 0) {
                "\($0)".contains("Product.kind")
            }
            try expectError(engine, [product("AB-1", ["category": .int(99)])], row: 0) {
                ($0 as? StoreError)?.code == .missingRow && "\($0)".contains("Product.category")
            }
            try expectError(engine, [product("AB-1", ["price": .null])], row: 0) {
                code($0) == .missing
            }
        }

        EngineCase("a handler that uses the store gets an error instead of waiting for itself") {
            engine in
            try engine.withContainer(Shop.model) { container in
                let context = container.newContext()
                let other = container.newContext()
                let request = BatchInsertRequest<Product> { _ in
                    _ = Category(in: other, name: "new")
                    try other.save()
                    return true
                }
                #expect(throws: StoreError.self) { try context.execute(request) }
            }
        }

        EngineCase("links that cannot be set are refused by name") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                let unsaved = Box(in: context)
                let saved = Node(in: container.newContext())
                func error(_ handler: @escaping (Node) -> Void) -> String {
                    let request = BatchInsertRequest<Node>(0..<1) { node, _ in handler(node) }
                    do {
                        try context.execute(request)
                        return ""
                    } catch {
                        return "\(error)"
                    }
                }
                #expect(error { $0.box = unsaved }.contains("Save that object first"))
                #expect(error { $0.tags.insert(Topic(in: context)) }.contains("is a to-many"))
                #expect(error { $0.previous = saved }.contains("Node.next instead"))
                try #expect(context.count(for: Node.fetchRequest().filter(Node.number == 0)) == 0)
                // The unsaved objects stay.
                #expect(context.insertedObjects.count == 2)
            }
        }

        EngineCase("two rows cannot have one partner in a one-to-one") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                let person = EverythingModel.Person(in: context, name: "Ada")
                try context.save()
                let request = BatchInsertRequest<Passport>(0..<2) { passport, number in
                    passport.number = "\(number)"
                    passport.holder = person
                }
                let error = #expect(throws: BatchInsertError.self) { try context.execute(request) }
                #expect((error?.underlying as? ValidationError)?.property == "holder")
                try #expect(context.count(for: Passport.fetchRequest()) == 0)
            }
        }

        EngineCase("an entity of a hierarchy, and links to any of its entities") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                try context.execute(
                    BatchInsertRequest<Robot>(0..<2) { robot, number in
                        robot.name = "R\(number)"
                        robot.serial = "\(number)"
                    })
                let robots = try context.fetch(Robot.fetchRequest().sorted(by: Robot.serial))
                try context.execute(
                    BatchInsertRequest<Home>(objects: [
                        ["street": .string("a"), "owner": .int(robots[1].objectID.key)]
                    ]))
                try context.execute(
                    BatchInsertRequest<Home>(0..<1) { home, _ in
                        home.street = "b"
                        home.owner = robots[0]
                    })
                let reader = container.newContext()
                let homes = try reader.fetch(Home.fetchRequest().sorted(by: Home.street))
                #expect(homes.map { ($0.owner as? Robot)?.serial } == ["1", "0"])
                #expect(throws: StoreError.self) {
                    try context.execute(BatchInsertRequest<Being>(entityName: "Being", objects: []))
                }
            }
        }
    }
}

private func insert(
    _ context: ManagedObjectContext, _ rows: [[String: Value]]
) throws -> BatchResult {
    try context.execute(BatchInsertRequest<Product>(objects: rows))
}

private func expectError(
    _ engine: EngineEntry, _ rows: [[String: Value]], row: Int, _ check: (any Error) -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    try engine.withContainer(Shop.model) { container in
        let context = container.newContext()
        let error = #expect(throws: BatchInsertError.self, sourceLocation: sourceLocation) {
            try insert(context, rows)
        }
        #expect(error?.row == row, sourceLocation: sourceLocation)
        let isExpected = error.map { check($0.underlying) } ?? false
        #expect(isExpected, "\(error as Any)", sourceLocation: sourceLocation)
        let count = try context.count(for: Product.fetchRequest())
        #expect(count == 0, sourceLocation: sourceLocation)
    }
}

private func product(_ sku: String, _ more: [String: Value] = [:]) -> [String: Value] {
    ["sku": .string(sku), "kind": .string("book"), "price": .int(1)].merging(more) { $1 }
}

private func code(_ error: any Error) -> ValidationError.Code? {
    (error as? ValidationError)?.code
}
