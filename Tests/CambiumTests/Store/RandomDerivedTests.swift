import Cambium
import Foundation
import Testing

/// Whatever is done to a small world, after each save every derived value is what a look at the
/// objects says, in the context that saved, in a sibling and in the store.
struct RandomDerivedTests {
    @Test func `derived values are those of the objects, whatever was done`() throws {
        let environment = ProcessInfo.processInfo.environment
        let text = environment["CAMBIUM_SEED"] ?? environment["CAMBIUM_SEED_BASE"]
        let seed = text.flatMap(UInt64.init) ?? .random(in: 0...999_999)
        print("seed \(seed); replay: CAMBIUM_SEED=\(seed) swift test --filter RandomDerived")
        var generator = SeededGenerator(seed: seed)
        for round in 0..<6 {
            try withContainer(Widened.model) { container in
                let contexts = [container.newContext(), container.newContext()]
                for context in contexts {
                    context.automaticallyMergesChangesFromParent = true
                    context.mergePolicy = .objectTrump
                }
                for step in 0..<30 {
                    let context = contexts[Int.random(in: 0...1, using: &generator)]
                    context.mergePending()
                    for _ in 0...Int.random(in: 0..<6, using: &generator) {
                        try change(context, &generator)
                    }
                    try context.save()
                    for each in contexts + [container.newContext()] {
                        each.mergePending()
                        let wrong = try wrongValues(in: each)
                        #expect(wrong.isEmpty, "seed \(seed), round \(round), step \(step)")
                        if !wrong.isEmpty { return }
                    }
                }
            }
        }
    }

    private func change(
        _ context: ManagedObjectContext, _ generator: inout SeededGenerator
    ) throws {
        func any<Object: ManagedObject>(_ objects: [Object]) -> Object? {
            objects.randomElement(using: &generator)
        }
        let customers = try context.customers()
        let orders = try context.fetch(FetchRequest<ManagedObject>(entityName: "Order"))
        let lines = try context.fetch(FetchRequest<ManagedObject>(entityName: "Line"))
        let tags = try context.fetch(FetchRequest<ManagedObject>(entityName: "Tag"))
        let number = Int.random(in: 0..<100, using: &generator)
        switch number % 12 {
        case 0:
            _ =
                number < 50
                ? context.makeCustomer("c\(number)") : Patron(insertingInto: context) as Customer
        case 1, 2: _ = try any(customers)?.addOrder(Decimal(number), lines: number % 3)
        case 3: _ = try any(orders)?.setValue(.decimal(Decimal(number)), forKey: "amount")
        case 4:
            if let order = any(orders) {
                try order.setRelatedObject(number < 80 ? any(customers) : nil, forKey: "customer")
            }
        case 5: any(customers)?.name = "n\(number)"
        case 6: if number < 40, let customer = any(customers) { context.delete(customer) }
        case 7: if let order = any(orders) { context.delete(order) }
        case 8: if let line = any(lines) { context.delete(line) }
        case 9: if let line = any(lines) { try line.setRelatedObject(any(orders), forKey: "order") }
        case 10: _ = try context.insertObject(ofEntity: "Tag")
        default:
            guard let customer = any(customers), let tag = any(tags) else { return }
            if number < 70 { customer.tags.insert(tag) } else { customer.tags.remove(tag) }
        }
    }

    private func wrongValues(in context: ManagedObjectContext) throws -> [String] {
        var wrong: [String] = []
        func expect(_ value: Value, _ expected: Value, _ name: String, _ object: ManagedObject) {
            if value != expected { wrong.append("\(object).\(name): \(value), not \(expected)") }
        }
        for customer in try context.customers() {
            let orders = Array(try customer.relatedObjects(forKey: "orders"))
            var total: Decimal = 0
            var lines = 0
            for order in orders {
                if case .decimal(let amount) = try order.value(forKey: "amount") { total += amount }
                lines += try order.relatedObjects(forKey: "lines").count
            }
            let expected: [(String, Value)] = [
                ("nameLength", .int(Int64(customer.name.unicodeScalars.count))),
                ("shout", .string(customer.name.uppercased())),
                ("orderCount", .int(Int64(orders.count))), ("total", .decimal(total)),
                ("lineTotal", .int(Int64(lines))), ("tagCount", .int(Int64(customer.tags.count))),
            ]
            for (name, value) in expected {
                expect(try customer.value(forKey: name), value, name, customer)
            }
            if customer is Patron, case .int(let level) = try customer.value(forKey: "level") {
                let bonus = Value.int(level * Int64(orders.count))
                expect(try customer.value(forKey: "bonus"), bonus, "bonus", customer)
            }
        }
        for order in try context.fetch(FetchRequest<ManagedObject>(entityName: "Order")) {
            let customer = try order.relatedObject(forKey: "customer")
            let name = try customer?.value(forKey: "name") ?? .null
            expect(try order.value(forKey: "customerName"), name, "customerName", order)
            for line in try order.relatedObjects(forKey: "lines") {
                expect(try line.value(forKey: "holder"), name, "holder", line)
            }
        }
        return wrong
    }
}
