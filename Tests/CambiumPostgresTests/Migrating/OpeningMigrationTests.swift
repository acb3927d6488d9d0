import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL
import Foundation
import Synchronization
import Testing

@testable import CambiumMigration
@testable import CambiumPostgresStore

/// Stores of an earlier version that are opened.
struct OpeningMigrationTests {
    private final class Object {}

    /// Versions of one model: in the second `number` is text, in the third every item has a box.
    private static func model(_ version: Int) -> Model {
        let number = Attribute(
            name: version == 1 ? "number" : "text", type: version == 1 ? .int32 : .string,
            renamedFrom: version == 1 ? nil : "number")
        let size = Attribute(
            name: "size", type: .int64, limits: Limits(minimum: version < 3 ? nil : .int(10)))
        let items = Relationship(
            name: "items", destination: "Item", inverse: "box", isToMany: true)
        return Model(
            name: "Opening", version: "\(version)",
            entities: [
                Entity(
                    name: "Item",
                    attributes: [number, size]
                        + [Attribute(name: "file", type: .data, isOptional: true, isExternal: true)]
                        .filter { _ in version < 3 },
                    relationships: [Relationship(name: "box", destination: "Box", inverse: "items")]
                ),
                Entity(name: "Box", relationships: [items]),
            ],
            migration: version < 3
                ? nil
                : MigrationDeclaration(
                    from: "2", drops: [.init(entity: "Item", property: "file", reason: "a test")]))
    }

    static let models = (1...3).map(model)

    static func migrations() throws -> [Migration] {
        try zip(models, models.dropFirst()).map {
            try PostgresMigration.migration(from: $0, to: $1)
        }
    }

    private func opener(
        _ server: PostgresServer, _ schema: String, version: Int,
        _ change: (inout StoreOptions) -> Void = { _ in }
    ) throws -> PostgresOpener {
        var options = StoreOptions()
        change(&options)
        return PostgresOpener(
            PostgresSettings(server.url), schema: schema,
            ModelDescription(Self.models[version - 1], types: [:], common: Object.self), options,
            migrations: try Self.migrations())
    }

    /// A store of the first version with two items, one of them in a box.
    func makeStore(
        _ server: PostgresServer, size: Int = 50, _ change: (inout StoreOptions) -> Void = { _ in }
    ) throws -> (schema: String, connection: PostgresConnection) {
        let schema = "migrate \(UUID().uuidString)"
        try opener(server, schema, version: 1, change).open().store.close()
        let connection = try server.connect()
        let name = SQLText.identifier(schema)
        _ = try connection.run(
            [
                "INSERT INTO \(name).\"Box\" VALUES (1)",
                """
                INSERT INTO \(name)."Item" ("_id", "number", "size", "box", "file") \
                VALUES (1, 5, \(size), 1, '\\x026131'), (2, -7, 60, NULL, '\\x0162')
                """,
                "INSERT INTO \(name).\"_external\" VALUES ('\\x6131', '\\xff')",
            ].map { PostgresStatement($0) })
        return (schema, connection)
    }

    func remove(_ schema: String, _ connection: PostgresConnection) {
        _ = try? PostgresBackup.removeAll(of: schema, connection)
        _ = try? connection.run("DROP SCHEMA \(SQLText.identifier(schema)) CASCADE")
    }

    @Test(arguments: PostgresServer.some())
    func `a store is migrated over all versions between`(_ server: PostgresServer) throws {
        let (schema, connection) = try makeStore(server) { $0.history = .values }
        defer { remove(schema, connection) }
        let name = SQLText.identifier(schema)
        func epoch() throws -> String {
            try connection.run(
                "SELECT \"value\" FROM \(name).\"_metadata\" WHERE \"name\" = 'history.epoch'"
            ).text(0, 0)
        }
        let before = try epoch()
        let steps = Mutex<[Int]>([])
        let (store, outcome) = try opener(server, schema, version: 3) { options in
            options.migrationProgress = { progress in
                guard progress.phase == .migration else { return }
                steps.withLock { $0.append(progress.completed) }
            }
        }.open()
        store.close()
        guard case .migrated(from: "1", to: "3", _, _) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(steps.withLock { $0 == Array(0..<$0.count) && !$0.isEmpty })
        let rows = try connection.run(
            "SELECT \"text\", \"size\", \"box\" FROM \(name).\"Item\" ORDER BY \"_id\"")
        #expect((0..<2).map { rows.text($0, 0) } == ["5", "-7"])
        #expect(rows.integer(0, 2) == 1 && rows.isNull(1, 2))
        let values = try connection.run("SELECT count(*) FROM \(name).\"_external\"")
        #expect(values.integer(0, 0) == 0)
        // The history goes on: each of its migrations is a transaction of it.
        #expect(try epoch() == before)
        let history = try connection.run(
            """
            SELECT "author", "context", "number" FROM \(name)."_history_transactions" \
            ORDER BY "number"
            """)
        #expect((0..<history.count).map { history.text($0, 0) } == ["migration", "migration"])
        #expect(
            (0..<history.count).map { history.text($0, 1) } == [
                "from version 1 to version 2", "from version 2 to version 3",
            ])
        // Nothing is left to be done, and nothing was changed by others.
        let again = try opener(server, schema, version: 3).open()
        again.store.close()
        #expect(again.migration == .current)
        let error = #expect(throws: MigrationError.self) {
            try opener(server, schema, version: 2).open()
        }
        guard case .newerVersion(store: "3", program: "2") = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: PostgresServer.some())
    func `triggers record what others write before and after a migration, and nothing of it`(
        _ server: PostgresServer
    ) throws {
        let (schema, connection) = try makeStore(server) { $0.history = .values }
        defer { remove(schema, connection) }
        let name = SQLText.identifier(schema)
        @Sendable func open(_ version: Int, triggers: Bool?) throws {
            try PostgresOpener(
                PostgresSettings(server.url), schema: schema,
                ModelDescription(Self.models[version - 1], types: [:], common: Object.self),
                StoreOptions(), migrations: try Self.migrations(), historyTriggers: triggers
            ).open().store.close()
        }
        try open(1, triggers: true)
        _ = try connection.run("UPDATE \(name).\"Item\" SET \"number\" = 6 WHERE \"_id\" = 1")
        let other = try server.connect()
        _ = try other.run("BEGIN")
        _ = try other.run("UPDATE \(name).\"Item\" SET \"number\" = 8 WHERE \"_id\" = 2")
        let work = SideWork { try open(3, triggers: nil) }
        try server.waitForSomebody(behind: other)
        _ = try other.run("COMMIT")
        try work.join()
        _ = try connection.run("UPDATE \(name).\"Item\" SET \"text\" = 'x' WHERE \"_id\" = 1")
        let history = try connection.run(
            """
            SELECT coalesce(t."author", ''), c."kind"::bigint, c."entity", c."key", \
            coalesce(array_to_string(c."columns", ' '), '') \
            FROM \(name)."_history_changes" AS c JOIN \(name)."_history_transactions" AS t \
            ON t."id" = c."transaction" ORDER BY t."rank", c."number"
            """)
        let words = (0..<history.count).filter { history.text($0, 0) == "" }.map { row in
            "\(history.text(row, 2)) \(history.integer(row, 3)) \(history.text(row, 4))"
        }
        // The value of a number, which is a text now, is left out.
        #expect(words == ["Item 1 ", "Item 2 ", "Item 1 text"])
        let own = (0..<history.count).filter { history.text($0, 0) == "migration" }
        #expect(own.count > 2 && own.allSatisfy { history.text($0, 4) == "" })
        let triggers = try connection.run(
            """
            SELECT count(*) FROM pg_trigger WHERE tgrelid = \
            \(SQLText.literal(name + ".\"Item\""))::regclass AND tgname LIKE '\\_history.%'
            """)
        #expect(triggers.integer(0, 0) == 4)
    }

    @Test(arguments: PostgresServer.some())
    func `tables are copied before data is taken from them, until the copies are removed`(
        _ server: PostgresServer
    ) throws {
        let (schema, connection) = try makeStore(server)
        defer { remove(schema, connection) }
        // Nothing is taken on the way to the second version.
        let first = try opener(server, schema, version: 2).open()
        first.store.close()
        guard case .migrated(_, _, _, backup: nil) = first.migration else {
            Issue.record("\(first.migration)")
            return
        }
        let second = try opener(server, schema, version: 3).open()
        second.store.close()
        guard case .migrated(from: "2", _, _, let backup?) = second.migration else {
            Issue.record("\(second.migration)")
            return
        }
        #expect(backup == "\(schema)_backup_2")
        let copies = SQLText.identifier(backup)
        let rows = try connection.run(
            """
            SELECT "text", x."data" FROM \(copies)."Item" LEFT JOIN \(copies)."_external" AS x \
            ON substr("file", 2) = x."name" ORDER BY "_id"
            """)
        #expect(rows.count == 2 && rows.text(1, 0) == "-7")
        #expect(Array(rows.bytes(0, 1)) == [0xff] && rows.isNull(1, 1))
        let version = try connection.run(
            "SELECT \"value\" FROM \(copies).\"_metadata\" WHERE \"name\" = 'version'")
        #expect(version.text(0, 0) == "2")
        #expect(try PostgresBackup.names(of: schema, connection) == [backup])
        #expect(try PostgresBackup.removeAll(of: schema, connection) == [backup])
        #expect(try PostgresBackup.names(of: schema, connection) == [])
        // It is a store still.
        try opener(server, schema, version: 3).open().store.close()
    }

    @Test(arguments: PostgresServer.some())
    func `no tables are copied where that is not wanted`(_ server: PostgresServer) throws {
        let (schema, connection) = try makeStore(server)
        defer { remove(schema, connection) }
        let opened = try opener(server, schema, version: 3) { $0.migrationBackup = .none }.open()
        opened.store.close()
        guard case .migrated(_, _, _, backup: nil) = opened.migration else {
            Issue.record("\(opened.migration)")
            return
        }
        #expect(try PostgresBackup.names(of: schema, connection) == [])
    }

    @Test(arguments: PostgresServer.some())
    func `a store that does not fit stays as it was`(_ server: PostgresServer) throws {
        let (schema, connection) = try makeStore(server, size: 5)
        defer { remove(schema, connection) }
        let error = #expect(throws: MigrationError.self) {
            try opener(server, schema, version: 3).open()
        }
        guard case .refused(let refusal) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(refusal.constraint == "Item.size.min")
        #expect(refusal.description.contains("Item.size is below its minimum"))
        let store = try opener(server, schema, version: 1).open()
        store.store.close()
        #expect(store.migration == .current)
        #expect(throws: MigrationError.migrationIsOff(store: "1", program: "2")) {
            try opener(server, schema, version: 2) { $0.migratesAutomatically = false }.open()
        }
        #expect(throws: MigrationError.migrationIsOff(store: "1", program: "2")) {
            try opener(server, schema, version: 2) { $0.isReadOnly = true }.open()
        }
    }

    /// Texts of the second version that are numbers again.
    @Test(arguments: PostgresServer.some())
    func `an object because of which a store is refused is named`(_ server: PostgresServer) throws {
        let (schema, connection) = try makeStore(server)
        defer { remove(schema, connection) }
        try opener(server, schema, version: 2).open().store.close()
        _ = try connection.run(
            "UPDATE \(SQLText.identifier(schema)).\"Item\" SET \"text\" = '7x' WHERE \"_id\" = 2")
        let last = Model(
            name: "Opening", version: "3",
            entities: [
                Entity(
                    name: "Item",
                    attributes: Self.models[1].entities[0].attributes.map { attribute in
                        attribute.name == "text" ? Attribute(name: "text", type: .int32) : attribute
                    }, relationships: Self.models[1].entities[0].relationships),
                Self.models[1].entities[1],
            ])
        let migration = try PostgresMigration.migration(from: Self.models[1], to: last)
        let opener = PostgresOpener(
            PostgresSettings(server.url), schema: schema,
            ModelDescription(last, types: [:], common: Object.self), StoreOptions(),
            migrations: [migration])
        let error = #expect(throws: MigrationError.self) { try opener.open() }
        guard case .refused(let refusal) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(refusal.reason == "a value of Item.text does not fit its new type, int32")
        #expect(refusal.entity == "Item" && refusal.objects == [2])
    }

    @Test(arguments: PostgresServer.some())
    func `of several programs one migrates, and the others wait`(_ server: PostgresServer) throws {
        let (schema, connection) = try makeStore(server)
        defer { remove(schema, connection) }
        let openers = try (0..<4).map { _ in try opener(server, schema, version: 3) }
        let outcomes = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: openers.count) { index in
            let text: String
            do {
                let opened = try openers[index].open()
                opened.store.close()
                text = opened.migration == .current ? "current" : "migrated"
            } catch {
                text = "\(error)"
            }
            outcomes.withLock { $0.append(text) }
        }
        #expect(
            outcomes.withLock { $0.sorted() } == ["current", "current", "current", "migrated"])
    }

    @Test(arguments: PostgresServer.some())
    func `a migration does not wait for long where others use the tables`(
        _ server: PostgresServer
    ) throws {
        let (schema, connection) = try makeStore(server)
        defer { remove(schema, connection) }
        _ = try connection.run([PostgresConnection.begin(isReadOnly: false)])
        _ = try connection.run("SELECT 1 FROM \(SQLText.identifier(schema)).\"Item\"")
        let error = #expect(throws: StoreError.self) {
            try opener(server, schema, version: 2) { $0.busyTimeout = .milliseconds(200) }.open()
        }
        #expect(error?.code == .busy)
        _ = try connection.run("ROLLBACK")
        let store = try opener(server, schema, version: 2).open()
        store.store.close()
        #expect(store.migration != .current)
    }

    @Test(arguments: PostgresServer.some())
    func `a table that others have changed is found after the migration`(
        _ server: PostgresServer
    ) throws {
        let (schema, connection) = try makeStore(server)
        defer { remove(schema, connection) }
        let name = SQLText.identifier(schema)
        _ = try connection.run("ALTER TABLE \(name).\"Box\" ALTER COLUMN \"_version\" DROP DEFAULT")
        let error = #expect(throws: MigrationError.self) {
            try opener(server, schema, version: 2).open()
        }
        guard case .storeDiffers(let differences) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(differences.map(\.name) == ["Box"])
        #expect("\(error as Any)".contains("a migration repairs nothing"))
        let version = try connection.run(
            "SELECT \"value\" FROM \(name).\"_metadata\" WHERE \"name\" = 'version'")
        #expect(version.text(0, 0) == "1")
    }
}
