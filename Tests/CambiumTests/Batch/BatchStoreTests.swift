import Cambium
import CambiumEngineSpecification
import EverythingModel
import Foundation
import Testing

/// Batch work on stores that cannot do it.
struct BatchStoreTests {
    private func expectError(
        _ code: StoreError.Code, _ context: ManagedObjectContext,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        func check(_ work: () throws -> BatchResult) {
            let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation) {
                try work()
            }
            #expect(error?.code == code, sourceLocation: sourceLocation)
        }
        check { try context.execute(BatchInsertRequest<Node>(0..<1) { _, _ in }) }
        check { try context.execute(BatchUpdateRequest<Node>().set(Node.number, to: 1)) }
        check { try context.execute(BatchDeleteRequest<Node>()) }
    }

    @Test func `a store that is read only, and one that is not there, refuse batch work`() throws {
        try withStoreFile { path in
            _ = try PersistentContainer(model: Everything.model, at: .temporary(path))
            var options = StoreOptions()
            options.isReadOnly = true
            let container = try PersistentContainer(
                model: Everything.model, at: .temporary(path), options: options)
            expectError(.readOnly, container.newContext())
        }
        let coordinator = PersistentStoreCoordinator(model: Everything.model)
        expectError(.noStore, coordinator.newContext())
    }

    @Test func `a context that reads an older state writes the latest, and goes on to it`() throws {
        try withContainer(Everything.model, on: .lasting) { container in
            let context = container.newContext()
            let node = Node(in: context, label: "a")
            try context.save()
            try context.setQueryGeneration(.current)
            try #expect(context.count(for: Node.fetchRequest()) == 1)
            let other = container.newContext()
            _ = Node(in: other, label: "b")
            try other.save()
            try #expect(context.count(for: Node.fetchRequest()) == 1)
            let update = BatchUpdateRequest<Node>().set(Node.label, to: "c")
            try #expect(context.execute(update).count == 2)
            #expect(node.label == "c")
            try #expect(context.count(for: Node.fetchRequest()) == 2)
        }
    }

    @Test func `each entity's rows are in the store that holds it`() throws {
        let coordinator = PersistentStoreCoordinator(model: Library.model)
        try coordinator.addPersistentStore(configuration: "Catalogue", at: .temporary)
        try coordinator.addPersistentStore(configuration: "Visits", at: .temporary)
        let context = coordinator.newContext()
        try context.execute(
            BatchInsertRequest<Visitor>(0..<2) { visitor, number in visitor.name = "\(number)" })
        try context.execute(
            BatchInsertRequest<Author>(0..<3) { author, number in author.name = "\(number)" })
        try #expect(context.count(for: Visitor.fetchRequest()) == 2)
        try #expect(context.execute(BatchDeleteRequest<Author>()).count == 3)
        try #expect(context.count(for: Visitor.fetchRequest()) == 2)
    }
}
