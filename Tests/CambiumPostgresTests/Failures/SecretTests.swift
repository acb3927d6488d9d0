import CambiumEngine
import CambiumPostgres
import EverythingModel
import Foundation
import Synchronization
import Testing

@testable import CambiumPostgresStore

/// All texts of an error, or of another value.
enum Texts {
    static func of(_ value: Any) -> String {
        var text = "\(value) \(String(reflecting: value)) "
        dump(value, to: &text)
        if let error = value as? any Error { text += error.localizedDescription }
        if let error = value as? any LocalizedError {
            text += [error.errorDescription, error.failureReason, error.recoverySuggestion]
                .map { $0 ?? "" }.joined(separator: " ")
        }
        return text
    }
}

/// No error shows a value of a row, or a password.
struct SecretTests {
    private static let secret = "geheim4711"

    // MARK: Errors of the server

    /// A statement that fails because of its parameter, and the code of the error.
    struct Case: Sendable, CustomTestStringConvertible {
        let state: String
        let sql: String
        var value = SecretTests.secret

        var testDescription: String { "\(state) \(sql)" }

        static let all = [
            Case(state: "22P02", sql: "SELECT $1::int"),
            Case(state: "22P02", sql: "SELECT $1::uuid"),
            Case(state: "22003", sql: "SELECT $1::int", value: "47114711471147114711"),
            Case(state: "22007", sql: "SELECT $1::timestamptz"),
            Case(state: "22008", sql: "SELECT $1::date", value: "4711-47-11"),
            Case(state: "2201B", sql: "SELECT 'a' ~ $1", value: "(geheim4711"),
            Case(state: "22023", sql: "SELECT date_trunc($1, now())"),
            Case(state: "23505", sql: "INSERT INTO secrets (one) VALUES ($1), ($1)"),
            Case(state: "23502", sql: "INSERT INTO secrets (one, two) VALUES ($1, NULL)"),
            Case(state: "23514", sql: "INSERT INTO secrets (one, three) VALUES ('a', $1)"),
            Case(state: "23503", sql: "INSERT INTO secrets (one, four) VALUES ('b', $1)"),
            Case(state: "P0001", sql: "SELECT pg_temp.refuse($1, 'P0001')"),
            Case(state: "23514", sql: "SELECT pg_temp.refuse($1, '23514')"),
            Case(state: "42501", sql: "SELECT pg_temp.refuse($1, '42501')"),
            Case(state: "XX000", sql: "SELECT pg_temp.refuse($1, 'XX000')"),
            Case(state: "P0004", sql: "SELECT pg_temp.insist($1)"),
            Case(
                state: "54000", sql: "INSERT INTO secrets (one) VALUES (repeat($1, 20000))",
                value: (0..<400).map { "4711\($0 * $0 * 7919 % 100_003)" }.joined()),
        ]
    }

    @Test(arguments: PostgresServer.some(), Case.all)
    func `an error of the server has no value in it`(
        _ server: PostgresServer, _ failing: Case
    ) throws {
        let connection = try server.connect()
        for sql in [
            """
            CREATE TEMPORARY TABLE secrets (one text PRIMARY KEY, two text NOT NULL DEFAULT '', \
            three text CHECK (three = ''), four text REFERENCES secrets)
            """,
            """
            CREATE FUNCTION pg_temp.refuse(value text, state text) RETURNS void \
            LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION '% is refused', value \
            USING ERRCODE = state, DETAIL = value, HINT = value, CONSTRAINT = 'some'; END$$
            """,
            """
            CREATE FUNCTION pg_temp.insist(value text) RETURNS void \
            LANGUAGE plpgsql AS $$BEGIN ASSERT false, value; END$$
            """,
        ] { _ = try connection.run(sql) }
        var parameters = PostgresParameters()
        parameters.append(.text(failing.value), as: .text)
        let error = try #require(throws: PostgresError.self) {
            try connection.run(failing.sql, parameters)
        }
        #expect(error.state == failing.state, "\(error)")
        for error in [error, error.storeError as Any] {
            #expect(!Texts.of(error).contains("4711"), "\(Texts.of(error))")
        }
        // What libpq keeps of it, neither.
        #expect(!connection.failure().message.contains("4711"))
    }

    // MARK: Errors of a store

    /// A store, of which other programs have refused a value.
    private func container(
        _ server: PostgresServer, _ change: String
    ) throws -> PersistentContainer {
        let schema = PostgresServer.newSchema
        let container = try PersistentContainer(
            Everything.model, server.description(schema: schema))
        let connection = try server.connect()
        for sql in change.replacing("@", with: "\"\(schema)\"").split(separator: ";;") {
            _ = try connection.run(String(sql))
        }
        return container
    }

    private static let changes = [
        "ALTER TABLE @.\"Box\" ADD CHECK (length(\"name\") < 5)",
        "CREATE UNIQUE INDEX ON @.\"Box\" (length(\"name\"))",
        """
        CREATE FUNCTION @.refuse() RETURNS trigger LANGUAGE plpgsql AS \
        $$BEGIN RAISE EXCEPTION '% is refused', NEW."name" USING ERRCODE = '23514'; END$$;;\
        CREATE TRIGGER refuse BEFORE INSERT ON @."Box" FOR EACH ROW EXECUTE FUNCTION @.refuse()
        """,
        """
        CREATE FUNCTION @.refuse() RETURNS trigger LANGUAGE plpgsql AS \
        $$BEGIN RETURN NEW."name"::integer; END$$;;\
        CREATE TRIGGER refuse BEFORE INSERT ON @."Box" FOR EACH ROW EXECUTE FUNCTION @.refuse()
        """,
        "ALTER TABLE @.\"Box\" ALTER COLUMN \"name\" TYPE varchar(5)",
        "ALTER TABLE @.\"Box\" RENAME COLUMN \"name\" TO \"other\"",
    ]

    @Test(arguments: PostgresServer.some(), changes)
    func `an error of a save or a batch operation has no value in it`(
        _ server: PostgresServer, _ change: String
    ) throws {
        let container = try container(server, change)
        let context = container.newContext()
        for _ in 0..<2 { _ = Box(in: context, name: Self.secret) }
        let error = try #require(throws: (any Error).self) { try context.save() }
        #expect(!Texts.of(error).contains(Self.secret), "\(Texts.of(error))")
        let objects = (0..<2).map { _ in ["name": Value.string(Self.secret)] }
        let batch = try #require(throws: (any Error).self) {
            try container.newContext().execute(BatchInsertRequest<Box>(objects: objects))
        }
        #expect(!Texts.of(batch).contains(Self.secret), "\(Texts.of(batch))")
    }

    @Test(arguments: PostgresServer.some())
    func `an error of a fetch, and a statement, has no constant of a condition in it`(
        _ server: PostgresServer
    ) throws {
        let schema = PostgresServer.newSchema
        let statements = Mutex<[String]>([])
        var description = server.description(schema: schema)
        description.options.statementHook = StatementHook { statement in
            statements.withLock { $0.append(statement.sql) }
        }
        let container = try PersistentContainer(Everything.model, description)
        let requests: [FetchRequest<Box>] = [
            Box.fetchRequest().filter(Box.name == Self.secret),
            Box.fetchRequest().filter(Box.name != Self.secret),
            Box.fetchRequest().filter(Box.name.hasPrefix(Self.secret)),
            Box.fetchRequest().filter(Box.name.contains(Self.secret)),
            Box.fetchRequest().filter(Box.name.in([Self.secret, "b"])),
        ]
        func run(_ request: FetchRequest<Box>, _ context: ManagedObjectContext) throws {
            _ = try context.fetch(request)
        }
        for request in requests { try run(request, container.newContext()) }
        _ = try server.connect().run("ALTER TABLE \"\(schema)\".\"Box\" RENAME \"name\" TO \"x\"")
        for request in requests {
            let error = try #require(throws: StoreError.self) {
                try run(request, container.newContext())
            }
            #expect(error.serverFailure == .changedTables)
            #expect(!Texts.of(error).contains(Self.secret), "\(Texts.of(error))")
        }
        #expect(!statements.withLock { $0.joined() }.contains(Self.secret))
    }

    // MARK: Passwords

    @Test(arguments: PostgresServer.some())
    func `no value of a program, and no list of the server or the system, shows a password`(
        _ server: PostgresServer
    ) throws {
        let statements = Mutex<[String]>([])
        var options = PostgresOptions()
        options.password = Self.secret
        var description = StoreDescription(
            location: .postgres(
                server.url.replacing("cambium@", with: "cambium:\(Self.secret)@"),
                schema: PostgresServer.newSchema, options: options))
        let isOn = Mutex(true)
        description.options.statementHook = StatementHook(includesValues: true) { statement in
            guard isOn.withLock({ $0 }) else { return }
            statements.withLock { $0.append(Texts.of(statement)) }
        }
        let container = try PersistentContainer(Everything.model, description)
        let context = container.newContext()
        _ = Box(in: context, name: "one")
        try context.save()
        isOn.withLock { $0 = false }
        let store = try #require(container.coordinator.persistentStores.first)
        let engine = try #require(store.store as? PostgresEngine)
        for value in [
            description, description.location, options, container, container.coordinator, store,
            engine, engine.pool,
        ] as [Any] {
            var text = "\(value) \(String(reflecting: value)) "
            dump(value, to: &text, maxDepth: 12, maxItems: 20_000)
            #expect(!text.contains(Self.secret), "\(type(of: value))")
        }
        #expect(!statements.withLock { $0.joined() }.contains(Self.secret))
        let rows = try server.connect().run(
            """
            SELECT coalesce(string_agg(concat_ws(' ', usename, application_name, query), ' '), '') \
            FROM pg_stat_activity
            """)
        #expect(!rows.text(0, 0).contains(Self.secret))
        #expect(!ProcessInfo.processInfo.arguments.joined().contains(Self.secret))
        for name in ["cmdline", "comm"] {
            let list = try? String(contentsOfFile: "/proc/self/\(name)", encoding: .utf8)
            #expect(list?.contains(Self.secret) != true)
        }
    }
}
