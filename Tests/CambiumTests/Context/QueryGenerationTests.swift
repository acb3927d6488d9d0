import Cambium
import CambiumSQLite
import EverythingModel
import Foundation
import Testing

/// A context that reads the store as it was.
struct QueryGenerationTests {
    private func withContexts(
        _ options: StoreOptions = StoreOptions(),
        _ body: (_ pinned: ManagedObjectContext, _ other: ManagedObjectContext) throws -> Void
    ) throws {
        try withStoreFile { path in
            let container = try PersistentContainer(
                model: Everything.model, at: .temporary(path), options: options)
            let other = container.newContext()
            for label in ["a", "b"] { _ = Node(in: other, label: label) }
            try other.save()
            try body(container.newContext(), other)
        }
    }

    private func labels(_ context: ManagedObjectContext) throws -> [String] {
        try context.fetch(Node.fetchRequest()).map(\.label)
    }

    @Test func `a pinned context and the row cache keep out of each other's way`() throws {
        try withContexts { pinned, other in
            try pinned.setQueryGeneration(.current)
            let node = try #require(try pinned.fetch(Node.fetchRequest()).first)
            let theirs: Node = try other.get(node.objectID)
            theirs.label = "new"
            try other.save()
            // Leaves the new row in the row cache.
            other.refresh(theirs, mergeChanges: false)
            pinned.refresh(node, mergeChanges: false)
            #expect(node.label == "a")
            pinned.refresh(node, mergeChanges: false)
            #expect(theirs.label == "new")
            other.refresh(theirs, mergeChanges: false)
            _ = try pinned.fetch(Node.fetchRequest())
            #expect(theirs.label == "new")
        }
    }

    @Test func `a state ends after its time`() throws {
        var options = StoreOptions()
        options.queryGenerationLifetime = .milliseconds(20)
        try withContexts(options) { pinned, other in
            try pinned.setQueryGeneration(.current)
            #expect(try labels(pinned) == ["a", "b"])
            Thread.sleep(forTimeInterval: 0.05)
            let error = #expect(throws: QueryGenerationExpired.self) { try labels(pinned) }
            try #expect("\(#require(error))".contains("longer than"))
            try pinned.setQueryGeneration(.current)
            #expect(try labels(pinned) == ["a", "b"])
        }
    }

    @Test(.onSQLite("A server has no log that grows."))
    func `a state ends when too much is saved meanwhile, and the log shrinks`() throws {
        var options = StoreOptions()
        options.queryGenerationLogSize = 100_000
        try withContexts(options) { pinned, other in
            try pinned.setQueryGeneration(.current)
            #expect(try labels(pinned) == ["a", "b"])
            for index in 0..<5_000 { _ = Node(in: other, label: "node number \(index)") }
            try other.save()
            let error = #expect(throws: QueryGenerationExpired.self) { try labels(pinned) }
            try #expect("\(#require(error))".contains("saved more than"))
        }
    }

    @Test func `a large value of the past can be read as long as somebody reads the past`() throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Widened.model, at: .temporary(path))
            let other = container.newContext()
            let large = Data(repeating: 1, count: 200_000)
            let customer = other.makeCustomer("Ann")
            customer.photo = large
            try other.save()
            let pinned = container.newContext()
            try pinned.setQueryGeneration(.current)
            #expect(try pinned.count(for: FetchRequest<Customer>()) == 1)
            customer.photo = Data(repeating: 2, count: 200_000)
            try other.save()
            func files() throws -> Int {
                let url = URL(filePath: path)
                let folder = url.deletingLastPathComponent()
                    .appending(path: ".\(url.lastPathComponent).external")
                return try FileManager.default.contentsOfDirectory(atPath: folder.path()).count
            }
            let past: Customer = try pinned.get(customer.objectID)
            #expect(past.photo == large)
            if StoreKind.isSQLite { #expect(try files() == 3) }
            try pinned.setQueryGeneration(.unpinned)
            if StoreKind.isSQLite { #expect(try files() == 1) }
        }
    }
}
