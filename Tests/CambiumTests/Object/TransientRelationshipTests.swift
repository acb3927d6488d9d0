import Cambium
import Foundation
import Testing

struct TransientRelationshipTests {
    private func withCustomers(
        _ body: (ManagedObjectContext, Customer, Customer, Customer) throws -> Void
    ) throws {
        try withStore { try body($1, $2, $3, $4) }
    }

    private func withStore(
        _ body: (
            PersistentContainer, ManagedObjectContext, Customer, Customer, Customer
        ) throws -> Void
    ) throws {
        try withContainer(Widened.model) { container in
            let context = container.newContext()
            try body(
                container, context, context.makeCustomer("Ann"), context.makeCustomer("Bob"),
                context.makeCustomer("Cid"))
        }
    }

    @Test func `both ends of a one-to-one are kept in step`() throws {
        try withCustomers { _, ann, bob, cid in
            ann.partner = bob
            #expect(bob.partner === ann)
            cid.partner = ann
            #expect(ann.partner === cid)
            #expect(bob.partner == nil)
            ann.partner = nil
            #expect(cid.partner == nil)
        }
    }

    @Test func `both ends of a one-to-many are kept in step`() throws {
        try withCustomers { _, ann, bob, cid in
            bob.guide = ann
            ann.guided.insert(cid)
            #expect(Set(ann.guided) == [bob, cid])
            #expect(cid.guide === ann)
            cid.guide = bob
            #expect(Set(ann.guided) == [bob])
            bob.guided.remove(cid)
            #expect(cid.guide == nil)
        }
    }

    @Test func `links stay through a save and are not in the store`() throws {
        try withStore { container, context, ann, bob, _ in
            ann.partner = bob
            ann.guided.insert(bob)
            try context.save()
            #expect(ann.partner === bob)
            #expect(bob.guide === ann)
            #expect(!ann.hasPersistentChangedValues)
            let other = container.newContext()
            let ann2: Customer = try other.get(ann.objectID)
            #expect(ann2.partner == nil)
            #expect(ann2.guided.isEmpty)
        }
    }

    @Test func `a deleted object leaves the other ends`() throws {
        try withCustomers { context, ann, bob, _ in
            try context.save()
            ann.partner = bob
            bob.guide = ann
            context.delete(ann)
            context.processPendingChanges()
            #expect(bob.partner == nil)
            #expect(bob.guide == nil)
            try context.save()
        }
    }

    @Test func `a refreshed object leaves the other ends`() throws {
        try withCustomers { context, ann, bob, _ in
            try context.save()
            ann.partner = bob
            context.refresh(ann, mergeChanges: false)
            #expect(ann.partner == nil)
            #expect(bob.partner == nil)
        }
    }
}
