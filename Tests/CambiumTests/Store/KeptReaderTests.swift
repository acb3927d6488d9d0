@testable import Cambium
@testable import CambiumSQLiteStore
import CambiumSQLite
import EverythingModel
import Testing

/// Faults that fire one after the other share a transaction for reading; whoever must see a commit
/// does so all the same.
@Suite(.onSQLite("They are about a transaction that a file is read in."))
struct KeptReaderTests {
    /// Nodes in a store, and a context that has just fired so many faults that a transaction is
    /// open for those that follow.
    private func withManyFaults(
        _ body: (
            _ context: ManagedObjectContext, _ left: ObjectID, _ path: String
        ) throws -> Void
    ) throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Everything.model, at: .temporary(path))
            let maker = container.newContext()
            let ids = try (0..<200).map { number in
                try maker.insert(Node.self) { $0.label = "node \(number)" }.objectID
            }
            try maker.save()
            let context = container.newContext()
            for id in ids.dropLast() {
                #expect((context.object(with: id) as? Node)?.label.hasPrefix("node") == true)
            }
            let last = try #require(ids.last)
            try body(context, last, path)
        }
    }

    private func change(_ id: ObjectID, in context: ManagedObjectContext) throws {
        let node = try #require(try context.existingObject(with: id) as? Node)
        node.label = "changed"
        try context.save()
    }

    private func label(_ id: ObjectID, in context: ManagedObjectContext) throws -> String {
        try #require(context.object(with: id) as? Node).label
    }

    @Test func `what another context saves shows at once`() throws {
        try withManyFaults { context, left, _ in
            let sibling = ManagedObjectContext(
                coordinator: context.coordinator, mergesAutomatically: true)
            try change(left, in: sibling)
            // What is read must come from the store.
            context.coordinator.rowCache.removeAll()
            #expect(try label(left, in: context) == "changed")
        }
    }

    @Test func `what another process has changed shows once the context is told`() throws {
        try withManyFaults { context, left, path in
            let others = try PersistentContainer(model: Everything.model, at: .temporary(path))
            try change(left, in: others.newContext())
            ManagedObjectContext.mergeChanges(
                fromRemoteContextSave: RemoteChanges(updated: [left]), into: [context])
            #expect(try label(left, in: context) == "changed")
        }
    }

    @Test func `a connection that was kept comes back as it was`() throws {
        try withManyFaults { context, left, path in
            let store = try #require(context.coordinator.table.store(ofRoot: 0) as? SQLiteEngine)
            let readers = try #require(store.readers)
            #expect(try label(left, in: context) == "node 199")
            readers.releaseLock()
            try readers.withReader { connection in
                #expect(!connection.isInTransaction)
                let size = try connection.rows("PRAGMA cache_size")
                #expect(size == [[.integer(-12288)]])
            }
            readers.close()
            #expect(throws: StoreError.self) { try readers.withReader { _ in 0 } }
        }
    }

    @Test func `without a row cache nothing old is read`() throws {
        try withManyFaults { context, left, path in
            context.stalenessInterval = 0
            let others = try PersistentContainer(model: Everything.model, at: .temporary(path))
            try change(left, in: others.newContext())
            #expect(try label(left, in: context) == "changed")
        }
    }

    @Test func `what another process has changed shows after a moment`() throws {
        try withManyFaults { context, left, path in
            let others = try PersistentContainer(model: Everything.model, at: .temporary(path))
            try change(left, in: others.newContext())
            let end = ContinuousClock.now + .seconds(20)
            while try label(left, in: context) != "changed", ContinuousClock.now < end {
                context.coordinator.rowCache.removeAll()
                context.refresh(context.object(with: left), mergeChanges: false)
                context.coordinator.rowCache.removeAll()
            }
            #expect(try label(left, in: context) == "changed")
        }
    }
}
