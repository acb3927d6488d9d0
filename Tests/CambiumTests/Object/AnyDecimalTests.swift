@_spi(Generated) import Cambium
import Foundation
import Testing

struct AnyDecimalTests {
    private static let numbers = [
        "0", "1", "-1", "0.1", "-0.1", "123456789012345678901234567890.12345678", "-99.999",
        "100000000000000000000000000000000000000", "0.00000000000000000000000000000000000001",
    ].compactMap { Decimal(string: $0) }

    @Test func `numbers of any scale are kept to the last digit and sort as numbers`() throws {
        try withContainer(Widened.model) { container in
            let context = container.newContext()
            for number in Self.numbers {
                let customer = context.makeCustomer("\(number)")
                customer.balance = number
                customer.best = number
            }
            try context.save()
            context.refreshAllObjects()
            let request = FetchRequest<Customer>().sorted(by: Key<Customer, Decimal>("balance"))
            let found = try context.fetch(request)
            #expect(found.map(\.balance) == Self.numbers.sorted())
            #expect(found.map(\.best) == Self.numbers.sorted())
        }
    }

    @Test func `a limit holds in memory and in the store`() throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Widened.model, at: .temporary(path))
            let context = container.newContext()
            let customer = context.makeCustomer("Ann")
            customer.balance = Decimal(string: "-100.0001") ?? 0
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.property == "balance")
            customer.balance = -100
            try context.save()
            #expect(throws: (any Error).self) {
                let value = StoreKind.isSQLite ? "x'0000'" : "-101"
                try execute("UPDATE \"Customer\" SET \"balance\" = \(value)", in: path)
            }
        }
    }

    @Test func `NaN is refused`() throws {
        try withContainer(Widened.model) { container in
            let context = container.newContext()
            let customer = context.makeCustomer("Ann")
            customer.best = .nan
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .unfitDecimal)
        }
    }

    @Test func `differences add up, and the greater number wins, where the model says so`() throws {
        try withContainer(Widened.model) { container in
            let ours = container.newContext()
            ours.mergePolicy = .objectTrump
            let mine = ours.makeCustomer("Ann")
            (mine.balance, mine.best) = (10, 10)
            try ours.save()
            let theirs = container.newContext()
            let other: Customer = try theirs.get(mine.objectID)
            (other.balance, other.best) = (12, 200)
            try theirs.save()
            (mine.balance, mine.best) = (Decimal(string: "9.5") ?? 0, 30)
            try ours.save()
            #expect(mine.balance == Decimal(string: "11.5"))
            #expect(mine.best == 200)
        }
    }
}
