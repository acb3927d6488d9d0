import CambiumPostgres
import EverythingModel
import Foundation
import Testing

@testable import CambiumPostgresStore

/// What a save locks nobody changes until its commit.
struct SaveLockTests {
    private struct Stores {
        let schema = PostgresServer.newSchema
        let server: PostgresServer

        func open(_ gate: Gate? = nil) throws -> PersistentContainer {
            // Those without a gate are found by the name.
            var description = server.description(
                schema: schema, applicationName: gate == nil ? schema : nil)
            description.options.statementHook = gate?.hook
            return try PersistentContainer(Everything.model, description)
        }
    }

    @Test(arguments: PostgresServer.some())
    func `an object that a save only looks at stays as it is until the commit`(
        _ server: PostgresServer
    ) throws {
        let stores = Stores(server: server)
        let gate = Gate.beforeCommit
        let (mine, theirs) = (try stores.open(gate), try stores.open())
        let context = mine.newContext()
        _ = Box(in: context, name: "looked at")
        _ = Box(in: context, name: "changed")
        try context.save()
        gate.close()
        let first = SideWork {
            let context = mine.newContext()
            let boxes = try context.fetch(Box.fetchRequest().sorted(by: Box.name))
            context.detectConflicts(for: boxes[1])
            boxes[0].name = "mine"
            try context.save()
        }
        try #require(gate.wait())
        let second = SideWork {
            let context = theirs.newContext()
            try context.fetch(Box.fetchRequest().filter(Box.name == "looked at"))[0].name = "theirs"
            try context.save()
        }
        #expect(try server.isHeld(second, named: stores.schema))
        gate.open()
        try first.join()
        try second.join()
        let names = try stores.open().newContext().fetch(Box.fetchRequest()).map(\.name)
        #expect(names.sorted() == ["mine", "theirs"])
    }

    @Test(arguments: PostgresServer.some())
    func `nobody references an object whose deletion has been decided`(
        _ server: PostgresServer
    ) throws {
        let stores = Stores(server: server)
        // The first transaction meets the change of the box; then its rows are known to be locked.
        let gate = Gate { $0.contains("FOR UPDATE") || $0.contains("FOR KEY SHARE") }
        let (mine, theirs) = (try stores.open(gate), try stores.open())
        let setup = mine.newContext()
        _ = Box(in: setup, name: "box")
        _ = Node(in: setup, number: 1)
        try setup.save()
        let context = theirs.newContext()
        let stale = mine.newContext()
        stale.mergePolicy = .objectTrump
        let box = try stale.fetch(Box.fetchRequest())[0]
        try context.fetch(Box.fetchRequest())[0].name = "changed"
        try context.save()
        stale.delete(box)
        stale.processPendingChanges()
        gate.close()
        let held = HeldContext(context: stale)
        let first = SideWork { try held.context.save() }
        try #require(gate.wait())
        let second = SideWork {
            let context = theirs.newContext()
            context.mergePolicy = .objectTrump
            let node = try context.fetch(Node.fetchRequest())[0]
            node.box = try context.fetch(Box.fetchRequest())[0]
            try context.save()
        }
        #expect(try server.isHeld(second, named: stores.schema))
        gate.open()
        try first.join()
        try second.join()
        let reader = try stores.open().newContext()
        #expect(try reader.count(for: Box.fetchRequest()) == 0)
        #expect(try reader.fetch(Node.fetchRequest()).map(\.box) == [nil])
    }

    @Test(arguments: PostgresServer.some(), [true, false])
    func `a save locks rows in the order of their keys`(
        _ server: PostgresServer, _ deletes: Bool
    ) throws {
        let stores = Stores(server: server)
        let container = try stores.open()
        let setup = container.newContext()
        let boxes = (0..<20).map { Box(in: setup, name: "\($0)") }
        try setup.save()
        // The table has the first row last from now on.
        boxes[0].name = "moved"
        try setup.save()
        let key = boxes[0].objectID.key
        let table = "\"\(stores.schema)\".\"Box\""
        let connection = try server.connect()
        _ = try connection.run("BEGIN")
        _ = try connection.run("SELECT FROM \(table) WHERE \"_id\" = \(key) FOR UPDATE")
        let save = SideWork {
            let context = container.newContext()
            for box in try context.fetch(Box.fetchRequest()).reversed() {
                if deletes { context.delete(box) } else { box.name = "mine" }
            }
            try context.save()
        }
        try server.waitForSomebody(behind: connection)
        // It waits for the first row, and has none of the others.
        let others = try connection.run(
            "SELECT FROM \(table) WHERE \"_id\" > \(key) FOR UPDATE SKIP LOCKED")
        #expect(others.count == 19)
        _ = try connection.run("COMMIT")
        try save.join()
        let reader = try stores.open().newContext()
        let names = try reader.fetch(Box.fetchRequest()).map(\.name)
        #expect(names == (deletes ? [] : Array(repeating: "mine", count: 20)))
    }

    @Test(arguments: PostgresServer.some())
    func `a pair that two contexts add at the same time is there once`(
        _ server: PostgresServer
    ) throws {
        let stores = Stores(server: server)
        let gate = Gate.beforeCommit
        let (mine, theirs) = (try stores.open(gate), try stores.open())
        let setup = mine.newContext()
        _ = Node(in: setup, number: 1)
        _ = Topic(in: setup, name: "t")
        try setup.save()
        func add(in container: PersistentContainer) -> SideWork {
            SideWork {
                let context = container.newContext()
                let node = try context.fetch(Node.fetchRequest())[0]
                node.tags.insert(try context.fetch(Topic.fetchRequest())[0])
                try context.save()
            }
        }
        gate.close()
        let first = add(in: mine)
        try #require(gate.wait())
        let second = add(in: theirs)
        #expect(try server.isHeld(second, named: stores.schema))
        gate.open()
        try first.join()
        try second.join()
        let reader = try stores.open().newContext()
        #expect(try reader.fetch(Node.fetchRequest())[0].tags.map(\.name) == ["t"])
    }

    /// Otherwise one direction of a pair could go while the other one is looked at.
    @Test(arguments: PostgresServer.some())
    func `a pair that is there already, and is added again, stays until the commit`(
        _ server: PostgresServer
    ) throws {
        let stores = Stores(server: server)
        let gate = Gate.beforeCommit
        let (mine, theirs) = (try stores.open(gate), try stores.open())
        let other = theirs.newContext()
        let node = Node(in: other, number: 1)
        let topic = Topic(in: other, name: "t")
        try other.save()
        let context = mine.newContext()
        let same = try context.fetch(Node.fetchRequest())[0]
        #expect(same.tags.isEmpty)
        node.tags.insert(topic)
        try other.save()
        same.tags.insert(try context.fetch(Topic.fetchRequest())[0])
        gate.close()
        // Safety: this thread does not use it before the work is over.
        nonisolated(unsafe) let held = context
        let save = SideWork { try held.save() }
        try #require(gate.wait())
        let removal = SideWork {
            let connection = try server.connect()
            _ = try connection.run("SET application_name = '\(stores.schema) removal'")
            _ = try connection.run("DELETE FROM \"\(stores.schema)\".\"Node_tags\"")
        }
        #expect(try server.isHeld(removal, named: "\(stores.schema) removal"))
        gate.open()
        try save.join()
        try removal.join()
    }

    /// Of two partners the one that the context does not know gives way; nobody has locked its row.
    @Test(arguments: PostgresServer.some())
    func `what others change while a save is decided is kept`(_ server: PostgresServer) throws {
        let stores = Stores(server: server)
        let gate = Gate { $0.contains("NOT EXISTS") }
        let (mine, theirs) = (try stores.open(gate), try stores.open())
        let setup = theirs.newContext()
        let nodes = (0..<3).map { Node(in: setup, label: "\($0)") }
        try setup.save()
        let context = mine.newContext()
        context.mergePolicy = .objectTrump
        let same = try context.fetch(Node.fetchRequest())
        #expect(same[2].previous == nil)
        nodes[0].next = nodes[2]
        try setup.save()
        same[1].next = same[2]
        context.processPendingChanges()
        gate.close()
        let held = HeldContext(context: context)
        let save = SideWork { try held.context.save() }
        try #require(gate.wait())
        nodes[0].label = "theirs"
        try setup.save()
        gate.open()
        try save.join()
        let reader = try stores.open().newContext()
        let read = try reader.fetch(Node.fetchRequest())
        #expect(read.map(\.label) == ["theirs", "1", "2"])
        #expect(read[2].previous == read[1] && read[0].next == nil)
    }

    /// A context that one thread at a time uses.
    private struct HeldContext: @unchecked Sendable {
        let context: ManagedObjectContext
    }
}
