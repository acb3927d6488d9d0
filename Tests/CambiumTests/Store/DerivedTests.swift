@_spi(Generated) import Cambium
import Foundation
import Testing

struct DerivedTests {
    private func withContext(_ body: (ManagedObjectContext) throws -> Void) throws {
        try withContainer(Widened.model) { try body($0.newContext()) }
    }

    @Test func `values of the row alone are there after the save`() throws {
        try withContext { context in
            let ann = context.makeCustomer("Ann")
            #expect(ann.nameLength == 0)
            try context.save()
            #expect(ann.nameLength == 3)
            #expect(ann.shout == "ANN")
            ann.name = "Anna"
            #expect(ann.shout == "ANN")
            try context.save()
            #expect(ann.nameLength == 4)
            #expect(ann.shout == "ANNA")
        }
    }

    @Test func `a derived attribute cannot be set`() throws {
        try withContext { context in
            let ann = context.makeCustomer("Ann")
            let error = #expect(throws: StoreError.self) {
                try ann.setValue(.int(3), forKey: "nameLength")
            }
            #expect(error?.message.contains("derived") == true)
        }
    }

    @Test func `counts and sums follow the objects at the other end`() throws {
        try withContext { context in
            let ann = context.makeCustomer("Ann")
            let bob = context.makeCustomer("Bob")
            let order = try ann.addOrder(3, lines: 2)
            _ = try ann.addOrder(4)
            try context.save()
            #expect(ann.orderCount == 2)
            #expect(ann.total == 7)
            #expect(ann.lineTotal == 2)
            try order.setRelatedObject(bob, forKey: "customer")
            try context.save()
            #expect(ann.orderCount == 1)
            #expect(ann.lineTotal == 0)
            #expect(bob.total == 3)
            #expect(bob.lineTotal == 2)
            context.delete(order)
            try context.save()
            #expect(bob.orderCount == 0)
            #expect(bob.total == 0)
        }
    }

    private final class UpdateCounter: FetchedResultsControllerDelegate {
        var updates = 0

        func controller(
            _ controller: FetchedResultsController<Customer>, didChange object: Customer,
            at path: ItemPath?, for type: FetchedResultsChangeType, newPath: ItemPath?
        ) {
            if type == .update { updates += 1 }
        }
    }

    /// The version of the row stays the same.
    @Test(arguments: [true, false])
    func `observers see that a derived value alone has changed`(_ isHere: Bool) throws {
        try withContainer(Widened.model) { container in
            let context = container.newContext()
            context.automaticallyMergesChangesFromParent = true
            let ann = context.makeCustomer("Ann")
            let order = try ann.addOrder(3)
            try context.save()
            #expect(ann.total == 3)
            var updates = 0
            let observer = try ContextObserver(FetchRequest<Customer>(), in: context) {
                updates += $0.updated.count
            }
            let list = FetchedResultsController(
                FetchRequest<Customer>().sorted(by: Key<Customer, String>("name")), in: context)
            let delegate = UpdateCounter()
            list.delegate = delegate
            try list.performFetch()
            let author = isHere ? context : container.newContext()
            let changed = author.object(with: order.objectID)
            try changed.setValue(.decimal(5), forKey: "amount")
            try author.save()
            context.mergePending()
            #expect(ann.total == 5)
            #expect(updates == 1 && delegate.updates == 1)
            withExtendedLifetime(observer) {}
        }
    }

    @Test func `values over paths follow what they lead to`() throws {
        try withContext { context in
            let ann = context.makeCustomer("Ann")
            let order = try ann.addOrder(3, lines: 1)
            try context.save()
            #expect(try order.value(forKey: "customerName") == .string("Ann"))
            ann.name = "Anna"
            try context.save()
            #expect(try order.value(forKey: "customerName") == .string("Anna"))
            let lines = try order.relatedObjects(forKey: "lines")
            #expect(try lines.map { try $0.value(forKey: "holder") } == [.string("Anna")])
        }
    }

    @Test func `pairs of a many-to-many count`() throws {
        try withContext { context in
            let ann = context.makeCustomer("Ann")
            let tags = try (0..<3).map { _ in try context.insertObject(ofEntity: "Tag") }
            for tag in tags { ann.tags.insert(tag) }
            try context.save()
            #expect(ann.tagCount == 3)
            ann.tags.remove(tags[0])
            context.delete(tags[1])
            try context.save()
            #expect(ann.tagCount == 1)
        }
    }

    @Test func `now is the moment of each save that writes the row`() throws {
        try withContext { context in
            let before = Date()
            let ann = context.makeCustomer("Ann")
            try context.save()
            let first = try #require(ann.savedAt)
            #expect(first >= before && first <= Date())
            try context.makeCustomer("Bob").managedObjectContext?.save()
            #expect(ann.savedAt == first)
            ann.name = "Anna"
            try context.save()
            #expect(try #require(ann.savedAt) > first)
        }
    }

    @Test func `the version stays, so that nobody else's change conflicts`() throws {
        try withContainer(Widened.model) { container in
            let ours = container.newContext()
            let ann = ours.makeCustomer("Ann")
            try ours.save()
            let theirs = container.newContext()
            let other: Customer = try theirs.get(ann.objectID)
            _ = other.name
            _ = try ann.addOrder(5)
            try ours.save()
            other.name = "Anna"
            try theirs.save()
            #expect(other.total == 5)
            ours.mergePending()
            #expect(ann.name == "Anna")
        }
    }

    @Test func `siblings learn of values that nobody wrote`() throws {
        try withContainer(Widened.model) { container in
            let ours = container.newContext()
            let ann = ours.makeCustomer("Ann")
            let bob = ours.makeCustomer("Bob")
            try ours.save()
            let theirs = container.newContext()
            theirs.automaticallyMergesChangesFromParent = true
            let other: Customer = try theirs.get(ann.objectID)
            let changed: Customer = try theirs.get(bob.objectID)
            #expect(other.orderCount == 0)
            changed.name = "Bobby"
            _ = try ann.addOrder(5)
            _ = try bob.addOrder(6)
            try ours.save()
            theirs.mergePending()
            #expect(other.total == 5)
            #expect(changed.total == 6)
            #expect(changed.name == "Bobby")
        }
    }

    @Test func `controllers hear of derived values`() throws {
        try withContainer(Widened.model) { container in
            let ours = container.newContext()
            let ann = ours.makeCustomer("Ann")
            try ours.save()
            let theirs = container.newContext()
            let request = FetchRequest<Customer>()
                .filter(format: "orderCount > 0").sorted(by: Key<Customer, String>("name"))
            let controllers = try [ours, theirs].map { context in
                let controller = FetchedResultsController(request, in: context)
                try controller.performFetch()
                return (controller, controller.changes)
            }
            #expect(controllers.allSatisfy { $0.0.fetchedObjects?.isEmpty == true })
            _ = try ann.addOrder(5)
            try ours.save()
            ours.processPendingChanges()
            theirs.mergePending()
            for (controller, _) in controllers {
                #expect(controller.fetchedObjects?.map(\.name) == ["Ann"])
            }
        }
    }

    @Test func `a derived attribute of a sub-entity is computed for its rows`() throws {
        try withContext { context in
            let patron = Patron(insertingInto: context)
            try patron.setValue(.int(5), forKey: "level")
            _ = try patron.addOrder(1)
            _ = try patron.addOrder(1)
            try context.save()
            #expect(try patron.value(forKey: "bonus") == .int(10))
        }
    }

    @Test func `a save that fails leaves the values as they were`() throws {
        try withContext { context in
            let ann = context.makeCustomer("Ann")
            try context.save()
            let order = try ann.addOrder(1)
            for each in [ann, context.makeCustomer("Bob")] {
                try each.setValue(.string("High St"), forKey: "address.street")
                try each.setValue(.int(7), forKey: "address.number")
            }
            #expect(throws: ConstraintConflictError.self) { try context.save() }
            #expect(ann.orderCount == 0)
            #expect(try order.value(forKey: "customerName") == .null)
        }
    }
}
