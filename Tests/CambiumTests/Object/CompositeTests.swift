@_spi(Generated) import Cambium
import Foundation
import Testing

struct CompositeTests {
    private func withCustomer(_ body: (ManagedObjectContext, Customer) throws -> Void) throws {
        try withContainer(Widened.model) { container in
            let context = container.newContext()
            try body(context, context.makeCustomer("Ann"))
        }
    }

    @Test func `parts are read and set by their dotted names`() throws {
        try withCustomer { context, customer in
            try customer.setValue(.string("High St"), forKey: "address.street")
            try context.save()
            context.refresh(customer, mergeChanges: false)
            #expect(try customer.value(forKey: "address.street") == .string("High St"))
            #expect(try customer.value(forKey: "address.number") == .null)
        }
    }

    @Test func `the name of a composite value alone is an error that lists its parts`() throws {
        try withCustomer { _, customer in
            let error = #expect(throws: StoreError.self) { try customer.value(forKey: "address") }
            #expect(error?.message.contains("address.street") == true)
        }
    }

    @Test func `a composite value without a part that it requires is refused by its name`() throws {
        try withCustomer { context, customer in
            try customer.setValue(.int(7), forKey: "address.number")
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .missing)
            #expect(error?.property == "address")
        }
    }

    @Test func `a composite value within another has a rule of its own`() throws {
        try withCustomer { context, customer in
            try customer.setValue(.string("High St"), forKey: "address.street")
            try customer.setValue(.double(1), forKey: "address.spot.latitude")
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.property == "address.spot")
            try customer.setValue(.double(2), forKey: "address.spot.longitude")
            try context.save()
        }
    }

    @Test func `the store refuses what another program would write`() throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Widened.model, at: .temporary(path))
            let context = container.newContext()
            _ = context.makeCustomer("Ann")
            try context.save()
            let error = #expect(throws: (any Error).self) {
                try execute("UPDATE \"Customer\" SET \"address_number\" = 3", in: path)
            }
            #expect("\(error as Any)".contains("Customer.address.presence"))
        }
    }

    @Test func `values of parts can be unique together`() throws {
        try withCustomer { context, customer in
            for each in [customer, context.makeCustomer("Bob")] {
                try each.setValue(.string("High St"), forKey: "address.street")
                try each.setValue(.int(7), forKey: "address.number")
            }
            let error = #expect(throws: ConstraintConflictError.self) { try context.save() }
            #expect(
                error?.conflicts.map(\.constraint) == [["address.street", "address.number"]])
        }
    }

    @Test func `a part can be searched for and sorted by`() throws {
        try withCustomer { context, customer in
            try customer.setValue(.string("High St"), forKey: "address.street")
            try context.save()
            let request = FetchRequest<Customer>().filter(format: "address.street == 'High St'")
            #expect(try context.fetch(request) == [customer])
            try customer.setValue(.string("Low St"), forKey: "address.street")
            #expect(try context.fetch(request).isEmpty)
            let other = context.makeCustomer("Bob")
            try other.setValue(.string("A St"), forKey: "address.street")
            let sorted = FetchRequest<Customer>().sorted(
                by: Key<Customer, String>("address.street"))
            #expect(try context.fetch(sorted) == [other, customer])
            try context.save()
            context.refreshAllObjects()
            #expect(try context.fetch(sorted) == [other, customer])
            let order = try customer.addOrder(1)
            try context.save()
            let orders = FetchRequest<ManagedObject>(entityName: "Order")
                .filter(format: "customer.address.street == 'Low St'")
            #expect(try context.fetch(orders) == [order])
        }
    }
}
