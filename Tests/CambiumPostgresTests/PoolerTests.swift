import CambiumPostgres
import EverythingModel
import Foundation
import Testing

@testable import CambiumPostgresStore

/// A store behind PgBouncer, which gives a connection to another program after each transaction. The
/// test runs where PgBouncer is installed.
struct PoolerTests {
    private static let program = "/usr/sbin/pgbouncer"
    private static let isInstalled = FileManager.default.isExecutableFile(atPath: program)

    /// Calls a body with the URL of a pooler that runs meanwhile.
    private func withPooler(_ server: PostgresServer, _ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "p\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // The umask of this process does not matter to the user that the pooler runs as.
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o777], ofItemAtPath: folder.path())
        let host = server.url.split(separator: "host=").last ?? ""
        let settings = folder.appending(path: "settings.ini")
        try """
        [databases]
        cambium = host=\(host) dbname=cambium user=cambium
        [pgbouncer]
        listen_addr =
        listen_port = 6432
        unix_socket_dir = \(folder.path())
        auth_type = any
        pool_mode = transaction
        default_pool_size = 3
        """.write(to: settings, atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(filePath: Self.program)
        process.arguments =
            ["-q"] + (getuid() == 0 ? ["-u", "nobody"] : []) + [settings.path()]
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        // It would wait for its clients to leave, however long they stay: it has nothing to keep.
        defer { kill(process.processIdentifier, SIGKILL) }
        let url = "host='\(folder.path())' port=6432 user=cambium dbname=cambium"
        try waitUntilItAnswers(url)
        try body(url)
    }

    /// Named statements would stay on a connection that other programs get.
    private func connect(_ url: String) throws -> PostgresConnection {
        var settings = PostgresSettings(url)
        settings.preparesStatements = false
        return try PostgresConnection(settings)
    }

    private func waitUntilItAnswers(_ url: String) throws {
        let end = ContinuousClock.now + .seconds(10)
        while true {
            do {
                _ = try connect(url)
                return
            } catch  where ContinuousClock.now < end {
                Thread.sleep(forTimeInterval: 0.02)
            }
        }
    }

    @Test(
        .enabled(if: isInstalled, "not run: PgBouncer is not installed"),
        .timeLimit(.minutes(1)), arguments: PostgresServer.some())
    func `a store works behind a pooler of transactions`(_ server: PostgresServer) throws {
        try withPooler(server) { url in
            var options = PostgresOptions()
            options.preparesStatements = false
            options.statementTimeout = .seconds(20)
            var description = StoreDescription(
                location: .postgres(
                    url, schema: "pooler \(UUID().uuidString)", options: options))
            description.options.history = .properties
            let container = try PersistentContainer(Everything.model, description)
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
            // Nothing is set on the connections that other programs get.
            for _ in 0..<5 {
                let raw = try connect(url)
                for name in ["lock_timeout", "statement_timeout"] {
                    #expect(try raw.run("SHOW \(name)").text(0, 0) == "0")
                }
            }
        }
    }

    @Test(
        .enabled(if: isInstalled, "not run: PgBouncer is not installed"),
        .timeLimit(.minutes(1)), arguments: PostgresServer.some())
    func `settings of transactions stay with them behind a pooler`(
        _ server: PostgresServer
    ) throws {
        try withPooler(server) { url in
            var options = PostgresOptions()
            options.preparesStatements = false
            let store = try TenantStore(server, .role, through: url, options)
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
        }
    }
}
