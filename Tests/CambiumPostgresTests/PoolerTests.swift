import CambiumPostgres
import EverythingModel
import Foundation
import Testing

@testable import CambiumPostgresStore

/// A store behind PgBouncer. The tests run where it is installed.
@Suite(.onPooler)
struct PoolerTests {
    @Test(.timeLimit(.minutes(1)), arguments: PostgresServer.some())
    func `a store works behind a pooler of transactions`(_ server: PostgresServer) throws {
        try Pooler.with(server) { pooler in
            let container = try pooler.container { $0.statementTimeout = .seconds(20) }
            let context = container.newContext()
            let box = Box(in: context, name: "0")
            for number in 0..<100 { _ = Node(in: context, number: Int64(number)) }
            try context.save()
            // More writers than the pooler has connections.
            DispatchQueue.concurrentPerform(iterations: 6) { writer in
                for number in 0..<20 {
                    let own = container.newContext()
                    own.mergePolicy = .objectTrump
                    do {
                        let boxes = try own.fetch(Box.fetchRequest())
                        boxes[0].name = "\(writer).\(number)"
                        _ = Node(in: own, number: Int64(1_000 + writer * 100 + number))
                        try own.save()
                    } catch {
                        Issue.record(error)
                    }
                }
            }
            let other = container.newContext()
            #expect(try other.count(for: Node.fetchRequest()) == 220)
            box.name = "last"
            context.mergePolicy = .objectTrump
            try context.save()
            #expect(try container.newContext().fetch(Box.fetchRequest())[0].name == "last")
            let history = try container.coordinator.fetchHistory(HistoryRequest())
            #expect(history.transactions.count == 122)
            try pooler.expectNoTraces()
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: PostgresServer.some())
    func `settings of transactions stay with them behind a pooler`(
        _ server: PostgresServer
    ) throws {
        try Pooler.with(server) { pooler in
            let store = try TenantStore(server, .role, through: pooler.url, Pooler.options)
            defer { try? store.remove() }
            for tenant in ["a", "b"] { _ = try store.fill(tenant) }
            DispatchQueue.concurrentPerform(iterations: 6) { worker in
                let tenant = worker % 2 == 0 ? "a" : "b"
                do {
                    for number in 0..<10 {
                        let context = store.container(of: tenant).newContext()
                        let nodes = try context.fetch(Node.fetchRequest())
                        #expect(nodes.count >= 3 && nodes.allSatisfy { $0.label.hasPrefix(tenant) })
                        _ = Node(in: context, label: "\(tenant)\(number)")
                        try context.save()
                        let all = try store.container.newContext().count(for: Node.fetchRequest())
                        #expect(all >= 6)
                    }
                } catch {
                    Issue.record(error)
                }
            }
            #expect(try store.container.newContext().count(for: Node.fetchRequest()) == 66)
            try pooler.expectNoTraces()
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: PostgresServer.some())
    func `triggers record what other programs write behind a pooler, and no saves`(
        _ server: PostgresServer
    ) throws {
        try Pooler.with(server) { pooler in
            let schema = PostgresServer.newSchema
            let container = try pooler.container(schema: schema) { $0.historyTriggers = true }
            @Sendable func insert(_ key: Int, _ connection: PostgresConnection) throws {
                _ = try connection.run(
                    "INSERT INTO \"\(schema)\".\"Topic\" (\"_id\", \"name\") "
                        + "VALUES (\(key), 'other')")
            }
            // The keys of saves are greater from now on.
            try insert(2_000, try pooler.connect())
            DispatchQueue.concurrentPerform(iterations: 6) { worker in
                do {
                    let other = try pooler.connect()
                    let context = container.newContext()
                    for number in 0..<10 {
                        if worker % 2 == 0 {
                            _ = Topic(in: context, name: "save \(worker).\(number)")
                            try context.save()
                        } else {
                            try insert(1_000 + worker * 100 + number, other)
                        }
                    }
                } catch {
                    Issue.record(error)
                }
            }
            let changes = try container.coordinator.fetchHistory(HistoryRequest())
                .transactions.map(\.changes)
            #expect(changes.map(\.count) == Array(repeating: 1, count: 61))
            let keys = changes.joined().map(\.objectID.key)
            #expect(Set(keys).count == 61 && keys.filter { $0 <= 2_000 }.count == 31)
            try pooler.expectNoTraces()
        }
    }
}
