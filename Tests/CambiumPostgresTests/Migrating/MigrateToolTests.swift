import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumPostgres
import CambiumPostgresSQL
import CambiumSQL
import Foundation
import Synchronization
import Testing

@testable import CambiumCompiler
@testable import CambiumPostgresStore
@testable import CambiumTool

/// `cambium migrate` on servers.
struct MigrateToolTests {
    /// A bundle of three versions, and a store of the first one with two rows.
    final class World {
        let server: PostgresServer
        let connection: PostgresConnection
        let folder: URL
        let schema = "tool \(UUID().uuidString)"

        var model: String { folder.appendingPathComponent("Shop.cambium").path }
        var name: String { SQLText.identifier(schema) }
        var url: String { url(through: server.url) }
        func url(through server: String) -> String {
            "\(server)#\(schema.replacing(" ", with: "%20"))"
        }

        init(_ server: PostgresServer, last: String = "", drops: String = "") throws {
            self.server = server
            connection = try server.connect()
            folder = FileManager.default.temporaryDirectory
                .appendingPathComponent("migrate-\(UUID().uuidString)")
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent("Shop.cambium"),
                withIntermediateDirectories: true)
            let box =
                "<entity name=\"Box\"><relationship name=\"items\" to=\"Item\" "
                + "many=\"true\" inverse=\"box\"/></entity>"
            let link = "<relationship name=\"box\" to=\"Box\" inverse=\"items\" optional=\"true\"/>"
            let bodies = [
                "<attribute name=\"name\" type=\"string\"/><attribute name=\"note\" type=\"string\"/>",
                "<attribute name=\"title\" type=\"string\" renamedFrom=\"name\"/>"
                    + "<attribute name=\"note\" type=\"string\"/>",
                "<attribute name=\"title\" type=\"string\"/>\(last)",
            ]
            let drop =
                "<migration from=\"2\"><drop entity=\"Item\" property=\"note\" reason=\"r\"/>\(drops)</migration>"
            for (index, body) in bodies.enumerated() {
                try write(
                    "<model xmlns=\"urn:cambium:model:1\" name=\"Shop\" version=\"\(index + 1)\">"
                        + "<entity name=\"Item\">\(body)\(link)</entity>\(box)"
                        + (index == 2 ? drop : "") + "</model>", to: "\(index + 1).xml")
            }
        }

        func write(_ text: String, to file: String) throws {
            try Data(text.utf8).write(
                to: folder.appendingPathComponent("Shop.cambium/\(file)"))
        }

        /// Makes the store of the first version.
        func makeStore() throws {
            let versions = CheckedVersionsOf(model).models
            let opener = PostgresOpener(
                PostgresSettings(server.url), schema: schema,
                .withoutClasses(try #require(versions.first)), StoreOptions())
            try opener.open().store.close()
            _ = try connection.run(
                [
                    "INSERT INTO \(name).\"Box\" VALUES (1)",
                    """
                    INSERT INTO \(name)."Item" ("_id", "name", "note", "box") \
                    VALUES (1, 'tree', 'x', 1), (2, 'oak', 'y', NULL)
                    """,
                ].map { PostgresStatement($0) })
        }

        fileprivate func run(_ words: String...) -> ToolWords { ToolWords(words) }

        /// Every table of the store, with its rows.
        func dump() throws -> [String: String] {
            var dump: [String: String] = [:]
            let tables = try connection.run(
                "SELECT tablename::text FROM pg_tables WHERE schemaname = '\(schema)'")
            for row in 0..<tables.count {
                let table = tables.text(row, 0)
                dump[table] = try connection.run(
                    """
                    SELECT coalesce(string_agg(t::text, ' ' ORDER BY t::text), '') \
                    FROM \(name).\(SQLText.identifier(table)) AS t
                    """
                ).text(0, 0)
            }
            return dump
        }

        /// The schemas of the database that are none of this store, or its own.
        func schemas(like pattern: String) throws -> [String] {
            let rows = try connection.run(
                "SELECT nspname::text FROM pg_namespace WHERE nspname LIKE '\(pattern)'")
            return (0..<rows.count).map { rows.text($0, 0) }
        }

        deinit {
            _ = try? PostgresBackup.removeAll(of: schema, connection)
            _ = try? connection.run("DROP SCHEMA IF EXISTS \(SQLText.identifier(schema)) CASCADE")
            try? FileManager.default.removeItem(at: folder)
        }
    }

    @Test(arguments: PostgresServer.some())
    func `status tells the version, and by its exit code whether anything is to do`(
        _ server: PostgresServer
    ) throws {
        let world = try World(server)
        let none = world.run("status", world.url, "--model", world.model)
        #expect(none.code == .fine && none.output.contains("there is no store yet"))
        try world.makeStore()
        let behind = world.run("status", world.url, "--model", world.model, "--json")
        #expect(behind.code == .storeIsBehind, "\(behind.errors)")
        #expect(behind.output.contains("\"state\" : \"behind\""))
        #expect(behind.output.contains("\"class\" : \"lossy\""))
        let same = world.run("status", world.url, "--model", world.model, "--to", "1")
        #expect(same.code == .fine, "\(same.output)")
        _ = try world.connection.run("ALTER TABLE \(world.name).\"Box\" ADD COLUMN extra text")
        let changed = world.run("status", world.url, "--model", world.model)
        #expect(changed.code == .storeRefused && changed.output.contains("Box (changed"))
    }

    @Test(arguments: PostgresServer.some())
    func `a plan changes nothing and names rows, locks and copies`(
        _ server: PostgresServer
    ) throws {
        let world = try World(server)
        let none = world.run("plan", world.url, "--model", world.model)
        #expect(none.code == .file && none.errors.contains("There is no store at"))
        try world.makeStore()
        let before = try world.dump()
        let plan = world.run("plan", world.url, "--model", world.model)
        #expect(plan.code == .fine, "\(plan.errors)")
        #expect(plan.output.contains("1 → 2 → 3"))
        #expect(plan.output.contains("drop Item.note and its data"))
        #expect(plan.output.contains("copies of tables, made first in a schema of their own"))
        #expect(
            plan.output.contains("ACCESS EXCLUSIVE on Item: stops readers and writers"),
            "\(plan.output)")
        #expect(try world.dump() == before)
        let json = world.run("plan", world.url, "--model", world.model, "--json")
        #expect(json.output.contains("\"stopsReaders\" : true"))
        #expect(plan.output.contains("nobody at the moment"))
        _ = try world.connection.run([PostgresConnection.begin(isReadOnly: true)])
        _ = try world.connection.run("SELECT count(*) FROM \(world.name).\"Box\"")
        let busy = world.run("plan", world.url, "--model", world.model)
        #expect(busy.output.contains("1 transaction (open for "), "\(busy.output)")
        let busyJSON = world.run("plan", world.url, "--model", world.model, "--json")
        #expect(busyJSON.output.contains("\"seconds\" : "))
        _ = try world.connection.run("ROLLBACK")
    }

    @Test(arguments: PostgresServer.some())
    func `a store is migrated, its copies are named, and forget removes them`(
        _ server: PostgresServer
    ) throws {
        let world = try World(server)
        let none = world.run("apply", world.url, "--model", world.model)
        #expect(none.code == .file)
        try world.makeStore()
        let option = world.run("apply", world.url, "--model", world.model, "--backup", "x")
        #expect(option.code == .usage && option.errors.contains("is for stores in files"))
        let run = world.run("apply", world.url, "--model", world.model)
        #expect(run.code == .fine, "\(run.errors)")
        #expect(run.output.contains("migrated from version 1 to 3"))
        let copies = "\(world.schema)_backup_1"
        #expect(run.output.contains("Backup of the tables: the schema \(copies)"))
        #expect(try world.dump()["Item"]?.contains("tree") == true)
        #expect(try world.schemas(like: copies) == [copies])
        let again = world.run("apply", world.url, "--model", world.model, "--json")
        #expect(again.code == .fine && again.output.contains("\"outcome\" : \"current\""))
        let forgotten = world.run("forget", world.url)
        #expect(forgotten.code == .fine && forgotten.output.contains("  \(copies)\n"))
        #expect(try world.schemas(like: copies) == [])
        #expect(world.run("forget", world.url).output.contains("there are no copies"))
        // The store stays.
        #expect(world.run("status", world.url, "--model", world.model).code == .fine)
    }

    @Test(arguments: PostgresServer.some())
    func `a rehearsal leaves the store alone and compares the tables`(
        _ server: PostgresServer
    ) throws {
        let world = try World(server)
        try world.makeStore()
        let before = try world.dump()
        let run = world.run("rehearse", world.url, "--model", world.model)
        #expect(run.code == .fine, "\(run.errors) \(run.output)")
        #expect(run.output.contains("1 → 2 → 3: a copy was migrated, the store was only read"))
        #expect(run.output.contains("Tables  2 tables with as many rows as before"))
        #expect(try world.dump() == before)
        #expect(try world.schemas(like: "cambium\\_rehearsal%") == [])
        #expect(try world.schemas(like: "\(world.schema)\\_backup%") == [])
    }

    @Test(arguments: PostgresServer.some())
    func `a rehearsal says why a store does not fit`(_ server: PostgresServer) throws {
        let world = try World(server, last: "<unique by=\"title\"/>")
        try world.makeStore()
        _ = try world.connection.run("UPDATE \(world.name).\"Item\" SET \"name\" = 'oak'")
        let before = try world.dump()
        let run = world.run("rehearse", world.url, "--model", world.model)
        #expect(run.code == .storeRefused, "\(run.output) \(run.errors)")
        #expect(run.output.contains("the migration of a copy failed after"))
        #expect(run.output.contains("title"), "\(run.output)")
        #expect(try world.dump() == before)
        let applied = world.run("apply", world.url, "--model", world.model)
        #expect(applied.code == .storeRefused, "\(applied.output)")
        #expect(try world.dump() == before)
    }

    @Test(arguments: PostgresServer.some())
    func `every step is proven on a server, where nothing stays`(_ server: PostgresServer) throws {
        let world = try World(server)
        let run = world.run(
            "verify", "--model", world.model, "--engine", "postgres", "--url", server.url, "--json")
        #expect(run.code == .fine, "\(run.errors)")
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
        let steps = try #require(report["steps"] as? [[String: Any]])
        #expect(steps.map { $0["class"] as? String } == ["reversible", "lossy"])
        for step in steps {
            let rows = try #require(step["rowsIn"] as? Int)
            #expect(rows > 12 && step["rowsOut"] as? Int == rows)
        }
        #expect(try world.schemas(like: "cambium\\_proof%") == [])
        #expect(try world.schemas(like: "cambium\\_new%") == [])
        #expect(
            world.run("verify", "--model", world.model, "--engine", "postgres").errors
                .contains("needs --url"))
        #expect(
            world.run("verify", "--model", world.model, "--url", server.url).code == .usage)
        let unreachable = world.run(
            "verify", "--model", world.model, "--engine", "postgres", "--url",
            "postgresql://ada:sesame@127.0.0.1:1/shop")
        #expect(unreachable.code == .storeRefused)
        #expect(!unreachable.errors.contains("sesame"))
    }
}

/// The versions of a bundle.
private struct CheckedVersionsOf {
    let models: [Model]

    init(_ path: String) {
        models = ModelCompiler.check(BundleReader.read(path).0).versions.map(\.model)
    }
}

/// A run of `cambium migrate`, with what it printed.
private struct ToolWords {
    let code: ExitCode
    let output: String
    let errors: String

    init(_ words: [String]) {
        let output = Mutex("")
        let errors = Mutex("")
        let console = Console(
            write: { text in output.withLock { $0 += text } },
            writeError: { text in errors.withLock { $0 += text } })
        code = StoreArgument.$servers.withValue(.postgres) {
            Tool.run(["migrate"] + words, console)
        }
        self.output = output.withLock { $0 }
        self.errors = errors.withLock { $0 }
    }
}
