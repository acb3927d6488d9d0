import Cambium
import CambiumEngine
import CambiumEngineSpecification
import CambiumModel
import CambiumPostgres
import CambiumPostgresSQL
import Foundation
import Testing

@testable import CambiumPostgresStore

/// Ways in which a server or a schema can be wrong: each is one error that says what is wrong, where, and
/// what to do about it, or does not matter.
struct BrokenStoreTests {
    /// A way, and what comes of it.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        /// What breaks the store, as the administrator. `@` stands for the schema, `ROLE` for the user.
        let sql: [String]
        /// The code of the error; nil where all goes on.
        let code: String?
        /// What the error says: the place, and the remedy.
        let words: [String]

        var testDescription: String { name }

        /// What does not matter.
        static func works(_ name: String, _ sql: String...) -> Case {
            Case(name: name, sql: sql, code: nil, words: [])
        }

        static func fails(
            _ name: String, _ sql: String..., as code: String, _ words: [String]
        ) -> Case {
            Case(name: name, sql: sql, code: code, words: words)
        }

        /// A difference that opening finds.
        static func differs(_ name: String, _ sql: String..., at words: String...) -> Case {
            Case(
                name: name, sql: sql, code: "storeDiffers",
                words: words + ["Another program must have changed them", "Undo that"])
        }

        /// A right that the user lacks.
        static func lacks(_ right: String, _ thing: String, _ words: String) -> Case {
            Case(
                name: "no \(right) on \(thing)", sql: ["REVOKE \(right) ON \(thing) FROM ROLE"],
                code: "notPermitted", words: ["\(words)", "cambium sql MODEL --engine postgres"])
        }
    }

    private static let book = Entity(
        name: "Book",
        attributes: [
            Attribute(name: "title", type: .string),
            Attribute(name: "year", type: .int32, limits: Limits(minimum: .int(0))),
            Attribute(name: "note", type: .string, isOptional: true),
            Attribute(name: "cover", type: .data, isOptional: true, isExternal: true),
        ],
        relationships: [
            Relationship(name: "shelf", destination: "Shelf", inverse: "books", isOptional: true)
        ], uniqueConstraints: [UniqueConstraint(properties: ["title"])])

    private static let model = CompiledModel(
        Model(
            name: "Broken", version: "1",
            entities: [
                book,
                Entity(
                    name: "Shelf", attributes: [Attribute(name: "name", type: .string)],
                    relationships: [
                        Relationship(
                            name: "books", destination: "Book", inverse: "shelf", isToMany: true,
                            isOptional: true)
                    ]),
            ]))

    /// Uses a store in all ways.
    private static func use(_ container: PersistentContainer) throws {
        let context = container.newContext()
        let shelf = try context.make("Shelf", ["name": "low"])
        let books = try (0..<3).map { number in
            let book = try context.make("Book", ["title": "\(number)"])
            try book.setValue(.int(Int64(1_900 + number)), forKey: "year")
            book[one: "shelf"] = shelf
            book[data: "cover"] = Data(count: 200_000)
            return book
        }
        try context.save()
        books[0]["note"] = "first"
        try context.save()
        (books[0]["title"], books[1]["title"]) = ("1", "0")
        try context.save()
        context.delete(books[2])
        try context.save()
        let reader = container.newContext()
        let found = try reader.all("Book")
        #expect(found.map { $0["title"] } == ["1", "0"])
        #expect(found.map { $0[one: "shelf"]?["name"] } == ["low", "low"])
        #expect(found[0][data: "cover"]?.count == 200_000)
        #expect(
            try container.coordinator.fetchHistory(HistoryRequest()).transactions.count == 4)
    }

    private static let rights = [
        Case.fails(
            "no USAGE on the schema", "REVOKE USAGE ON SCHEMA @ FROM ROLE", as: "cannotOpen",
            ["may not open the store in the schema", "permission denied for schema", "--grants"]),
        .fails(
            "no SELECT on _metadata", "REVOKE SELECT ON @._metadata FROM ROLE", as: "cannotOpen",
            ["may not open the store in the schema", "table _metadata", "--grants"]),
        .lacks("SELECT", "@.\"Book\"", "permission denied for table Book"),
        .lacks("INSERT", "@.\"Book\"", "permission denied for table Book"),
        .lacks("UPDATE", "@.\"Book\"", "permission denied for table Book"),
        .lacks("DELETE", "@.\"Book\"", "permission denied for table Book"),
        .lacks("UPDATE", "@._keys", "permission denied for table _keys"),
        .lacks("INSERT", "@._commits", "permission denied for table _commits"),
        .lacks("INSERT", "@._external", "permission denied for table _external"),
        .lacks("INSERT", "@._history_changes", "permission denied for table _history_changes"),
        .lacks("UPDATE", "@._history_state", "permission denied for table _history_state"),
        .lacks("USAGE", "SEQUENCE @._history_sequence", "permission denied for sequence"),
        .works("no DELETE on _metadata", "REVOKE DELETE ON @._metadata FROM ROLE"),
        .fails(
            "no grants for a table that was made again",
            "CREATE TABLE @.other (LIKE @.\"Shelf\" INCLUDING DEFAULTS)", "DROP TABLE @.other",
            "REVOKE ALL ON @.\"Shelf\" FROM ROLE", as: "notPermitted",
            ["permission denied for table Shelf", "--grants"]),
        .works("tables of another owner", "ALTER TABLE @.\"Book\" OWNER TO pg_monitor"),
    ]

    private static let tables = [
        Case.differs("no table", "DROP TABLE @.\"Book\"", at: "Book"),
        .differs("no column", "ALTER TABLE @.\"Book\" DROP COLUMN note", at: "Book", "note"),
        .differs("no index", "DROP INDEX @.\"Book.unique.title\"", at: "Book.unique.title"),
        .differs("no index of a key", "DROP INDEX @.\"Book.key.shelf\"", at: "Book.key.shelf"),
        .differs(
            "no check", "ALTER TABLE @.\"Book\" DROP CONSTRAINT \"Book.year.min\"", at: "Book"),
        .differs(
            "no foreign key", "ALTER TABLE @.\"Book\" DROP CONSTRAINT \"Book.shelf.destination\"",
            at: "Book"),
        .differs(
            "no primary key", "ALTER TABLE @.\"Shelf\" DROP CONSTRAINT \"Shelf.key\" CASCADE",
            at: "Shelf"),
        .differs(
            "no default", "ALTER TABLE @.\"Book\" ALTER COLUMN \"_version\" DROP DEFAULT",
            at: "Book"),
        .differs(
            "no NOT NULL", "ALTER TABLE @.\"Book\" ALTER COLUMN title DROP NOT NULL", at: "Book"),
        .differs("no _keys", "DROP TABLE @._keys", at: "_keys"),
        .differs("no _external", "DROP TABLE @._external", at: "_external"),
        .fails(
            "no _commits", "DROP TABLE @._commits", as: "cannotOpen",
            ["may not add the table _commits", "as the owner of its tables"]),
        .fails(
            "no sequence of the history", "DROP SEQUENCE @._history_sequence", as: "noHistory",
            ["keeps no history", "StoreOptions.history"]),
        .fails(
            "no table of the history", "DROP TABLE @._history_changes", as: "noHistory",
            ["keeps no history", "StoreOptions.history"]),
        .differs(
            "a shorter type", "ALTER TABLE @.\"Book\" ALTER COLUMN note TYPE varchar(5)",
            at: "Book"),
        .differs(
            "another type", "ALTER TABLE @.\"Book\" ALTER COLUMN year TYPE bigint", at: "Book"),
        .differs(
            "another collation",
            "ALTER TABLE @.\"Book\" ALTER COLUMN note TYPE text COLLATE \"POSIX\"", at: "Book"),
        .differs(
            "a domain", "CREATE DOMAIN @.years AS integer",
            "ALTER TABLE @.\"Book\" ALTER COLUMN year TYPE @.years", at: "Book"),
        .differs(
            "another default", "ALTER TABLE @.\"Book\" ALTER COLUMN \"_version\" SET DEFAULT 2",
            at: "Book"),
        .differs(
            "a NOT NULL more", "ALTER TABLE @.\"Book\" ALTER COLUMN note SET NOT NULL", at: "Book"),
        .differs(
            "an identity",
            "ALTER TABLE @.\"Book\" ALTER COLUMN \"_id\" ADD GENERATED BY DEFAULT AS IDENTITY",
            at: "Book"),
        .differs(
            "a check that is not valid",
            "ALTER TABLE @.\"Book\" DROP CONSTRAINT \"Book.year.min\"",
            "ALTER TABLE @.\"Book\" ADD CONSTRAINT \"Book.year.min\" CHECK (year >= 0) NOT VALID",
            at: "Book"),
        .differs(
            "another check", "ALTER TABLE @.\"Book\" DROP CONSTRAINT \"Book.year.min\"",
            "ALTER TABLE @.\"Book\" ADD CONSTRAINT \"Book.year.min\" CHECK (year >= 5)",
            at: "Book"),
        .differs(
            "a foreign key that is not deferrable",
            "ALTER TABLE @.\"Book\" ALTER CONSTRAINT \"Book.shelf.destination\" NOT DEFERRABLE",
            at: "Book"),
        .differs(
            "a foreign key that deletes",
            "ALTER TABLE @.\"Book\" DROP CONSTRAINT \"Book.shelf.destination\"",
            """
            ALTER TABLE @."Book" ADD CONSTRAINT "Book.shelf.destination" FOREIGN KEY (shelf) \
            REFERENCES @."Shelf" ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
            """, at: "Book"),
        .differs(
            "a foreign key that is switched off", "ALTER TABLE @.\"Book\" DISABLE TRIGGER ALL",
            at: "Book"),
        .differs(
            "an index that is not unique", "DROP INDEX @.\"Book.unique.title\"",
            "CREATE INDEX \"Book.unique.title\" ON @.\"Book\" (title)", at: "Book.unique.title"),
        .differs(
            "an invalid index",
            """
            UPDATE pg_index SET indisvalid = false \
            WHERE indexrelid = '@."Book.unique.title"'::regclass
            """, at: "Book.unique.title"),
        .differs(
            "a view in place of a table", "ALTER TABLE @.\"Book\" RENAME TO books",
            "CREATE VIEW @.\"Book\" AS SELECT * FROM @.books", at: "Book"),
        .differs(
            "a materialized view in place of a table", "ALTER TABLE @.\"Book\" RENAME TO books",
            "CREATE MATERIALIZED VIEW @.\"Book\" AS SELECT * FROM @.books", at: "Book"),
        .differs(
            "a partitioned table in place of a table", "ALTER TABLE @.\"Book\" RENAME TO books",
            "CREATE TABLE @.\"Book\" (LIKE @.books) PARTITION BY HASH (\"_id\")", at: "Book"),
        .differs("an unlogged table", "ALTER TABLE @.\"Book\" SET UNLOGGED", at: "Book"),
        .differs(
            "a table that inherits", "CREATE TABLE @.more () INHERITS (@.\"Book\")", at: "Book"),
        .differs(
            "a rule", "CREATE RULE quiet AS ON INSERT TO @.\"Book\" DO INSTEAD NOTHING",
            at: "Book"),
        .differs(
            "a column more", "ALTER TABLE @.\"Book\" ADD COLUMN more text", at: "Book", "more"),
        .works("an index more", "CREATE INDEX more ON @.\"Book\" (year)"),
        .works("replica identity", "ALTER TABLE @.\"Book\" REPLICA IDENTITY FULL"),
        .works(
            "a trigger of another program",
            """
            CREATE FUNCTION @.pass() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'
            """,
            """
            CREATE TRIGGER pass BEFORE INSERT ON @."Book" FOR EACH ROW EXECUTE FUNCTION @.pass()
            """),
        .fails(
            "a trigger that refuses",
            """
            CREATE FUNCTION @.stop() RETURNS trigger LANGUAGE plpgsql \
            AS 'BEGIN RAISE EXCEPTION ''no %'', NEW.title; END'
            """,
            """
            CREATE TRIGGER stop BEFORE INSERT ON @."Book" FOR EACH ROW EXECUTE FUNCTION @.stop()
            """, as: "notTrusted",
            ["A trigger or function of another program has refused", "Change or remove"]),
        .fails(
            "row-level security without a policy",
            "ALTER TABLE @.\"Book\" ENABLE ROW LEVEL SECURITY", as: "notPermitted",
            ["row-level security policy for table \"Book\"", "policy lets pass"]),
    ]

    private static let rows = [
        Case.fails(
            "no metadata", "DELETE FROM @._metadata", as: "notAStore",
            ["has no metadata of a model", "restore it from a backup"]),
        .fails(
            "no model in the metadata", "DELETE FROM @._metadata WHERE name = 'model'",
            as: "notAStore", ["has no metadata of a model", "restore it from a backup"]),
        .fails(
            "no UUID in the metadata", "DELETE FROM @._metadata WHERE name = 'uuid'",
            as: "notAStore", ["has no metadata of a model", "restore it from a backup"]),
        .fails(
            "a garbled UUID", "UPDATE @._metadata SET value = 'x' WHERE name = 'uuid'",
            as: "notAStore", ["has no metadata of a model", "restore it from a backup"]),
        .fails(
            "a garbled hash", "UPDATE @._metadata SET value = 'x' WHERE name = 'versionHash'",
            as: "unknownVersion", ["version 1", "drop its schema"]),
        .fails(
            "a newer format", "UPDATE @._metadata SET value = '99' WHERE name = 'format'",
            as: "unknownVersion", ["99", "Update the program"]),
        .fails(
            "a newer version",
            "UPDATE @._metadata SET value = '2' WHERE name IN ('version', 'versionHash')",
            as: "unknownVersion", ["version 2", "Update the program"]),
        .fails(
            "another model", "UPDATE @._metadata SET value = 'Shop' WHERE name = 'model'",
            as: "otherModel", ["the model Shop"]),
        .differs(
            "rows twice", "ALTER TABLE @._metadata DROP CONSTRAINT \"_metadata_pkey\"",
            "INSERT INTO @._metadata SELECT * FROM @._metadata", at: "_metadata"),
        .fails(
            "another table _metadata", "ALTER TABLE @._metadata RENAME COLUMN value TO text",
            as: "notAStore", ["_metadata", "does not belong to a store", "another schema"]),
        .fails(
            "metadata that a policy hides", "ALTER TABLE @._metadata ENABLE ROW LEVEL SECURITY",
            as: "notAStore", ["has no metadata of a model", "policy"]),
        .fails(
            "no _metadata", "DROP TABLE @._metadata", as: "cannotOpen",
            ["may not create the store in the schema", "grant CREATE"]),
        .fails(
            "tables of another program", "DROP TABLE @._metadata",
            "GRANT CREATE ON SCHEMA @ TO ROLE", as: "cannotOpen",
            ["another program has objects there", "a schema of its own"]),
        .fails(
            "no epoch of the history", "DELETE FROM @._metadata WHERE name = 'history.epoch'",
            as: "noHistory", ["keeps no history", "StoreOptions.history"]),
        .fails(
            "no key of an entity", "DELETE FROM @._keys WHERE entity = 'Book'", as: "corrupt",
            ["no keys for Book", "_keys", "backup"]),
        .fails(
            "keys that a policy hides", "ALTER TABLE @._keys ENABLE ROW LEVEL SECURITY",
            as: "corrupt", ["no keys for", "_keys"]),
        .works(
            "a key that is too low",
            "INSERT INTO @.\"Shelf\" (\"_id\", name) VALUES (1, 'a'), (2, 'b')"),
    ]

    private static let users = [
        Case.fails(
            "a user that may not log in", "ALTER ROLE ROLE NOLOGIN", as: "cannotOpen",
            ["does not accept the user", "pg_hba.conf"]),
        .fails(
            "out of connections", "ALTER ROLE ROLE CONNECTION LIMIT 0", as: "busy",
            ["accepts no more connections", "poolSize"]),
        .fails(
            "read-only transactions", "ALTER ROLE ROLE SET default_transaction_read_only = on",
            as: "readOnly", ["accepts no changes", "isReadOnly"]),
        .works("no search path", "ALTER ROLE ROLE SET search_path = ''"),
        .works(
            "tables of the same names first in the search path",
            "CREATE SCHEMA IF NOT EXISTS trap", "DROP TABLE IF EXISTS trap.\"Book\"",
            "CREATE TABLE IF NOT EXISTS trap.\"Book\" (x text)",
            "GRANT USAGE ON SCHEMA trap TO ROLE",
            "ALTER ROLE ROLE SET search_path = pg_temp, trap, @"),
        .works("the schema first in the search path", "ALTER ROLE ROLE SET search_path = @"),
        .works("another DateStyle", "ALTER ROLE ROLE SET DateStyle = 'German'"),
        .works("another time zone", "ALTER ROLE ROLE SET TimeZone = 'Asia/Kathmandu'"),
        .works("another form of bytes", "ALTER ROLE ROLE SET bytea_output = 'escape'"),
        .works("backslashes", "ALTER ROLE ROLE SET standard_conforming_strings = off"),
        .works("fewer digits", "ALTER ROLE ROLE SET extra_float_digits = -15"),
        .works(
            "serializable", "ALTER ROLE ROLE SET default_transaction_isolation = 'serializable'"),
        .works("another encoding", "ALTER ROLE ROLE SET client_encoding = 'LATIN1'"),
        .works("no sequential scans", "ALTER ROLE ROLE SET enable_seqscan = off"),
        .works("a lock timeout", "ALTER ROLE ROLE SET lock_timeout = '1ms'"),
        .works("XML", "ALTER ROLE ROLE SET xmloption = 'document'"),
    ]

    private static let cases = rights + tables + rows + users

    /// Makes a store, breaks it and uses it.
    private static func failure(_ test: Case, _ server: PostgresServer) throws -> (any Error)? {
        let role = try OwnRole(server)
        let schema = PostgresServer.newSchema
        let name = "\"\(schema)\""
        defer { try? role.run("DROP SCHEMA \(name) CASCADE") }
        func open(_ url: String, _ tracking: HistoryTracking) throws -> PersistentContainer {
            var description = StoreDescription(location: .postgres(url, schema: schema))
            description.options.history = tracking
            return try PersistentContainer(model, description)
        }
        _ = try open(server.url, .values)
        for sql in PostgresGrants.script(of: model.model, in: schema, to: role.name) + test.sql {
            try role.run(
                sql.replacing("ROLE ROLE", with: "ROLE \(role.name)")
                    .replacing("TO ROLE", with: "TO \(role.name)")
                    .replacing("FROM ROLE", with: "FROM \(role.name)")
                    .replacing("@", with: name))
        }
        do {
            try use(try open(role.url, .asStored))
            return nil
        } catch {
            return error
        }
    }

    private static func code(of error: (any Error)?) -> String {
        switch error {
        case let error as StoreLoadingError: "\(error.code)"
        case let error as StoreError: "\(error.code)"
        case let error?: "\(type(of: error))"
        case nil: "none"
        }
    }

    @Test(arguments: TestSize.sample(cases, oneIn: 4), PostgresServer.some())
    func `one thing that is wrong is one error with its place and its remedy`(
        _ test: Case, _ server: PostgresServer
    ) throws {
        let error = try Self.failure(test, server)
        let text = error.map { "\($0)" } ?? ""
        if ProcessInfo.processInfo.environment["SHOW"] != nil {
            print("CASE \(test.name) [\(Self.code(of: error))] \(text)")
        }
        #expect(Self.code(of: error) == test.code ?? "none", "\(text)")
        for word in test.words { #expect(text.contains(word), "\(text)") }
        // Values of rows and secrets are in none.
        #expect(!text.contains("no 0") && !text.contains("cambium@"))
    }

    @Test func `there are many, and each has a name of its own`() {
        #expect(Self.cases.count >= 50)
        #expect(Set(Self.cases.map(\.name)).count == Self.cases.count)
    }
}
