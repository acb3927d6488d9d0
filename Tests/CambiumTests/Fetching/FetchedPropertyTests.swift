@_spi(Generated) import Cambium
import Foundation
import Testing

struct FetchedPropertyTests {
    @Test func `a fetched property finds what meets its condition with the object's values`() throws
    {
        try withContainer(Widened.model) { container in
            let context = container.newContext()
            let anns = (0..<5).map { number in
                let ann = context.makeCustomer("Ann")
                ann.balance = Decimal(10 - number)
                return ann
            }
            _ = context.makeCustomer("Bob")
            try context.save()
            #expect(anns[0].namesakes == [anns[4], anns[3], anns[2]])
            #expect(try anns[0].fetchedObjects(forKey: "namesakes").count == 3)
        }
    }

    @Test func `what it found is kept until the object is refreshed`() throws {
        try withContainer(Widened.model) { container in
            let context = container.newContext()
            let ann = context.makeCustomer("Ann")
            try context.save()
            #expect(ann.namesakes.isEmpty)
            let other = context.makeCustomer("Ann")
            try context.save()
            #expect(ann.namesakes.isEmpty)
            context.refresh(ann, mergeChanges: false)
            #expect(ann.namesakes == [other])
        }
    }

    @Test func `an unknown name is an error that knows a nearer one`() throws {
        try withContainer(Widened.model) { container in
            let ann = container.newContext().makeCustomer("Ann")
            let error = #expect(throws: StoreError.self) {
                try ann.fetchedObjects(forKey: "namesake")
            }
            #expect(error?.message.contains("namesakes") == true)
        }
    }

    @Test func `a template's list, order, limit and prefetching count`() throws {
        try withContainer(Widened.model) { container in
            let writer = container.newContext()
            for name in ["Ann", "Bob", "Cid", "Dan"] {
                _ = try writer.makeCustomer(name).addOrder(1, lines: 1)
            }
            try writer.save()
            let context = container.newContext()
            let request = FetchRequest<Customer>()
                .template(
                    "named", [:], lists: ["names": ["Ann", "Cid", "Dan"].map { .string($0) }])
            let found = try context.fetch(request)
            #expect(found.map(\.name) == ["Dan", "Cid"])
            #expect(try context.fetch(request.limit(3)).count == 3)
            for customer in found {
                let orders = Array(try customer.relatedObjects(forKey: "orders"))
                #expect(orders.count == 1)
                #expect(orders.allSatisfy { !$0.isFault })
            }
        }
    }

    @Test func `what was prefetched is what would be read one by one`() throws {
        try withContainer(Widened.model) { container in
            let writer = container.newContext()
            let customers = (0..<1200).map { writer.makeCustomer("c\($0)") }
            var orders: [ManagedObject] = []
            for (index, customer) in customers.enumerated() {
                for _ in 0..<index % 3 { orders.append(try customer.addOrder(1, lines: 1)) }
            }
            try writer.save()
            let context = container.newContext()
            // Not yet saved: one order goes elsewhere, one is deleted, one is new.
            let moved = context.object(with: orders[0].objectID)
            let target: Customer = try context.get(customers[0].objectID)
            try moved.setRelatedObject(target, forKey: "customer")
            context.delete(context.object(with: orders[1].objectID))
            _ = try target.addOrder(2)
            let request = FetchRequest<Customer>()
                .prefetching(ToManyKey<Customer, ManagedObject>("orders"))
            let found = try context.fetch(request)
            let plain = container.newContext()
            for customer in found where customer !== target {
                let other = plain.object(with: customer.objectID)
                let wanted = Set(try other.relatedObjects(forKey: "orders").map(\.objectID))
                    .subtracting([orders[0].objectID, orders[1].objectID])
                let got = Set(try customer.relatedObjects(forKey: "orders").map(\.objectID))
                #expect(got == wanted)
            }
            #expect(try target.relatedObjects(forKey: "orders").count == 2)
        }
    }
}
