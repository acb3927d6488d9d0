import Cambium
import CambiumCustomStores
import CambiumEngineSpecification
import EverythingModel
import Foundation
import Testing

/// What is particular to stores of the program's own. Their general behaviour is tested wherever
/// tests run on every kind of store.
struct CustomStoreTests {
    @Test func `a row reads back what it wrote, also decimals of 39 digits and durations`() throws {
        let digits = "340282366920938463463374607431768211455"
        let node = StoreNode(
            entityName: "A", key: 1, version: 1,
            values: [
                "exact": .decimal(try #require(Decimal(string: digits))),
                "length": .duration(.nanoseconds(Int64.min)), "infinite": .double(.infinity),
                "bytes": .data(Data([0, 255])), "text": .string("null"),
            ])
        let read = try JSONDecoder().decode(
            StoreNode.self, from: try JSONEncoder().encode(node))
        #expect(read.values == node.values)
    }

    private func withJSON(
        _ body: (String, () throws -> ManagedObjectContext) throws -> Void
    ) throws {
        try withStoreFile { path in
            try body(path) {
                let coordinator = PersistentStoreCoordinator(model: Everything.model)
                try coordinator.addPersistentStore(with: StoreKind.json.description(path: path))
                return coordinator.newContext()
            }
        }
    }

    private func withDictionary(
        _ body: (DictionaryStore, PersistentStoreCoordinator) throws -> Void
    ) throws {
        let store = DictionaryStore()
        let coordinator = PersistentStoreCoordinator(model: Everything.model)
        try coordinator.addPersistentStore(type: store.type, at: .temporary)
        try body(store, coordinator)
    }

    // MARK: Atomic

    @Test func `a file that an atomic store cannot read is no store`() throws {
        try withJSON { path, open in
            try "{".write(toFile: path, atomically: true, encoding: .utf8)
            let error = #expect(throws: StoreLoadingError.self) { try open() }
            #expect(error?.store.type == JSONStore.type)
            #expect(error?.underlying is DecodingError)
        }
    }

    @Test func `an atomic store of another version is refused`() throws {
        try withJSON { path, open in
            let content = StoreContent(
                identifier: UUID(), modelName: "Everything", modelVersion: "0",
                versionHash: "another")
            try JSONEncoder().encode(content).write(to: URL(filePath: path))
            let error = #expect(throws: StoreLoadingError.self) { try open() }
            try #expect("\(#require(error))".contains("version 0"))
        }
    }

    @Test func `a save that an atomic store cannot write changes nothing`() throws {
        try withJSON { path, open in
            let context = try open()
            let node = Node(in: context, label: "a")
            try context.save()
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false)
            node.label = "b"
            #expect(throws: (any Error).self) { try context.save() }
            #expect(node.isUpdated && node.label == "b")
            let reader = context.coordinator.newContext()
            #expect(try reader.fetch(Node.fetchRequest()).map(\.label) == ["a"])
            try FileManager.default.removeItem(atPath: path)
            try context.save()
            #expect(try open().fetch(Node.fetchRequest()).map(\.label) == ["b"])
        }
    }

    @Test func `derived attributes are refused by a store of the program's own`() throws {
        let error = #expect(throws: StoreLoadingError.self) {
            try PersistentStoreCoordinator(model: Widened.model)
                .addPersistentStore(type: JSONStore.type, at: .temporary)
        }
        try #expect("\(#require(error))".contains("Customer.nameLength is derived"))
    }

    // MARK: Incremental

    @Test func `rule 26: a save without changes sends an incremental store an empty request`()
        throws
    {
        try withDictionary { store, coordinator in
            let context = coordinator.newContext()
            try context.save()
            #expect(store.contents.withLock { $0.saves.map(\.isEmpty) } == [true])
            let node = Node(in: context, label: "a")
            try context.save()
            node.label = "b"
            try context.save()
            context.delete(node)
            try context.save()
            let saves = store.contents.withLock { $0.saves }
            #expect(saves.map(\.inserted.count) == [0, 1, 0, 0])
            #expect(saves.map(\.updated.count) == [0, 0, 1, 0])
            #expect(saves.map(\.deleted.count) == [0, 0, 0, 1])
            #expect(saves[2].updated[0].values["label"] == .string("b"))
            #expect(saves[2].updated[0].version == 2)
        }
    }

    @Test func `an incremental store is told which rows must be as they were`() throws {
        try withDictionary { store, coordinator in
            let context = coordinator.newContext()
            let (node, other) = (Node(in: context, label: "a"), Node(in: context, label: "b"))
            try context.save()
            context.detectConflicts(for: node)
            other.label = "c"
            try context.save()
            let request = try #require(store.contents.withLock { $0.saves.last })
            #expect(request.locked.map(\.key) == [node.objectID.key])
            #expect(request.updated.map(\.key) == [other.objectID.key])
        }
    }

    @Test func `an incremental store is asked for keys where they are known`() throws {
        try withDictionary { store, coordinator in
            let context = coordinator.newContext()
            let node = Node(in: context, label: "a")
            try context.save()
            let key = node.objectID.key
            store.contents.withLock { $0.requests = [] }
            let reader = coordinator.newContext()
            let same: Node = try reader.get(node.objectID)
            #expect(same.label == "a")
            _ = try reader.fetch(Node.fetchRequest().filter(Node.label == "a"))
            #expect(store.contents.withLock { $0.requests } == ["Node [\(key)]", "Node where"])
        }
    }

    @Test func `what an incremental store returns too much is left out`() throws {
        try withDictionary { _, coordinator in
            let context = coordinator.newContext()
            for number in 0..<10 {
                _ = Node(in: context, label: "\(number % 3)", number: Int64(number))
            }
            try context.save()
            let reader = coordinator.newContext()
            let request = Node.fetchRequest().filter(Node.number >= 4)
                .sorted(by: Node.label.descending, Node.number.ascending).offset(1).limit(3)
            #expect(try reader.fetch(request).map(\.number) == [8, 4, 7])
            #expect(try reader.count(for: Node.fetchRequest().filter(Node.number < 4)) == 4)
        }
    }

    @Test func `what an incremental store throws comes to who asked`() throws {
        try withDictionary { store, coordinator in
            let context = coordinator.newContext()
            let node = Node(in: context, label: "a")
            try context.save()
            node.label = "b"
            store.contents.withLock { $0.isFailing = true }
            #expect(throws: DictionaryStore.Failure.self) { try context.save() }
            #expect(throws: DictionaryStore.Failure.self) {
                try coordinator.newContext().fetch(Node.fetchRequest())
            }
            store.contents.withLock { $0.isFailing = false }
            #expect(node.isUpdated)
            try context.save()
            #expect(try coordinator.newContext().fetch(Node.fetchRequest()).map(\.label) == ["b"])
        }
    }

    @Test func `a row that the model cannot have is an error and no crash`() throws {
        try withDictionary { store, coordinator in
            store.contents.withLock { contents in
                contents.nodes["Node"] = [
                    7: StoreNode(
                        entityName: "Node", key: 7, version: 1, values: ["label": .int(1)])
                ]
                contents.nodes["Box"] = [
                    8: StoreNode(entityName: "Nothing", key: 8, version: 1)
                ]
            }
            for _ in 0..<2 {
                let context = coordinator.newContext()
                let node = #expect(throws: StoreError.self) {
                    try context.fetch(Node.fetchRequest())
                }
                #expect(node?.code == .corrupt)
                let box = #expect(throws: StoreError.self) {
                    try context.fetch(Box.fetchRequest())
                }
                #expect(box?.code == .corrupt)
            }
        }
    }

    // MARK: Beside other stores

    @Test func `a custom store is the last to write beside SQLite's`() throws {
        let store = DictionaryStore()
        let coordinator = PersistentStoreCoordinator(model: Library.model)
        try coordinator.addPersistentStore(
            type: store.type, configuration: "Visits", at: .temporary)
        try coordinator.addPersistentStore(configuration: "Catalogue", at: .temporary)
        let context = coordinator.newContext()
        let author = Author(in: context, name: "Ada")
        _ = Book(in: context, title: "taken", author: author)
        try context.save()
        // What SQLite refuses does not reach the custom store …
        let book = Book(in: context, title: "taken", author: author)
        _ = Visitor(in: context, name: "V")
        #expect(throws: (any Error).self) { try context.save() }
        #expect(store.contents.withLock { $0.nodes.isEmpty })
        // … and what that refuses is taken back by SQLite.
        book.title = "new"
        store.contents.withLock { $0.isFailing = true }
        #expect(throws: DictionaryStore.Failure.self) { try context.save() }
        #expect(try coordinator.newContext().count(for: Book.fetchRequest()) == 1)
        store.contents.withLock { $0.isFailing = false }
        try context.save()
        #expect(try coordinator.newContext().count(for: Book.fetchRequest()) == 2)
        #expect(try coordinator.newContext().count(for: Visitor.fetchRequest()) == 1)
    }
}
