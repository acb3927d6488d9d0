import Cambium
import EverythingModel
import Testing

struct ReadOnlyTests {
    private func withReadOnlyContainer(
        _ body: (PersistentContainer) throws -> Void
    ) throws {
        try withStoreFile { path in
            let writer = try PersistentContainer(model: Everything.model, at: .temporary(path))
            let context = writer.newContext()
            _ = Node(in: context, label: "a")
            try context.save()
            var options = StoreOptions()
            options.isReadOnly = true
            try body(
                PersistentContainer(model: Everything.model, at: .temporary(path), options: options)
            )
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
            let error = expectOpening(throws: StoreError.self) {
                try PersistentContainer(
                    model: Everything.model, at: .temporary(path), options: options)
            }
            #expect(error?.code == .cannotOpen)
        }
    }

    // MARK: Contexts

    @Test func `a context for reading only follows others and saves nothing`() throws {
        try withContainer(Everything.model) { container in
            let (view, writer) = (container.newContext(), container.newContext())
            view.isReadOnly = true
            view.automaticallyMergesChangesFromParent = true
            view.name = "view"
            let node = Node(in: writer, label: "a")
            try writer.save()
            let same = try view.get(node.objectID, as: Node.self)
            try view.save()
            same.label = "b"
            let told = Log()
            let token = view.observe(.willSave) { _ in told.append("willSave") }
            let error = #expect(throws: StoreError.self) { try view.save() }
            #expect(error?.code == .readOnly)
            try #expect("\(#require(error))".contains("context view"))
            #expect(told.entries.isEmpty)
            #expect(same.label == "b" && same.isUpdated)
            view.rollback()
            #expect(same.label == "a")
            node.label = "c"
            try writer.save()
            try view.save()
            #expect(same.label == "c")
            withExtendedLifetime(token) {}
        }
    }

    @Test func `what children, batch operations and imports do is refused too`() throws {
        try withContainer(Everything.model) { container in
            let view = container.newContext()
            let child = view.newChildContext()
            view.isReadOnly = true
            func refuses(_ body: () throws -> Void) {
                #expect(throws: StoreError.self) { try body() }
            }
            _ = Node(in: child, label: "a")
            refuses { try child.save() }
            #expect(!view.hasChanges && child.hasChanges)
            refuses { _ = try view.execute(BatchDeleteRequest(Node.fetchRequest())) }
            refuses { _ = try view.execute(BatchInsertRequest<Node>(objects: [[:]])) }
            refuses { try view.importing("{}", "Node") }
            let count = try container.newContext().count(for: Node.fetchRequest())
            #expect(count == 0)
        }
    }
}
