@testable import Cambium
@testable import CambiumSQLiteStore
import CambiumSQLite
import EverythingModel
import Foundation
import Synchronization
import Testing

/// Contexts that hear of what others write to their store's file.
@MainActor
@Suite(.onSQLite("A store on a server is not followed yet."))
struct FollowingTests {
    @Test(arguments: [HistoryTracking.properties, .asStored])
    func `a context takes over what another container saves`(
        _ tracking: HistoryTracking
    ) async throws {
        try await withFollower(tracking) { container, theirs, _ in
            let node = Node(in: theirs, label: "a")
            try theirs.save()
            let mine = try container.viewContext.get(node.objectID, as: Node.self)
            #expect(mine.label == "a")
            node.label = "b"
            try theirs.save()
            try await eventually { mine.label == "b" }
            #expect(mine.label == "b")
        }
    }

    @Test func `a store is followed through a link`() async throws {
        let path = try makeStorePath()
        let link = path + "-link"
        defer {
            removeStore(path)
            try? FileManager.default.removeItem(atPath: link)
        }
        let theirs = try PersistentContainer(model: Everything.model, at: .temporary(path))
            .newContext()
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        let container = try openHistory(
            at: .file(link), .properties, Everything.model, follows: true)
        let node = Node(in: theirs, label: "a")
        try theirs.save()
        let mine = try container.viewContext.get(node.objectID, as: Node.self)
        #expect(mine.label == "a")
        node.label = "b"
        try theirs.save()
        try await eventually { mine.label == "b" }
        #expect(mine.label == "b")
    }

    @Test func `a controller follows what comes, changes and goes, each once`() async throws {
        try await withFollower { container, theirs, _ in
            let controller = FetchedResultsController(
                Node.fetchRequest().sorted(by: Node.label), in: container.viewContext)
            try controller.performFetch()
            let mirror = MirrorDelegate(controller)
            controller.delegate = mirror
            var nodes: [Node] = []
            for number in 0..<5 {
                nodes.append(Node(in: theirs, label: "\(number)"))
                try theirs.save()
            }
            nodes[2].label = "x"
            theirs.delete(nodes[0])
            try theirs.save()
            try await eventually {
                controller.fetchedObjects?.map(\.label) == ["1", "3", "4", "x"]
            }
            #expect(controller.fetchedObjects?.map(\.label) == ["1", "3", "4", "x"])
            let faults = mirror.faults
            #expect(faults == [])
        }
    }

    @Test func `an observer hears of it, and no more when its token goes`() async throws {
        try await withFollower { container, theirs, _ in
            let stores = Mutex<[UUID]>([])
            let token = container.coordinator.observeRemoteChanges { change in
                stores.withLock { $0.append(change.storeIdentifier) }
            }
            var changes = container.coordinator.remoteChanges.makeAsyncIterator()
            _ = Node(in: theirs)
            try theirs.save()
            _ = await changes.next(isolation: #isolation)
            let store = try #require(container.coordinator.persistentStores.first)
            #expect(stores.withLock { $0 }.last == store.identifier)
            token.cancel()
            let count = stores.withLock { $0.count }
            _ = Node(in: theirs)
            try theirs.save()
            _ = await changes.next(isolation: #isolation)
            #expect(stores.withLock { $0.count } == count)
        }
    }

    @Test func `it is told of with the place in the history`() async throws {
        try await withFollower { container, theirs, _ in
            var changes = container.coordinator.remoteChanges.makeAsyncIterator()
            _ = Node(in: theirs)
            try theirs.save()
            let change = try #require(await changes.next(isolation: #isolation))
            #expect(change.isComplete)
            try #expect(change.token == container.historyToken)
        }
    }

    @Test func `without a history it is told of, and that nobody knows what`() async throws {
        try await withFollower(.asStored) { container, theirs, _ in
            var changes = container.coordinator.remoteChanges.makeAsyncIterator()
            _ = Node(in: theirs)
            try theirs.save()
            let change = try #require(await changes.next(isolation: #isolation))
            #expect(!change.isComplete)
            #expect(change.token == nil)
        }
    }

    @Test func `what a program without Cambium writes is followed`() async throws {
        try await withFollower { container, theirs, path in
            let node = Node(in: theirs, label: "a")
            try theirs.save()
            let mine = try container.viewContext.get(node.objectID, as: Node.self)
            #expect(mine.label == "a")
            try execute("UPDATE Node SET label = 'sql', _version = _version + 1", in: path)
            try await eventually { mine.label == "sql" }
            #expect(mine.label == "sql")
        }
    }

    @Test func `a row that a program without Cambium replaces is read again`() async throws {
        try await withFollower { container, theirs, path in
            let node = Node(in: theirs, label: "a", number: 7)
            try theirs.save()
            let mine = try container.viewContext.get(node.objectID, as: Node.self)
            #expect(mine.label == "a")
            try execute(
                """
                REPLACE INTO Node (_id, _version, label, number)
                SELECT _id, _version + 1, 'r', number FROM Node
                """, in: path)
            try await eventually { mine.label == "r" }
            #expect(mine.label == "r")
            #expect(mine.number == 7)
        }
    }

    @Test func `observers are told of updated objects as refreshed`() async throws {
        try await withFollower { container, theirs, _ in
            let context = container.viewContext
            var told: [ObjectsDidChange] = []
            var merged: Set<ObjectID> = []
            let observations = [
                context.observe(.objectsDidChange) { told.append($0) },
                context.observe(.didMergeChangesObjectIDs) { merged.formUnion($0.refreshed) },
            ]
            let node = Node(in: theirs, label: "a")
            try theirs.save()
            try await eventually { !told.isEmpty }
            let mine = try context.get(node.objectID, as: Node.self)
            #expect(mine.label == "a" && told.map(\.inserted) == [[mine]])
            node.label = "b"
            try theirs.save()
            try await eventually { mine.label == "b" }
            #expect(told.map(\.refreshed) == [[], [mine]])
            #expect(merged == [node.objectID])
            withExtendedLifetime(observations) {}
        }
    }

    @Test func `own saves are not told of again`() async throws {
        try await withFollower { container, theirs, _ in
            let context = container.viewContext
            var merged: [Set<ObjectID>] = []
            let observation = context.observe(.didMergeChangesObjectIDs) { ids in
                merged.append(ids.inserted.union(ids.updated).union(ids.deleted))
            }
            let node = Node(in: context, label: "mine")
            try context.save()
            let other = Node(in: theirs, label: "theirs")
            try theirs.save()
            let id = other.objectID
            // Asked for, so that the context has it and is told of it.
            let seen = try context.get(id, as: Node.self)
            other.label = "changed"
            try theirs.save()
            try await eventually { seen.label == "changed" }
            #expect(!merged.contains { $0.contains(node.objectID) })
            withExtendedLifetime(observation) {}
        }
    }

    /// The file is not watched: the follower looks when it is told to.
    @Test func `own saves are no news where others commit and change no object`() throws {
        try withStoreFile { path in
            let container = try openHistory(at: .temporary(path), .properties, Everything.model)
            let coordinator = container.coordinator
            let persistentStore = try #require(coordinator.persistentStores.first)
            let store = try #require(persistentStore.store as? SQLiteEngine)
            let follower = try RemoteFollower(store, coordinator)
            let told = Mutex<[Bool]>([])
            let observation = coordinator.observeRemoteChanges { change in
                told.withLock { $0.append(change.isComplete) }
            }
            // It does not know the history yet.
            follower.follow()
            #expect(told.withLock { $0 } == [false])
            _ = Node(in: container.viewContext, label: "mine")
            try container.viewContext.save()
            // What leaves every byte as it was, SQLite does not write, and nobody sees a commit.
            try execute("INSERT INTO _metadata (name, value) VALUES ('note', 'theirs')", in: path)
            follower.follow()
            #expect(told.withLock { $0 } == [false])
            let theirs = try PersistentContainer(model: Everything.model, at: .temporary(path))
            _ = Node(in: theirs.viewContext, label: "theirs")
            try theirs.viewContext.save()
            follower.follow()
            #expect(told.withLock { $0 } == [false, true])
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `what others purged before it was seen makes contexts read everything anew`()
        async throws
    {
        try await withFollower { container, theirs, path in
            let node = Node(in: theirs, label: "a")
            try theirs.save()
            let mine = try container.viewContext.get(node.objectID, as: Node.self)
            #expect(mine.label == "a")
            let other = try Connection(path: path)
            try other.execute(
                """
                BEGIN IMMEDIATE; UPDATE Node SET label = 'b', _version = _version + 1;
                DELETE FROM _history_changes; DELETE FROM _history_transactions;
                INSERT INTO _history_changes (number, kind, entity, key) VALUES (90, 1, 'Node', 1);
                INSERT INTO _history_transactions (last, first, number, date)
                VALUES (90, 91, 50, 0); COMMIT
                """)
            try await eventually { mine.label == "b" }
            #expect(mine.label == "b")
        }
    }

    @Test func `one element waits for whoever did not ask, and says what all of them say`()
        async throws
    {
        try await withFollower { container, theirs, path in
            let changes = container.coordinator.remoteChanges
            let mine = Node(in: container.viewContext, label: "mine")
            try container.viewContext.save()
            let node = try theirs.get(mine.objectID, as: Node.self)
            for label in ["a", "b", "c"] {
                node.label = label
                try theirs.save()
                try await eventually { mine.label == label }
                #expect(mine.label == label)
                _ = try openHistory(at: .temporary(path), .off, Everything.model)
            }
            // Of the first save contexts knew all, and of those that followed nothing.
            var iterator = changes.makeAsyncIterator()
            let change = try #require(await iterator.next(isolation: #isolation))
            #expect(!change.isComplete)
            #expect(change.token == nil)
        }
    }

    #if os(Linux)
        @Test func `a closed store leaves no file open`() async throws {
            let path = try makeStorePath()
            defer { removeStore(path) }
            let folder = URL(filePath: path).deletingLastPathComponent().lastPathComponent
            func openFiles() throws -> Int { try openDescriptors { $0.contains(folder) } }
            let container = try openHistory(
                at: .temporary(path), .properties, Everything.model, follows: true)
            _ = Node(in: container.viewContext)
            try container.viewContext.save()
            #expect(try openFiles() > 0)
            let store = try #require(container.coordinator.persistentStores.first)
            try container.coordinator.remove(store)
            try await eventually { try openFiles() == 0 }
            #expect(try openFiles() == 0)
        }
    #endif

    @Test func `a closed store is followed no more`() async throws {
        try await withFollower { container, theirs, _ in
            let changes = container.coordinator.remoteChanges
            let store = try #require(container.coordinator.persistentStores.first)
            try container.coordinator.remove(store)
            _ = Node(in: theirs)
            try theirs.save()
            let told = Task {
                for await _ in changes { return true }
                return false
            }
            try await Task.sleep(for: .milliseconds(30))
            told.cancel()
            #expect(await told.value == false)
        }
    }
}
