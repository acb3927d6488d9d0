import Cambium
import CambiumSQLite
import Foundation
import Testing

struct CodableTests {
    @Test func `values go to the store as JSON and come back`() throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Widened.model, at: .temporary(path))
            let context = container.newContext()
            let customer = context.makeCustomer("Ann")
            #expect(customer.words == ["first"])
            #expect(customer.size == nil)
            customer.words = ["b", "a"]
            customer.size = Customer.Size(width: 1.5, height: .infinity)
            try context.save()
            context.refresh(customer, mergeChanges: false)
            #expect(customer.words == ["b", "a"])
            #expect(customer.size == Customer.Size(width: 1.5, height: .infinity))
            #expect(
                try rows("SELECT \"words\", \"size\" FROM \"Customer\"", in: path)
                    == [[.text(#"["b","a"]"#), .text(#"{"height":"inf","width":1.5}"#)]])
            customer.size = nil
            try context.save()
            #expect(customer.size == nil)
        }
    }

    @Test func `what cannot be decoded reads as the default, and the next save says so`() throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Widened.model, at: .temporary(path))
            let writer = container.newContext()
            let id = writer.makeCustomer("Ann").objectID
            try writer.save()
            try execute(
                "UPDATE \"Customer\" SET \"words\" = '[1]', \"size\" = 'x'", in: path)
            let context = container.newContext()
            let customer: Customer = try context.get(id)
            #expect(customer.words == ["first"])
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.code == .corrupt)
            #expect(error?.message.contains("words") == true)
            try context.save()
            #expect(customer.size == nil)
            #expect(throws: StoreError.self) { try context.save() }
        }
    }

    @Test func `a value that cannot be encoded is not taken over, and refused`() throws {
        try withContainer(Widened.model) { container in
            let context = container.newContext()
            let customer = context.makeCustomer("Ann")
            customer.setSizeToWhatCannotBeEncoded()
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .unencodable)
            #expect(error?.property == "size")
            customer.size = nil
            try context.save()
        }
    }

    @Test func `arrays merge as sets of their elements`() throws {
        try withContainer(Widened.model) { container in
            let ours = container.newContext()
            ours.mergePolicy = .objectTrump
            let mine = ours.makeCustomer("Ann")
            mine.words = ["a", "b", "c,\"]"]
            try ours.save()
            let theirs = container.newContext()
            let other: Customer = try theirs.get(mine.objectID)
            other.words = ["b", "c,\"]", "d"]
            try theirs.save()
            mine.words = ["a", "b", "e"]
            try ours.save()
            #expect(mine.words == ["b", "d", "e"])
        }
    }
}
