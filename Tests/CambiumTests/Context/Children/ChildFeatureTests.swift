import Cambium
import Foundation
import Testing

/// What models and objects can do beside plain values, in a child context.
struct ChildFeatureTests {
    private func withCustomer(
        on kind: StoreKind = .current,
        _ body: (ManagedObjectContext, Customer, ManagedObjectContext, Customer) throws -> Void
    ) throws {
        try withContainer(Widened.model, on: kind) { container in
            let parent = container.newContext()
            let customer = parent.makeCustomer("Ann")
            try parent.save()
            let child = parent.newChildContext()
            try body(parent, customer, child, child.get(customer.objectID))
        }
    }

    @Test func `derived values come with the root's save`() throws {
        try withCustomer { parent, customer, child, same in
            #expect(same.nameLength == 3)
            same.name = "Annabel"
            try child.save()
            #expect(customer.name == "Annabel")
            try parent.save()
            #expect(customer.nameLength == 7)
            child.mergePending()
            #expect(same.nameLength == 7)
            #expect(!child.hasChanges)
        }
    }

    @Test func `large values go through memory to a file, and come back`() throws {
        let large = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
        try withCustomer(on: .lasting) { parent, customer, child, same in
            same.photo = large
            try child.save()
            #expect(customer.photo == large)
            try parent.save()
            #expect(same.photo == large)
            child.mergePending()
            #expect(same.photo == large)
            child.refreshAllObjects()
            #expect(same.photo == large)
            customer.photo = Data([1])
            try parent.save()
            // The file is gone, and the child has not merged.
            #expect(same.photo == Data([1]))
        }
    }

    @Test func `composite and coded values go up`() throws {
        try withCustomer { _, customer, child, same in
            try same.setValue(.string("Main Street"), forKey: "address.street")
            try same.setValue(.int(5), forKey: "address.number")
            same.words = ["one", "two"]
            same.balance = 12
            try child.save()
            #expect(try customer.value(forKey: "address.street") == .string("Main Street"))
            #expect(customer.words == ["one", "two"])
            #expect(customer.balance == 12)
        }
    }

    @Test func `a fetched property finds what the child shows`() throws {
        try withCustomer { parent, customer, child, same in
            let other = parent.makeCustomer("Ann")
            let mine = child.makeCustomer("Ann")
            let found = try same.fetchedObjects(forKey: "namesakes")
            #expect(Set(found.map(\.objectID)) == [other.objectID, mine.objectID])
            #expect(try customer.fetchedObjects(forKey: "namesakes") == [other])
        }
    }

    @Test func `values by name, and snapshots of changes, are the child's own`() throws {
        try withCustomer { _, customer, child, same in
            same.name = "Anne"
            #expect(same.changedValues() == ["name": .value(.string("Anne"))])
            #expect(
                try same.committedValues(forKeys: ["name"]) == ["name": .value(.string("Ann"))])
            try child.save()
            #expect(same.changedValues().isEmpty)
            #expect(
                try same.committedValues(forKeys: ["name"]) == ["name": .value(.string("Anne"))])
            #expect(
                try customer.committedValues(forKeys: ["name"]) == [
                    "name": .value(.string("Ann"))
                ])
        }
    }

    @Test func `a child of a context without a store cannot make what is saved`() throws {
        let coordinator = PersistentStoreCoordinator(model: Widened.model)
        let parent = coordinator.newContext()
        let child = parent.newChildContext()
        let one = child.makeCustomer("Ann")
        let two = parent.makeCustomer("Bob")
        #expect(one.objectID.key != two.objectID.key)
        #expect(throws: StoreError.self) { try child.save() }
        #expect(throws: StoreError.self) { try child.customers() }
    }
}
