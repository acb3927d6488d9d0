import Cambium
import EverythingModel
import Testing

struct ReadOnlyTests {
    private func withReadOnlyContainer(
        _ body: (PersistentContainer) throws -> Void
    ) throws {
        try withStoreFile { path in
            let writer = try PersistentContainer(model: Everything.model, at: .file(path))
            let context = writer.newContext()
            _ = Node(in: context, label: "a")
            try context.save()
            var options = StoreOptions()
            options.isReadOnly = true
            try body(
                PersistentContainer(model: Everything.model, at: .file(path), options: options))
        }
    }

    @Test func `a read-only store is read`() throws {
        try withReadOnlyContainer { container in
            try #expect(container.newContext().fetch(Node.fetchRequest()).map(\.label) == ["a"])
        }
    }

    @Test func `a change of a read-only store is refused by the save`() throws {
        try withReadOnlyContainer { container in
            let context = container.newContext()
            let node = try #require(try context.fetch(Node.fetchRequest()).first)
            node.label = "b"
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.code == .readOnly)
            #expect(node.label == "b")
        }
    }

    @Test func `a new object in a read-only store is refused by the save`() throws {
        try withReadOnlyContainer { container in
            let context = container.newContext()
            _ = Node(in: context)
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.code == .readOnly)
        }
    }

    @Test func `a read-only store that is not there is an error`() throws {
        try withStoreFile { path in
            var options = StoreOptions()
            options.isReadOnly = true
            #expect(throws: SQLiteError.self) {
                try PersistentContainer(model: Everything.model, at: .file(path), options: options)
            }
        }
    }
}
