import CambiumEngine
import CambiumMigration
import CambiumPostgres
import EverythingModel
import Foundation
import Synchronization
import Testing

@testable import CambiumPostgresStore

/// Stores whose tables another program has changed.
struct DriftTests {
    private func opener(
        _ server: PostgresServer, _ schema: String,
        _ change: (inout StoreOptions) -> Void = { _ in }
    ) -> PostgresOpener {
        var options = StoreOptions()
        change(&options)
        return PostgresOpener(
            PostgresSettings(server.url), schema: schema, Everything.model.modelDescription,
            options)
    }

    private static let changes = [
        "ALTER TABLE @.\"Topic\" ALTER COLUMN name TYPE varchar(10)",
        "ALTER TABLE @.\"Box\" ADD COLUMN more bigint",
        "ALTER TABLE @.\"Box\" DROP COLUMN name",
        "DROP TABLE @.\"Sample\"",
    ]
    private static let repairs = [
        "ALTER TABLE @.\"Topic\" ALTER COLUMN name DROP NOT NULL",
        "ALTER TABLE @.\"Topic\" ALTER COLUMN name DROP DEFAULT",
        "ALTER TABLE @.\"Topic\" ALTER COLUMN name SET DEFAULT 'none'",
        "ALTER TABLE @.\"Box\" ALTER COLUMN topic SET NOT NULL",
        "ALTER TABLE @.\"Box\" DROP CONSTRAINT \"Box.key\" CASCADE",
        "ALTER TABLE @.\"Box\" ALTER CONSTRAINT \"Box.topic.destination\" NOT DEFERRABLE",
        "ALTER TABLE @.\"Box\" DISABLE TRIGGER ALL",
        "index", "check", "foreign key",
    ]

    /// A change in SQL. Indexes and checks of the model are found in the catalogue.
    private func statement(
        _ change: String, _ schema: String, _ connection: PostgresConnection
    ) throws -> String {
        var name = PostgresParameters()
        name.append(.text(schema), as: .text)
        let query =
            switch change {
            case "index":
                """
                SELECT 'DROP INDEX @.' || quote_ident(indexname) FROM pg_indexes \
                WHERE schemaname = $1 AND tablename = 'Node' AND indexname LIKE 'Node%' \
                AND indexname <> 'Node.key' LIMIT 1
                """
            case "check", "foreign key":
                """
                SELECT format('ALTER TABLE @.%I DROP CONSTRAINT %I', r.relname, c.conname) \
                FROM pg_constraint AS c JOIN pg_class AS r ON r.oid = c.conrelid \
                JOIN pg_namespace AS n ON n.oid = c.connamespace WHERE n.nspname = $1 \
                AND c.contype = '\(change == "check" ? "c" : "f")' ORDER BY 1 LIMIT 1
                """
            default: ""
            }
        let sql = query.isEmpty ? change : try connection.run(query, name).text(0, 0)
        return sql.replacing("@", with: "\"\(schema)\"")
    }

    @Test(arguments: PostgresServer.some(), changes)
    func `a store whose tables were changed is refused, reported, or not repaired`(
        _ server: PostgresServer, _ change: String
    ) throws {
        let schema = PostgresServer.newSchema
        try opener(server, schema).open().store.close()
        let connection = try server.connect()
        _ = try connection.run(try statement(change, schema, connection))
        let error = #expect(throws: MigrationError.self) { try opener(server, schema).open() }
        guard case .storeDiffers(let differences) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(differences.count == 1, "\(differences)")
        #expect("\(error as Any)".contains("cannot be repaired"))
        #expect("\(error as Any)".contains("restore a backup"))
        #expect(throws: MigrationError.self) {
            try opener(server, schema) { $0.isReadOnly = true }.open()
        }
        let store = try opener(server, schema) { $0.driftPolicy = .report }.open().store
        #expect(try (store as? PostgresEngine)?.differences() == differences)
        store.close()
        let refused = #expect(throws: MigrationError.self) {
            try opener(server, schema) { $0.driftPolicy = .repair }.open()
        }
        #expect("\(refused as Any)".contains(differences[0].name))
        try opener(server, schema) {
            ($0.driftPolicy, $0.isReadOnly) = (.repair, true)
        }.open().store.close()
    }

    @Test(arguments: PostgresServer.some(), repairs)
    func `what can be made again is repaired where that is wanted`(
        _ server: PostgresServer, _ change: String
    ) throws {
        let schema = PostgresServer.newSchema
        try opener(server, schema).open().store.close()
        let connection = try server.connect()
        _ = try connection.run(try statement(change, schema, connection))
        let error = #expect(throws: MigrationError.self) { try opener(server, schema).open() }
        #expect("\(error as Any)".contains("the drift policy repair"))
        #expect(!"\(error as Any)".contains("copy"))
        for _ in 0..<2 {
            let store = try opener(server, schema) { $0.driftPolicy = .repair }.open().store
            #expect(try (store as? PostgresEngine)?.differences() == [])
            store.close()
        }
        try opener(server, schema).open().store.close()
    }

    /// Changes by another program, and what is reported of them.
    private static let misfits: [(changes: [String], words: [String])] = [
        (
            [
                "DROP INDEX @.\"Node.key.box\"", "DROP INDEX @.\"Limited.unique.code\"",
                "INSERT INTO @.\"Limited\" (\"_id\", code) VALUES (1, 'AA'), (7, 'AB'), (9, 'AB')",
            ], ["two objects of Limited", "objects 7 and 9 of Limited"]
        ),
        (
            [
                "ALTER TABLE @.\"Topic\" ALTER COLUMN name DROP NOT NULL",
                "INSERT INTO @.\"Topic\" (\"_id\", name) VALUES (1, 'A'), (7, NULL)",
            ], ["Topic.name has no value", "object 7 of Topic"]
        ),
        (
            [
                "ALTER TABLE @.\"Limited\" DROP CONSTRAINT \"Limited.code.pattern\"",
                "INSERT INTO @.\"Limited\" (\"_id\", code) VALUES (1, 'AB'), (7, 'xy')",
            ], ["Limited.code", "object 7 of Limited"]
        ),
        (
            [
                "ALTER TABLE @.\"Box\" DROP CONSTRAINT \"Box.topic.destination\"",
                "INSERT INTO @.\"Box\" (\"_id\", topic) VALUES (1, NULL), (7, 99)",
            ], ["A link of Box", "object 7 has it"]
        ),
    ]

    @Test(arguments: PostgresServer.some(), misfits.indices)
    func `rows that do not fit what is made again are named, and nothing is repaired`(
        _ server: PostgresServer, _ index: Int
    ) throws {
        let schema = PostgresServer.newSchema
        try opener(server, schema).open().store.close()
        let connection = try server.connect()
        let (changes, words) = Self.misfits[index]
        for sql in changes {
            _ = try connection.run(sql.replacing("@", with: "\"\(schema)\""))
        }
        func differences() throws -> [StoreDifference] {
            let store = try opener(server, schema) { $0.driftPolicy = .report }.open().store
            defer { store.close() }
            return try #require(store as? PostgresEngine).differences()
        }
        let before = try differences()
        #expect(!before.isEmpty)
        let error = try #require(
            throws: StoreError.self,
            performing: { try opener(server, schema) { $0.driftPolicy = .repair }.open() })
        for word in words + ["cannot be repaired", "Change the rows"] {
            #expect(error.message.contains(word), "\(error)")
        }
        #expect(!"\(error)".contains("xy"))
        try #expect(differences() == before)
    }

    @Test(arguments: PostgresServer.some())
    func `what other programs have added is left alone, unless it is not trusted`(
        _ server: PostgresServer
    ) throws {
        let schema = PostgresServer.newSchema
        try opener(server, schema).open().store.close()
        let connection = try server.connect()
        for sql in [
            "CREATE TABLE @.theirs (number bigint)", "INSERT INTO @.theirs VALUES (7)",
            "CREATE INDEX their_index ON @.\"Node\" (number, label)",
            "CREATE VIEW @.their_view AS SELECT 1 AS one",
            "CREATE FUNCTION @.their_function() RETURNS trigger LANGUAGE plpgsql "
                + "AS 'BEGIN RETURN NEW; END'",
            "CREATE TRIGGER their_trigger BEFORE INSERT ON @.\"Node\" "
                + "FOR EACH ROW EXECUTE FUNCTION @.their_function()",
        ] { _ = try connection.run(sql.replacing("@", with: "\"\(schema)\"")) }
        for policy in DriftPolicy.allCases {
            try opener(server, schema) { $0.driftPolicy = policy }.open().store.close()
        }
        let rows = try connection.run("SELECT number FROM \"\(schema)\".theirs")
        #expect(rows.integer(0, 0) == 7)
        let error = #expect(throws: StoreError.self) {
            try opener(server, schema) { ($0.trust, $0.driftPolicy) = (.schemaOnly, .report) }
                .open()
        }
        #expect(error?.message.contains("their_trigger") == true)
    }

    @Test(arguments: PostgresServer.some())
    func `a store that is as it was made is looked at by one statement`(
        _ server: PostgresServer
    ) throws {
        let schema = PostgresServer.newSchema
        let made = Mutex(0)
        let hook = StatementHook { statement in
            if statement.sql.hasPrefix("CREATE") { made.withLock { $0 += 1 } }
        }
        func open() throws -> Int {
            made.withLock { $0 = 0 }
            let store = try opener(server, schema) {
                ($0.statementHook, $0.history) = (hook, .values)
            }.open().store
            store.close()
            return made.withLock { $0 }
        }
        #expect(try open() > 0)
        #expect(try open() == 0)
        // A store that another version of the server has described.
        let connection = try server.connect()
        _ = try connection.run(
            "UPDATE \"\(schema)\".\"_metadata\" SET value = 'other' WHERE name = 'catalogue'")
        #expect(try open() > 0)
        #expect(try open() == 0)
        // Indexes that another program has replaced are what they were.
        _ = try connection.run("CREATE INDEX more ON \"\(schema)\".\"Node\" (label)")
        #expect(try open() > 0)
        _ = try connection.run("DROP INDEX \"\(schema)\".more")
        #expect(try open() == 0)
    }
}
