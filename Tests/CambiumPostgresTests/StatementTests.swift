import CambiumPostgres
import EverythingModel
import Foundation
import Synchronization
import Testing

/// What a program is told of statements, and how often a store waits for its server.
@Suite(.shortParts) struct StatementTests {
    /// Statements as they come.
    private final class Log: Sendable {
        private let all = Mutex<[Entry]>([])

        struct Entry: Sendable {
            let sql: String
            let text: String?
            let rows: Int
            let trip: Int?
            let plan: [String]
        }

        func hook(includesValues: Bool = false, plans: Bool = false) -> StatementHook {
            StatementHook(includesValues: includesValues) { statement in
                let entry = Entry(
                    sql: statement.sql, text: statement.sqlWithValues, rows: statement.rowCount,
                    trip: statement.roundTrip, plan: plans ? statement.plan() : [])
                self.all.withLock { $0.append(entry) }
            }
        }

        /// Those of a body.
        func entries(of body: () throws -> Void) rethrows -> [Entry] {
            all.withLock { $0 = [] }
            try body()
            return all.withLock { $0 }
        }

        /// What went to the server together.
        func trips(of body: () throws -> Void) rethrows -> [[String]] {
            let entries = try entries(of: body)
            return Set(entries.compactMap(\.trip)).sorted().map { trip in
                entries.filter { $0.trip == trip }.map { String($0.sql.prefix(100)) }
            }
        }
    }

    private func container(
        _ server: PostgresServer, _ schema: String = "statements \(UUID().uuidString)",
        _ hook: StatementHook? = nil
    ) throws -> PersistentContainer {
        var description = StoreDescription(location: .postgres(server.url, schema: schema))
        description.options.statementHook = hook
        return try PersistentContainer(Everything.model, description)
    }

    @Test(arguments: PostgresServer.some())
    func `a hook is told of each statement, with its rows, its round trip and its plan`(
        _ server: PostgresServer
    ) throws {
        let log = Log()
        let container = try container(
            server, "statements \(UUID().uuidString)",
            log.hook(includesValues: true, plans: true))
        let context = container.newContext()
        for number in 0..<5 { _ = Node(in: context, label: "n\(number)", number: Int64(number)) }
        try context.save()
        let entries = try log.entries {
            let found = try container.newContext().fetch(
                Node.fetchRequest().filter(Node.label == "n3"))
            #expect(found.count == 1)
        }
        let entry = try #require(entries.first { $0.sql.hasPrefix("SELECT") })
        #expect(entry.rows == 1)
        #expect(entry.trip != nil)
        #expect(entry.sql.contains("$1"))
        #expect(entry.text?.contains("'n3'") == true)
        #expect(entry.plan.contains { $0.contains("Scan") })
        // Those of a save are sent together.
        let saved = try log.entries {
            try context.fetch(Node.fetchRequest())[0].label = "secret"
            try context.save()
        }
        let begin = try #require(saved.first { $0.sql.hasPrefix("BEGIN") })
        #expect(saved.filter { $0.trip == begin.trip }.count > 2)
        let update = try #require(saved.first { $0.sql.hasPrefix("UPDATE") })
        #expect(update.rows == 1)
        #expect(!update.plan.isEmpty)
        // Values of rows that are saved are not told.
        #expect(update.text?.contains("secret") == false)
    }

    private static let count = ShortParts.rows(10_000)

    /// A context with many nodes that are linked in pairs and lists, all saved.
    private func fill(_ container: PersistentContainer) throws -> (ManagedObjectContext, [Node]) {
        let context = container.newContext()
        let topics = (0..<3).map { Topic(in: context, name: "t\($0)") }
        let nodes = (0..<Self.count).map { Node(in: context, number: Int64($0)) }
        for (index, node) in nodes.prefix(100).enumerated() {
            node.next = nodes[Self.count / 2 + index]
            node.queue.replace(with: topics)
        }
        try context.save()
        return (context, nodes)
    }

    @Test(arguments: PostgresServer.some())
    func `a save of many rows without a conflict takes three round trips`(
        _ server: PostgresServer
    ) throws {
        let log = Log()
        let schema = "statements \(UUID().uuidString)"
        let container = try container(server, schema, log.hook())
        let (context, nodes) = try fill(container)
        for node in nodes { node.number += 1 }
        var trips = try log.trips { try context.save() }
        #expect(trips.count <= 3, "\(trips)")
        // Partners of one-to-ones, lists in order, pairs, new and deleted rows.
        let topic = Topic(in: context, name: "new")
        _ = Node(in: context, number: -1)
        for (index, node) in nodes.enumerated() {
            node.label = "again"
            if index < 100 {
                node.next = nodes[Self.count * 3 / 5 + index]
                node.queue.replace(with: node.queue.reversed() + [topic])
                node.tags.replace(with: [topic])
            }
        }
        context.delete(nodes[Self.count - 1])
        // What a deletion leads to is read before the save.
        context.processPendingChanges()
        let store = try #require(container.coordinator.persistentStores.first)
        container.coordinator.setMetadata(
            ["note": "also"], for: store)
        trips = try log.trips { try context.save() }
        #expect(trips.count <= 3, "\(trips)")
        let other = try self.container(server, schema).newContext()
        let first = try other.fetch(Node.fetchRequest().filter(Node.number == 1))[0]
        #expect(first.queue.map(\.name) == ["t2", "t1", "t0", "new"])
        #expect(first.next?.number == Int64(Self.count * 3 / 5 + 1))
        #expect(try other.count(for: Node.fetchRequest()) == Self.count)
    }

    @Test(arguments: PostgresServer.some())
    func `a save of many rows with a conflict takes six round trips at most`(
        _ server: PostgresServer
    ) throws {
        let log = Log()
        let schema = "statements \(UUID().uuidString)"
        let container = try container(server, schema, log.hook())
        let (context, nodes) = try fill(container)
        context.mergePolicy = .objectTrump
        let other = try self.container(server, schema).newContext()
        // One that others have changed, and one that they have deleted.
        let theirs = try other.fetch(Node.fetchRequest().filter(Node.number < 3))
        theirs.first { $0.number == 0 }?.label = "theirs"
        if let node = theirs.first(where: { $0.number == 1 }) { other.delete(node) }
        try other.save()
        for node in nodes { node.number += 1 }
        let trips = try log.trips { try context.save() }
        #expect(trips.count <= 6, "\(trips)")
        let found = try self.container(server, schema).newContext().fetch(
            Node.fetchRequest().filter(Node.label == "theirs"))
        #expect(found.map(\.number) == [1])
    }

    @Test(arguments: PostgresServer.some())
    func `a save that meets a unique value takes six round trips at most`(
        _ server: PostgresServer
    ) throws {
        let log = Log()
        let schema = "statements \(UUID().uuidString)"
        let container = try container(server, schema, log.hook())
        let context = container.newContext()
        context.mergePolicy = .objectTrump
        let other = try self.container(server, schema).newContext()
        for number in 0..<10 { _ = Robot(in: other, name: "theirs", serial: "\(number)") }
        try other.save()
        for number in 0..<Self.count {
            _ = Robot(in: context, name: "ours", serial: "\(number)")
        }
        let trips = try log.trips { try context.save() }
        #expect(trips.count <= 6, "\(trips)")
        let read = try self.container(server, schema).newContext()
        #expect(try read.count(for: Robot.fetchRequest()) == Self.count)
        #expect(
            try read.count(for: Robot.fetchRequest().filter(Robot.name == "ours"))
                == Self.count)
    }
}
