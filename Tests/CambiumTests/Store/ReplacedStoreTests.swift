import Cambium
import CambiumSQLite
import EverythingModel
import Foundation
import Testing

/// A store whose files another program deletes or replaces while it is open.
@Suite(.onSQLite("They are about files."))
struct ReplacedStoreTests {
    private let files = FileManager.default

    private func withStore(
        _ body: (String, PersistentContainer, ManagedObjectContext) throws -> Void
    ) throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Everything.model, at: .temporary(path))
            let context = container.newContext()
            _ = Node(in: context, label: "saved")
            try context.save()
            try body(path, container, context)
        }
    }

    private func expectGone(_ reason: String, _ body: () throws -> Void) throws {
        let error = try #require(throws: StoreError.self) { try body() }
        #expect(error.code == .noStore)
        for part in ["destroyed while it was open", reason, "stay in their contexts"] {
            #expect(error.message.contains(part), "\(part): \(error.message)")
        }
    }

    private func labels(_ path: String) throws -> [String] {
        let container = try PersistentContainer(model: Everything.model, at: .temporary(path))
        return try container.newContext().fetch(Node.fetchRequest()).map(\.label).sorted()
    }

    @Test func `changes stay in the context until the file is back`() throws {
        try withStore { path, container, context in
            let node = Node(in: context, label: "unsaved")
            try files.moveItem(atPath: path, toPath: path + ".away")
            for _ in 1...2 {
                try expectGone("deleted or moved") { try context.save() }
                #expect(context.insertedObjects == [node])
                #expect(context.hasChanges)
            }
            try files.moveItem(atPath: path + ".away", toPath: path)
            try context.save()
            #expect(!context.hasChanges)
            #expect(try labels(path) == ["saved", "unsaved"])
        }
    }

    @Test func `every way to write is refused`() throws {
        try withStore { path, container, context in
            try files.moveItem(atPath: path, toPath: path + ".away")
            try expectGone("deleted or moved") {
                _ = try context.execute(BatchDeleteRequest<Node>())
            }
            try expectGone("deleted or moved") {
                let rows = BatchInsertRequest<Node>(objects: [["label": .string("a")]])
                _ = try context.execute(rows)
            }
            let store = try #require(container.coordinator.persistentStores.first)
            container.coordinator.setMetadata(["a": "b"], for: store)
            try expectGone("deleted or moved") { try context.save() }
            try expectGone("deleted or moved") {
                try container.coordinator.backUp(store, to: path + ".copy")
            }
        }
    }

    @Test(arguments: [false, true])
    func `a file that replaces another one is not damaged`(_ isOverwritten: Bool) throws {
        try withStoreFile { path in
            let other = path + ".other"
            do {
                let container = try PersistentContainer(model: Everything.model, at: .file(other))
                let context = container.newContext()
                for index in 0..<50 { _ = Node(in: context, label: "theirs \(index)") }
                try context.save()
            }
            try withStore { path, container, context in
                if isOverwritten {
                    let handle = try FileHandle(forWritingTo: URL(filePath: path))
                    try handle.truncate(atOffset: 0)
                    try handle.write(contentsOf: Data(contentsOf: URL(filePath: other)))
                    try handle.close()
                } else {
                    try files.removeItem(atPath: path)
                    try files.copyItem(atPath: other, toPath: path)
                }
                _ = Node(in: context, label: "unsaved")
                let reason = isOverwritten ? "overwritten" : "another file"
                try expectGone(reason) { try context.save() }
                let store = try #require(container.coordinator.persistentStores.first)
                try container.coordinator.remove(store)
                #expect(try rows("PRAGMA integrity_check", in: path) == [[.text("ok")]])
                #expect(try labels(path).count == 50)
                // What is not saved can be saved nowhere else: its keys are the lost store's.
                #expect(context.insertedObjects.count == 1)
                try container.coordinator.addPersistentStore(at: .temporary(path))
                #expect(throws: (any Error).self) { try context.save() }
                #expect(context.insertedObjects.count == 1)
            }
        }
    }

    @Test func `a new reader does not read another file`() throws {
        try withStore { path, container, context in
            try files.moveItem(atPath: path, toPath: path + ".away")
            try files.copyItem(atPath: path + ".away", toPath: path)
            try expectGone("another file") { _ = try context.count(for: Node.fetchRequest()) }
        }
    }
}
