import Cambium
import CambiumCustomStores
import CambiumEngineSpecification
import Foundation
import Testing

/// What is particular to moving a store to another one, of the same kind or another.
struct StoreMoveTests {
    private static let model = CompiledModel(RandomObjects.model)
    private static let photo = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 * 7) })

    private struct Stack {
        let coordinator: PersistentStoreCoordinator
        let store: PersistentStore
        let context: ManagedObjectContext
        /// Where another store may be.
        let target: String

        func move(
            to kind: StoreKind, options: StoreOptions? = nil
        ) throws -> PersistentStore {
            let description = try kind.description(path: target)
            return try coordinator.migratePersistentStore(
                store, to: description.location, options: options, type: description.type)
        }

        func categories() throws -> [String] {
            try coordinator.newContext().all("Category").map { $0["name"] }
        }
    }

    private func withStack(_ kind: StoreKind, _ body: (Stack) throws -> Void) throws {
        try withStoreFile { path in
            let coordinator = PersistentStoreCoordinator(model: Self.model)
            let store = try coordinator.addPersistentStore(with: kind.description(path: path))
            let context = coordinator.newContext()
            _ = try context.make("Category", ["name": "a"])
            try context.save()
            try body(
                Stack(
                    coordinator: coordinator, store: store, context: context,
                    target: path + ".new"))
        }
    }

    private func files(beside path: String) throws -> [String] {
        let folder = URL(filePath: path).deletingLastPathComponent().path()
        return try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.contains(URL(filePath: path).lastPathComponent) }.sorted()
    }

    private func externalFiles(_ path: String) -> [String] {
        let url = URL(filePath: path)
        let folder = url.deletingLastPathComponent()
            .appending(path: ".\(url.lastPathComponent).external")
        return (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
    }

    // MARK: What moves

    @Test(arguments: TestSize.sample(StoreKind.kinds, oneIn: 2, place: 0), StoreKind.kinds)
    func `identities name the new store and lead to the same objects`(
        _ kind: StoreKind, _ other: StoreKind
    ) throws {
        try withStack(kind) { stack in
            let object = try #require(try stack.context.all("Category").first)
            let former = object.objectID
            let moved = try stack.move(to: other)
            #expect(moved.identifier != stack.store.identifier)
            #expect(object.objectID != former && object.objectID.key == former.key)
            let id = try #require(stack.coordinator.objectID(forURI: object.objectID.uri))
            #expect(id == object.objectID)
            #expect(try stack.context.existingObject(with: id) === object)
            #expect(stack.coordinator.objectID(forURI: former.uri) == nil)
            #expect(stack.coordinator.persistentStore(of: id) == moved)
        }
    }

    @Test(arguments: TestSize.sample(StoreKind.kinds, oneIn: 2, place: 1), StoreKind.kinds)
    func `large values move, also those of objects that are there already`(
        _ kind: StoreKind, _ other: StoreKind
    ) throws {
        try withStack(kind) { stack in
            let article = try stack.context.make("Article", ["sku": "1"])
            try article.setValue(.data(Self.photo), forKey: "photo")
            try stack.context.save()
            let sibling = stack.coordinator.newContext()
            let known = try #require(try sibling.all("Article").first)
            #expect(try known.value(forKey: "photo") == .data(Self.photo))
            _ = try stack.move(to: other)
            #expect(
                externalFiles(stack.target).count == (other == .file && kind != .memory ? 1 : 0))
            for object in [article, known] {
                #expect(try object.value(forKey: "photo") == .data(Self.photo))
            }
            let reader = stack.coordinator.newContext()
            let found = try #require(try reader.all("Article").first)
            #expect(try found.value(forKey: "photo") == .data(Self.photo))
            // And what is changed beside it leaves it as it is.
            known["title"] = "b"
            try sibling.save()
            let last = try #require(try stack.coordinator.newContext().all("Article").first)
            #expect(try last.value(forKey: "photo") == .data(Self.photo))
        }
    }

    @Test(arguments: TestSize.sample(StoreKind.kinds, oneIn: 2, place: 2), StoreKind.kinds)
    func `a store without objects moves with its notes and the keys that it has given`(
        _ kind: StoreKind, _ other: StoreKind
    ) throws {
        try withStack(kind) { stack in
            let object = try #require(try stack.context.all("Category").first)
            stack.context.delete(object)
            try stack.context.save()
            // They wait for a save.
            stack.coordinator.setMetadata(["a": "b"], for: stack.store)
            let moved = try stack.move(to: other)
            #expect(try stack.coordinator.metadata(for: moved).notes == ["a": "b"])
            let context = stack.coordinator.newContext()
            let next = try context.make("Category", ["name": "b"])
            #expect(next.objectID.key > object.objectID.key)
            try context.save()
            #expect(try stack.categories() == ["b"])
        }
    }

    @Test func `a store of a type of its own moves to another place without being told the type`()
        throws
    {
        try withStack(.json) { stack in
            let target = try StoreKind.json.description(path: stack.target)
            let moved = try stack.coordinator.migratePersistentStore(
                stack.store, to: target.location)
            #expect(moved.type == JSONStore.type)
            #expect(try stack.categories() == ["a"])
            let text = try String(contentsOfFile: stack.target, encoding: .utf8)
            #expect(text.contains("\"Category\""))
        }
    }

    @Test(.onSQLite("It is about SQLite in memory."))
    func `a store of the type for memory moves to a file`() throws {
        try withStoreFile { path in
            let coordinator = PersistentStoreCoordinator(model: Self.model)
            let store = try coordinator.addPersistentStore(type: .memory, at: .temporary)
            let context = coordinator.newContext()
            _ = try context.make("Category", ["name": "a"])
            try context.save()
            let moved = try coordinator.migratePersistentStore(store, to: .file(path))
            #expect(moved.type == .sqlite)
            #expect(try rows("SELECT \"name\" FROM \"Category\"", in: path) == [[.text("a")]])
        }
    }

    @Test(.onSQLite("A history moves from SQLite to SQLite alone."))
    func `a history moves from SQLite to SQLite, and the move is none of it`() throws {
        try withStoreFile { path in
            var options = StoreOptions()
            options.history = .values
            let coordinator = PersistentStoreCoordinator(model: Self.model)
            let store = try coordinator.addPersistentStore(at: .temporary(path), options: options)
            let context = coordinator.newContext()
            let article = try context.make("Article", ["sku": "1"])
            try article.setValue(.data(Self.photo), forKey: "photo")
            try context.save()
            try coordinator.migratePersistentStore(store, to: .temporary)
            #expect(try coordinator.fetchHistory(HistoryRequest()).transactions.count == 1)
            article["title"] = "b"
            try context.save()
            let changes = try coordinator.fetchHistory(HistoryRequest()).transactions.map(
                \.changes.count)
            #expect(changes == [1, 1])
        }
    }

    @Test(arguments: [StoreKind.file, .memory])
    func `a history that the new store is to keep begins after the move`(
        _ other: StoreKind
    ) throws {
        try withStack(.json) { stack in
            var options = StoreOptions()
            options.history = .properties
            _ = try stack.move(to: other, options: options)
            #expect(try stack.coordinator.fetchHistory(HistoryRequest()).transactions.isEmpty)
            _ = try stack.context.make("Category", ["name": "b"])
            try stack.context.save()
            #expect(try stack.coordinator.fetchHistory(HistoryRequest()).transactions.count == 1)
        }
    }

    @Test func `only the entities of the store move`() throws {
        try withStoreFile { path in
            let coordinator = PersistentStoreCoordinator(model: Library.model)
            let visits = try coordinator.addPersistentStore(
                type: DictionaryStore().type, configuration: "Visits", at: .temporary)
            let catalogue = try coordinator.addPersistentStore(
                configuration: "Catalogue", at: .temporary)
            let context = coordinator.newContext()
            let author = Author(in: context, name: "Ada")
            _ = Visitor(in: context, name: "V")
            try context.save()
            let target = try StoreKind.lasting.description(path: path)
            let moved = try coordinator.migratePersistentStore(
                visits, to: target.location, type: target.type)
            #expect(coordinator.persistentStores == [moved, catalogue])
            #expect(try rows("SELECT count(*) FROM \"Author\"", in: path) == [[.integer(0)]])
            _ = Book(in: context, title: "b", author: author)
            _ = Visitor(in: context, name: "W")
            try context.save()
            let names = try coordinator.newContext().fetch(Visitor.fetchRequest()).map(\.name)
            #expect(names == ["V", "W"])
        }
    }

    // MARK: What does not

    /// What was refused has changed nothing: the old store is open, and takes a save.
    private func requireUnmoved(_ stack: Stack) throws {
        #expect(stack.coordinator.persistentStores == [stack.store])
        _ = try stack.context.make("Category", ["name": "b"])
        try stack.context.save()
        #expect(try stack.categories() == ["a", "b"])
    }

    @Test(arguments: StoreKind.kinds)
    func `a place that is taken is refused`(_ kind: StoreKind) throws {
        try withStack(kind) { stack in
            try "mine".write(toFile: stack.target, atomically: true, encoding: .utf8)
            let error = #expect(throws: StoreLoadingError.self) { try stack.move(to: .file) }
            #expect(error?.code == .invalidRequest && error?.store.location == .file(stack.target))
            #expect(try String(contentsOfFile: stack.target, encoding: .utf8) == "mine")
            try requireUnmoved(stack)
        }
    }

    @Test(arguments: StoreKind.kinds)
    func `a store of the program's own that has objects is refused`(_ kind: StoreKind) throws {
        try withStack(kind) { stack in
            let other = PersistentStoreCoordinator(model: Self.model)
            try other.addPersistentStore(with: StoreKind.json.description(path: stack.target))
            let context = other.newContext()
            _ = try context.make("Friend", ["name": "f"])
            try context.save()
            let error = #expect(throws: StoreLoadingError.self) { try stack.move(to: .json) }
            try #expect("\(#require(error))".contains("already has objects of Friend"))
            #expect(try other.newContext().all("Category").isEmpty)
            try requireUnmoved(stack)
        }
    }

    @Test(arguments: StoreKind.kinds)
    func `what a store of the program's own throws leaves the old one open`(
        _ kind: StoreKind
    ) throws {
        try withStack(kind) { stack in
            let target = DictionaryStore()
            target.contents.withLock { $0.refusesSaves = true }
            let error = #expect(throws: StoreLoadingError.self) {
                try stack.coordinator.migratePersistentStore(
                    stack.store, to: .temporary, type: target.type)
            }
            #expect(error?.underlying is DictionaryStore.Failure)
            #expect(target.contents.withLock { $0.nodes.isEmpty })
            try requireUnmoved(stack)
        }
    }

    @Test(arguments: [StoreKind.file, .memory])
    func `a row that SQLite refuses leaves nothing new behind`(_ other: StoreKind) throws {
        // One that is linked to an object which is not there, and one of no name.
        let broken = StoreNode(
            entityName: "Category", key: 7, version: 1, values: ["name": .string("")])
        let dangling = StoreNode(
            entityName: "Track", key: 7, version: 1, values: ["title": .string("t")],
            destinations: ["album": StoreReference(entityName: "Album", key: 99)])
        for node in [broken, dangling] {
            let source = DictionaryStore()
            source.contents.withLock { contents in
                contents.nodes[node.entityName] = [node.key: node]
                contents.nodes["Article"] = [
                    1: StoreNode(
                        entityName: "Article", key: 1, version: 1,
                        values: [
                            "sku": .string("1"), "stock": .int(1), "photo": .data(Self.photo),
                        ])
                ]
            }
            try withStoreFile { path in
                let coordinator = PersistentStoreCoordinator(model: Self.model)
                let store = try coordinator.addPersistentStore(type: source.type, at: .temporary)
                let target = try other.description(path: path)
                let error = #expect(throws: StoreLoadingError.self) {
                    try coordinator.migratePersistentStore(
                        store, to: target.location, type: target.type)
                }
                let text = try "\(#require(error))"
                #expect(text.contains(node.entityName), "\(text)")
                #expect(coordinator.persistentStores == [store])
                #expect(try files(beside: path) == [])
                #expect(try coordinator.newContext().all("Article").count == 1)
            }
        }
    }

    @Test(arguments: [StoreKind.memory, .json, .dictionary])
    func `a large value whose file is gone is not lost without a word`(
        _ other: StoreKind
    ) throws {
        try withStack(.file) { stack in
            let article = try stack.context.make("Article", ["sku": "1"])
            try article.setValue(.data(Self.photo), forKey: "photo")
            try stack.context.save()
            let path = try #require(stack.store.location.path)
            let url = URL(filePath: path)
            try FileManager.default.removeItem(
                at: url.deletingLastPathComponent()
                    .appending(path: ".\(url.lastPathComponent).external"))
            #expect(throws: StoreLoadingError.self) { try stack.move(to: other) }
            #expect(try !files(beside: path).contains { $0.hasSuffix(".new") })
            try article.setValue(.null, forKey: "photo")
            try requireUnmoved(stack)
            _ = try stack.move(to: other)
            #expect(try stack.categories() == ["a", "b"])
        }
    }

    @Test(arguments: StoreKind.kinds)
    func `options that cannot be leave no file`(_ kind: StoreKind) throws {
        try withStack(kind) { stack in
            var options = StoreOptions()
            options.pragmas["journal_mode"] = "off"
            #expect(throws: StoreLoadingError.self) {
                try stack.move(to: .file, options: options)
            }
            #expect(try files(beside: stack.target) == [])
            try requireUnmoved(stack)
        }
    }

    @Test func `derived attributes do not move to a store that cannot compute them`() throws {
        try withContainer(Widened.model) { container in
            let store = try #require(container.coordinator.persistentStores.first)
            let error = #expect(throws: StoreLoadingError.self) {
                try container.coordinator.migratePersistentStore(
                    store, to: .temporary, type: JSONStore.type)
            }
            try #expect("\(#require(error))".contains("is derived"))
            #expect(container.coordinator.persistentStores == [store])
        }
    }

    @Test func `a store that is none of the coordinator's is refused`() throws {
        try withStack(.memory) { stack in
            try stack.coordinator.remove(stack.store)
            let error = #expect(throws: StoreError.self) { try stack.move(to: .json) }
            #expect(error?.code == .noStore)
        }
    }

    @Test func `a key beyond which there is none is an error and no crash`() throws {
        try withStoreFile { path in
            let content = StoreContent(
                identifier: UUID(), modelName: Self.model.model.name, modelVersion: "1",
                versionHash: Self.model.model.versionHash,
                nodes: [StoreNode(entityName: "Friend", key: .max, version: 1)])
            try JSONEncoder().encode(content).write(to: URL(filePath: path))
            let error = #expect(throws: StoreLoadingError.self) {
                try PersistentStoreCoordinator(model: Self.model)
                    .addPersistentStore(with: StoreKind.json.description(path: path))
            }
            #expect(error?.code == .notAStore)
        }
    }
}
