import CambiumModel
import CambiumRecords
import Foundation
import Testing

@testable import CambiumPostgresStore

/// Statements on their way to a server and back.
struct ConnectionTests {
    @Test(arguments: PostgresServer.some())
    func `statements that are sent together need one round trip`(_ server: PostgresServer) throws {
        let connection = try server.connect()
        let rows = try connection.run([
            PostgresStatement("SELECT 1::bigint"), PostgresStatement("SELECT 2::bigint"),
        ])
        #expect(rows.map { $0.integer(0, 0) } == [1, 2])
        #expect(connection.roundTrips == 1)
    }

    @Test(arguments: PostgresServer.some())
    func `a statement that fails ends those behind it, and the connection stays usable`(
        _ server: PostgresServer
    ) throws {
        let connection = try server.connect()
        let error = #expect(throws: PostgresError.self) {
            try connection.run([
                PostgresStatement("SELECT 1"), PostgresStatement("SELECT 1 / 0"),
                PostgresStatement("SELECT 2"),
            ])
        }
        #expect(error?.state == "22012")
        #expect(error?.sql == "SELECT 1 / 0")
        #expect(connection.isUsable)
        #expect(try connection.run("SELECT 3::bigint").integer(0, 0) == 3)
    }

    /// Behind a pooler one program meets what another one has prepared.
    @Test(arguments: PostgresServer.some())
    func `a prepared statement has a name that no other one has`(_ server: PostgresServer) throws {
        let statements = [
            PostgresConnection.begin(isReadOnly: true), PostgresStatement("COMMIT"),
            PostgresConnection.begin(isReadOnly: false), PostgresStatement("ROLLBACK"),
        ]
        func names(_ statements: [PostgresStatement]) throws -> [String: String] {
            let connection = try server.connect()
            for statement in statements { _ = try connection.run([statement]) }
            let rows = try connection.run("SELECT statement, name FROM pg_prepared_statements")
            return Dictionary(
                uniqueKeysWithValues: (0..<rows.count).map {
                    (rows.text($0, 0), rows.text($0, 1))
                })
        }
        let one = try names(statements)
        #expect(Set(one.values).count == 5)
        try #expect(names([statements[2], statements[3], statements[0], statements[1]]) == one)
    }

    @Test(arguments: PostgresServer.some())
    func `a connection keeps a limited number of prepared statements`(
        _ server: PostgresServer
    ) throws {
        let connection = try server.connect()
        for number in 0..<600 {
            let rows = try connection.readTogether([
                PostgresStatement("SELECT \(number)::bigint")
            ])
            #expect(rows[0].integer(0, 0) == Int64(number))
        }
        // One that has failed can be prepared again.
        for _ in 0..<2 {
            #expect(throws: PostgresError.self) { try connection.run("SELECT 1 / 0") }
            try #expect(connection.run("SELECT 599::bigint").integer(0, 0) == 599)
        }
        let count = try connection.run("SELECT count(*) FROM pg_prepared_statements")
        #expect(count.integer(0, 0) < 200)
    }

    /// The server forgets a cancellation that comes before its statement.
    @Test(arguments: PostgresServer.some())
    func `a statement that comes late is cancelled, too`(_ server: PostgresServer) throws {
        let proxy = try CutProxy(to: server)
        defer { proxy.stop() }
        let connection = try PostgresConnection(PostgresSettings(proxy.url))
        proxy.begin { message in
            if message.isToServer, message.kind == "P" { Thread.sleep(forTimeInterval: 0.4) }
            return .forward
        }
        let interruption = Interruption()
        interruption.request()
        let start = ContinuousClock.now
        let error = #expect(throws: PostgresError.self) {
            try connection.run(
                [PostgresStatement("SELECT pg_sleep(60)")], interruption: interruption)
        }
        #expect(error?.state == PostgresError.cancelled)
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test(arguments: PostgresServer.some())
    func `a statement ends where its end is requested`(_ server: PostgresServer) throws {
        let connection = try server.connect()
        let interruption = Interruption()
        interruption.request()
        let error = #expect(throws: PostgresError.self) {
            try connection.run(
                [PostgresStatement("SELECT pg_sleep(20)")], interruption: interruption)
        }
        #expect(error?.state == PostgresError.cancelled)
        #expect(connection.isUsable)
    }

    @Test(arguments: PostgresServer.some())
    func `a transaction is taken back where its body throws`(_ server: PostgresServer) throws {
        struct Stop: Error {}
        let connection = try server.connect()
        _ = try connection.run("CREATE TEMP TABLE list (number bigint)")
        #expect(throws: Stop.self) {
            try connection.transaction {
                _ = try connection.run("INSERT INTO list VALUES (1)")
                throw Stop()
            }
        }
        #expect(try connection.run("SELECT count(*) FROM list").integer(0, 0) == 0)
    }

    @Test func `a server that is not there is named`() {
        let error = #expect(throws: PostgresError.self) {
            try PostgresConnection(PostgresSettings("host=/nowhere user=nobody"))
        }
        #expect(error?.message.contains("/nowhere") == true)
        #expect(error?.isDisconnection == true)
    }
}
