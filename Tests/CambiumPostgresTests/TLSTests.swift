import CambiumEngine
import CambiumPostgres
import EverythingModel
import Foundation
import Testing

@testable import CambiumPostgresStore

/// Connections with TLS, and with several hosts.
struct TLSTests {
    /// The server that `Scripts/postgres.sh start --tls` has started: `CAMBIUM_POSTGRES_TLS` is its
    /// URL.
    struct Server: Sendable, CustomTestStringConvertible {
        let url: String

        static let all = ["TLS"].compactMap { name in
            ProcessInfo.processInfo.environment["CAMBIUM_POSTGRES_\(name)"].map { Server(url: $0) }
        }

        var testDescription: String { "PostgreSQL with TLS" }

        /// The URL with something else in it.
        func url(_ changes: (old: String, new: String)...) -> String {
            changes.reduce(url) { url, change in url.replacing(change.old, with: change.new) }
        }
    }

    private static let secret = "sesame"

    private func container(
        _ url: String, schema: String = PostgresServer.newSchema
    ) throws -> PersistentContainer {
        try PersistentContainer(
            Everything.model, StoreDescription(location: .postgres(url, schema: schema)))
    }

    private func save(_ container: PersistentContainer) throws {
        let context = container.newContext()
        _ = Box(in: context, name: "one")
        try context.save()
        #expect(try container.newContext().count(for: Box.fetchRequest()) == 1)
    }

    /// The error with which a store is not opened, once and for all in words.
    private func refusal(_ url: String, _ cause: String) throws {
        let error = try #require(throws: StoreLoadingError.self) { try container(url) }
        #expect(error.code == .cannotOpen)
        #expect((error.underlying as? StoreError)?.code == .inaccessible)
        #expect("\(error)".components(separatedBy: cause).count == 2, "\(error)")
        var text = "\(error) \(String(reflecting: error)) \(error.localizedDescription)"
        dump(error, to: &text)
        #expect(!text.contains(Self.secret))
    }

    @Test(arguments: Server.all, ["verify-full", "verify-ca", "require", "prefer"])
    func `a store is opened and saved with TLS`(_ server: Server, mode: String) throws {
        let url = server.url(("sslmode=verify-full", "sslmode=\(mode)"))
        try save(try container(url))
        let rows = try PostgresConnection(PostgresSettings(url)).run(
            "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
        #expect(rows.boolean(0, 0))
    }

    @Test(arguments: Server.all)
    func `a server that wants TLS says so`(_ server: Server) throws {
        try refusal(server.url(("verify-full", "disable")), "no encryption")
    }

    @Test(arguments: Server.all)
    func `a certificate of somebody else is refused`(_ server: Server) throws {
        try refusal(server.url(("server.crt", "other.crt")), "certificate verify failed")
    }

    @Test(arguments: Server.all)
    func `a certificate of another host is refused`(_ server: Server) throws {
        try refusal(
            server.url(("@localhost:", "@example.org:")),
            "does not match host name \"example.org\"")
        // Who checks the maker alone takes it.
        try save(
            try container(
                server.url(("@localhost:", "@example.org:"), ("verify-full", "verify-ca"))))
    }

    @Test(arguments: Server.all)
    func `a list of trusted certificates that does not exist is named`(_ server: Server) throws {
        try refusal(server.url(("server.crt", "nowhere.crt")), "nowhere.crt")
    }

    @Test(arguments: Server.all)
    func `a wrong password is refused, and not shown`(_ server: Server) throws {
        try refusal(server.url((Self.secret, "\(Self.secret)!")), "password authentication failed")
    }

    // MARK: Several hosts

    @Test(arguments: PostgresServer.some())
    func `a host that does not answer is passed over`(_ server: PostgresServer) throws {
        try save(try container(server.url.replacing("host=", with: "host=/nowhere,")))
        try save(try container("\(server.url),/nowhere"))
        try refusal("host=/nowhere user=nobody", "/nowhere/")
    }

    @Test(arguments: Server.all)
    func `a port that nobody listens at is passed over, with TLS`(_ server: Server) throws {
        let url = server.url(
            ("@localhost:", "@localhost:1,localhost:"),
            ("hostaddr=127.0.0.1", "hostaddr=127.0.0.1,127.0.0.1"))
        try save(try container(url))
    }

    @Test(arguments: Server.all, PostgresServer.some())
    func `of several hosts one is used that can be written`(
        _ first: Server, _ second: PostgresServer
    ) throws {
        let (user, other) = ("writer \(UUID().uuidString)", try second.connect())
        let schema = PostgresServer.newSchema
        let connection = try PostgresConnection(PostgresSettings(first.url))
        for connection in [connection, other] {
            for sql in [
                "CREATE ROLE \"\(user)\" LOGIN PASSWORD '\(Self.secret)'",
                "CREATE SCHEMA \"\(schema)\" AUTHORIZATION \"\(user)\"",
            ] { _ = try connection.run(sql) }
        }
        defer {
            for connection in [connection, other] {
                _ = try? connection.run("DROP OWNED BY \"\(user)\" CASCADE")
                _ = try? connection.run("DROP ROLE \"\(user)\"")
            }
        }
        // As one that follows another server.
        _ = try connection.run("ALTER ROLE \"\(user)\" SET default_transaction_read_only = on")
        let port = try #require(first.url.firstMatch(of: /:([0-9]+)\//)?.1)
        let folder = try #require(second.url.firstMatch(of: /host=(.*)/)?.1)
        let hosts = """
            host=127.0.0.1,\(folder) port=\(port),5432 dbname=cambium user='\(user)' \
            password=\(Self.secret)
            """
        func version(_ text: String) throws -> Int {
            let found = try PostgresConnection(PostgresSettings(text))
            let rows = try found.run("SELECT current_setting('listen_addresses') = ''")
            return rows.boolean(0, 0) ? 2 : 1
        }
        #expect(try version(hosts) == 1)
        #expect(try version("\(hosts) target_session_attrs=read-write") == 2)
        try save(try container("\(hosts) target_session_attrs=read-write", schema: schema))
    }
}
