import Cambium
import CambiumEngineSpecification
import CambiumPostgres
import EverythingModel
import Foundation
import Synchronization
import Testing

@testable import CambiumPostgresStore

/// A batch operation whose transaction the server takes back, because another one stood in its way, is
/// done again.
struct BatchRetryTests {
    /// How often a transaction was begun.
    private final class Begins: Sendable {
        private let number = Mutex(0)
        var count: Int { number.withLock { $0 } }
        /// What is done once, after the next query of nodes.
        let intrusion = Mutex<(@Sendable () -> Void)?>(nil)

        var hook: StatementHook {
            StatementHook { [self] statement in
                let sql = statement.sql
                if sql.hasPrefix("BEGIN"), !sql.hasSuffix("READ ONLY") {
                    number.withLock { $0 += 1 }
                }
                guard sql.hasPrefix("SELECT"), sql.contains("\"Node\"") else { return }
                intrusion.withLock { intrusion in
                    defer { intrusion = nil }
                    return intrusion
                }?()
            }
        }
    }

    /// Runs a body that locks two rows of a table in the order of their keys, while a connection has
    /// the second one, and then wants the first one: so the body's transaction is taken back.
    private func deadlock(
        _ server: PostgresServer, _ table: String, _ first: Int64, _ second: Int64,
        _ body: @escaping @Sendable () throws -> Void
    ) throws {
        let connection = try server.connect()
        func lock(_ key: Int64) throws {
            _ = try connection.run("SELECT FROM \(table) WHERE \"_id\" = \(key) FOR UPDATE")
        }
        // Whoever waited first is to find out.
        _ = try connection.run("SET deadlock_timeout = '20s'")
        _ = try connection.run("BEGIN")
        try lock(second)
        let work = SideWork(body)
        try server.waitForSomebody(behind: connection)
        try lock(first)
        _ = try connection.run("COMMIT")
        try work.join()
    }

    private struct Store {
        let container: PersistentContainer
        let schema = PostgresServer.newSchema
        let begins = Begins()

        init(_ model: CompiledModel, _ server: PostgresServer) throws {
            // Time for the other one to ask for the first row, too: the server looks once.
            let patient = PostgresServer(
                version: server.version,
                url: server.url + "&options=-c%20deadlock_timeout%3D500ms")
            var description = patient.description(schema: schema)
            description.options.statementHook = begins.hook
            container = try PersistentContainer(model, description)
        }
    }

    @Test(arguments: PostgresServer.some())
    func `an update and a deletion are done again`(_ server: PostgresServer) throws {
        let store = try Store(Everything.model, server)
        let container = store.container
        let context = container.newContext()
        let nodes = (0..<2).map { Node(in: context, number: Int64($0)) }
        try context.save()
        let (first, second) = (nodes[0].objectID.key, nodes[1].objectID.key)
        var before = store.begins.count
        try deadlock(server, "\"\(store.schema)\".\"Node\"", first, second) {
            let result = try container.newContext().execute(
                BatchUpdateRequest<Node>().setValue(.string("again"), forKey: "label"))
            #expect(result.count == 2)
        }
        #expect(store.begins.count >= before + 2)
        let reader = container.newContext()
        #expect(try reader.fetch(Node.fetchRequest()).map(\.label) == ["again", "again"])
        before = store.begins.count
        try deadlock(server, "\"\(store.schema)\".\"Node\"", first, second) {
            let result = try container.newContext().execute(BatchDeleteRequest<Node>())
            #expect(result.count == 2)
        }
        #expect(store.begins.count >= before + 2)
        #expect(try container.newContext().count(for: Node.fetchRequest()) == 0)
    }

    @Test(arguments: PostgresServer.some())
    func `an update and a deletion are done again where others change what they have read`(
        _ server: PostgresServer
    ) throws {
        let store = try Store(Everything.model, server)
        let context = store.container.newContext()
        for number in 0..<2 { _ = Node(in: context, label: "é", number: Int64(number)) }
        try context.save()
        // The server cannot decide this one, so the rows are read before they are locked.
        let request = Node.fetchRequest().filter(format: "label CONTAINS[cd] 'E'")
        let others = try PersistentContainer(
            Everything.model, server.description(schema: store.schema))
        let failure = Mutex<(any Error)?>(nil)
        func intrude() {
            store.begins.intrusion.withLock {
                $0 = {
                    let context = others.newContext()
                    do {
                        for node in try context.fetch(Node.fetchRequest()) { node.number += 10 }
                        try context.save()
                    } catch { failure.withLock { $0 = error } }
                }
            }
        }
        var before = store.begins.count
        intrude()
        let update = try store.container.newContext().execute(
            BatchUpdateRequest(request).setValue(.string("née"), forKey: "label"))
        #expect(update.count == 2 && store.begins.count == before + 2)
        let reader = others.newContext()
        let nodes = try reader.fetch(Node.fetchRequest())
        #expect(nodes.map(\.number) == [10, 11] && nodes.map(\.label) == ["née", "née"])
        before = store.begins.count
        intrude()
        let deletion = try store.container.newContext().execute(BatchDeleteRequest(request))
        #expect(deletion.count == 2 && store.begins.count == before + 2)
        #expect(try reader.count(for: Node.fetchRequest()) == 0)
        if let failure = failure.withLock({ $0 }) { throw failure }
    }

    @Test(arguments: PostgresServer.some())
    func `a save is done again`(_ server: PostgresServer) throws {
        let store = try Store(Everything.model, server)
        let container = store.container
        let context = container.newContext()
        let nodes = (0..<2).map { Node(in: context, number: Int64($0)) }
        try context.save()
        let before = store.begins.count
        let keys = nodes.map(\.objectID.key)
        try deadlock(server, "\"\(store.schema)\".\"Node\"", keys[0], keys[1]) {
            let context = container.newContext()
            for node in try context.fetch(Node.fetchRequest()) { node.label = "again" }
            try context.save()
        }
        #expect(store.begins.count >= before + 2)
        let labels = try container.newContext().fetch(Node.fetchRequest()).map(\.label)
        #expect(labels == ["again", "again"])
    }

    @Test(arguments: PostgresServer.some())
    func `an insertion is done again where its input can be read again`(
        _ server: PostgresServer
    ) throws {
        let store = try Store(Ledger.model, server)
        let container = store.container
        let context = container.newContext()
        let clients = try (0..<2).map { try context.make("Client", ["name": "\($0)"]) }
        try context.save()
        let keys = clients.map(\.objectID.key)
        let rows = (0..<10).map { ["client": Value.int(keys[1 - $0 % 2])] }
        let before = store.begins.count
        try deadlock(server, "\"\(store.schema)\".\"Client\"", keys[0], keys[1]) {
            let result = try container.newContext().execute(
                BatchInsertRequest<ManagedObject>(entityName: "Invoice", objects: rows))
            #expect(result.count == 10)
        }
        #expect(store.begins.count >= before + 2)
        #expect(try Ledger.wrongValues(in: container.newContext()) == [])
        #expect(try container.newContext().all("Invoice").count == 10)
        let once = sequence(state: 0) { (number: inout Int) -> [String: Value]? in
            number += 1
            return number > 10 ? nil : rows[number - 1]
        }
        let error = #expect(throws: StoreError.self) {
            try deadlock(server, "\"\(store.schema)\".\"Client\"", keys[0], keys[1]) {
                try container.newContext().execute(
                    BatchInsertRequest<ManagedObject>(
                        entityName: "Invoice", objects: UncheckedSequence(elements: once)))
            }
        }
        #expect(error?.code == .busy)
        #expect(try container.newContext().all("Invoice").count == 10)
    }

    /// One thread at a time uses it.
    private struct UncheckedSequence<Elements: Sequence>: Sequence, @unchecked Sendable {
        let elements: Elements
        func makeIterator() -> Elements.Iterator { elements.makeIterator() }
    }

    @Test(arguments: PostgresServer.some())
    func `an insertion that updates stored objects is done again`(_ server: PostgresServer) throws {
        let store = try Store(Everything.model, server)
        let container = store.container
        let context = container.newContext()
        let robots = (0..<2).map { Robot(in: context, name: "old", serial: "\($0)") }
        try context.save()
        let keys = robots.map(\.objectID.key)
        let rows = (0..<3).map { ["name": Value.string("new"), "serial": .string("\($0)")] }
        let before = store.begins.count
        try deadlock(server, "\"\(store.schema)\".\"Being\"", keys[0], keys[1]) {
            var request = BatchInsertRequest<Robot>(objects: rows)
            request.mergePolicy = .objectTrump
            let result = try container.newContext().execute(request)
            #expect(result.count == 3)
        }
        #expect(store.begins.count >= before + 2)
        let found = try container.newContext().fetch(Robot.fetchRequest())
        #expect(found.map(\.name) == ["new", "new", "new"])
    }
}
