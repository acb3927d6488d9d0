import CambiumAuthoring
import CambiumEngineSpecification
import CambiumModel
import CambiumSQL
import Foundation
import Synchronization
import Testing

@testable import CambiumCompiler
@testable import CambiumPostgresStore
@testable import CambiumSQLite

/// `cambium move`: between files and servers, with a model and no classes.
struct MoveCommandTests {
    @Test(arguments: MovedStore.some, PostgresServer.some())
    func `a store that an earlier edition made moves to a server and back`(
        _ store: MovedStore, _ server: PostgresServer
    ) throws {
        try store.withCopy { path in
            let schema = PostgresServer.newSchema
            defer { try? server.drop(schema) }
            let url = server.url(of: schema)
            let there = ToolRun(["move", path, url, "--model", store.model, "--json"])
            #expect(there.code == .fine, "\(there.errors)")
            let back = ToolRun(["move", url, path + ".back", "--model", store.model, "--json"])
            #expect(back.code == .fine, "\(back.errors)")
            let (first, second) = (try MoveResult(there), try MoveResult(back))
            #expect(first.tables == second.tables)
            #expect(second.roundedDates == 0)
            let before = try StoreDump(path, roundsNumbers: first.roundedDates > 0)
            let after = try StoreDump(path + ".back", roundsNumbers: first.roundedDates > 0)
            #expect(after.schema == before.schema)
            #expect(after.rows == before.rows)
            #expect(after.largeValues == before.largeValues)
            // It stays as it is, and so the same command does again.
            let again = ToolRun(["move", path, url, "--model", store.model])
            #expect(again.code == .storeRefused)
            let isEmpty = first.tables.allSatisfy { $0.rows == 0 }
            #expect(isEmpty || again.errors.contains("already has objects of"), "\(again.errors)")
        }
    }

    @Test(arguments: PostgresServer.some())
    func `all values that a server cannot hold are named, and nothing is written`(
        _ server: PostgresServer
    ) throws {
        try withStore { path, model in
            let connection = try Connection(path: path)
            try connection.transaction {
                for key in 1...12 {
                    try connection.execute(
                        """
                        INSERT INTO "Note" ("_id", "title", "date") \
                        VALUES (\(key), 'a' || char(0) || 'b', \(key.isMultiple(of: 2) ? -1e14 : 0))
                        """)
                }
                try connection.execute(
                    """
                    INSERT INTO "Note" ("_id", "title", "date") VALUES \
                    (13, CAST(x'41FF' AS TEXT), 1e15), (14, 'fine', 0.1)
                    """)
            }
            let schema = PostgresServer.newSchema
            let url = server.url(of: schema)
            let run = ToolRun(["move", path, url, "--model", model])
            #expect(run.code == .storeRefused)
            let lines = run.errors.split(separator: "\n").filter { $0.hasPrefix("  Note/") }
            #expect(lines.count == 20, "\(run.errors)")
            #expect(
                lines.first
                    == "  Note/1.title: title contains a NUL character, which a string cannot contain."
            )
            #expect(
                lines.contains {
                    $0.hasPrefix("  Note/2.date: date is a date that the store cannot keep.")
                })
            #expect(lines.contains("  Note/13.title: title has text that is not UTF-8."))
            #expect(run.errors.contains("There may be more."))
            let exists = try server.hasSchema(schema)
            #expect(!exists)
            // With 12 of them put right, one has two more.
            try connection.execute("DELETE FROM \"Note\" WHERE \"_id\" < 13")
            let rest = ToolRun(["move", path, url, "--model", model])
            #expect(rest.errors.split(separator: "\n").count == 3, "\(rest.errors)")
            try connection.execute("DELETE FROM \"Note\" WHERE \"_id\" = 13")
            defer { try? server.drop(schema) }
            let moved = ToolRun(["move", path, url, "--model", model])
            #expect(moved.code == .fine, "\(moved.errors)")
            // 0.1 seconds are not an integer of microseconds in binary, but nearest to one.
            #expect(!moved.output.contains("rounded"))
            try connection.execute("UPDATE \"Note\" SET \"date\" = 1.0000001")
            let other = PostgresServer.newSchema
            defer { try? server.drop(other) }
            let rounded = ToolRun(["move", path, server.url(of: other), "--model", model])
            #expect(rounded.output.contains("1 date was rounded to microseconds."))
        }
    }

    @Test(arguments: PostgresServer.some())
    func `a move that is stopped anywhere leaves nothing`(_ server: PostgresServer) throws {
        try withStore { path, model in
            let connection = try Connection(path: path)
            try connection.execute(
                """
                WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < 5000) \
                INSERT INTO "Note" ("_id", "title", "date") SELECT k, 'note ' || k, k FROM n
                """)
            let schema = PostgresServer.newSchema
            let url = server.url(of: schema)
            var stops = 0
            var wasMoved = false
            for limit in 0..<200 {
                let asked = Mutex(0)
                let run = ToolRun(["move", path, url, "--model", model]) {
                    asked.withLock {
                        $0 += 1
                        return $0 > limit
                    }
                }
                if run.code == .fine {
                    wasMoved = true
                    break
                }
                stops += 1
                #expect(run.errors.contains("The move was stopped. Nothing was moved."))
                let exists = try server.hasSchema(schema)
                #expect(!exists)
            }
            #expect(wasMoved)
            #expect(stops >= 8)
            // Back the same.
            wasMoved = false
            for limit in 0..<200 where !wasMoved {
                let asked = Mutex(0)
                let run = ToolRun(["move", url, path + ".back", "--model", model]) {
                    asked.withLock {
                        $0 += 1
                        return $0 > limit
                    }
                }
                wasMoved = run.code == .fine
                let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
                let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                #expect(files.contains { $0.contains(".back") } == wasMoved, "\(files)")
            }
            #expect(wasMoved)
            try server.drop(schema)
        }
    }

    @Test(arguments: PostgresServer.some())
    func `what another program has put into a new store is noticed before the commit`(
        _ server: PostgresServer
    ) throws {
        try withStore { path, model in
            try Connection(path: path).execute(
                "INSERT INTO \"Note\" (\"_id\", \"title\", \"date\") VALUES (1, 'mine', 0)")
            let schema = PostgresServer.newSchema
            let url = server.url(of: schema)
            defer { try? server.drop(schema) }
            #expect(ToolRun(["move", path, url, "--model", model]).code == .fine)
            let connection = try server.connect()
            for sql in [
                "DELETE FROM \"\(schema)\".\"Note\"",
                """
                CREATE FUNCTION "\(schema)".other() RETURNS trigger LANGUAGE plpgsql AS \
                'BEGIN NEW.title := ''other''; RETURN NEW; END'
                """,
                """
                CREATE TRIGGER other BEFORE INSERT ON "\(schema)"."Note" \
                FOR EACH ROW EXECUTE FUNCTION "\(schema)".other()
                """,
            ] { _ = try connection.run(sql) }
            let run = ToolRun(["move", path, url, "--model", model])
            #expect(run.code == .storeRefused)
            #expect(
                run.errors.contains(
                    "the same number of rows (1) with other values in the table Note"),
                "\(run.errors)")
            let count = try connection.run("SELECT count(*) FROM \"\(schema)\".\"Note\"")
            #expect(count.integer(0, 0) == 0)
        }
    }

    @Test(arguments: PostgresServer.some())
    func `what cannot be a store to move is one clear error`(_ server: PostgresServer) throws {
        try withStore { path, model in
            let schema = PostgresServer.newSchema
            let url = server.url(of: schema)
            for (words, code, text) in [
                ([path], ExitCode.usage, "'move' takes two stores: FROM and TO."),
                ([path, url], .usage, "'move' needs --model MODEL"),
                ([url, path + ".new", "--model", model], .file, "There is no store at"),
                ([path + ".no", url, "--model", model], .file, "There is no store at"),
                ([path, path, "--model", model], .file, "already exists"),
                (
                    [path, "postgresql://cambium@/nowhere?host=/none", "--model", model],
                    .storeRefused, "connection to server"
                ),
            ] {
                let run = ToolRun(["move"] + words)
                #expect(run.code == code, "\(words)")
                #expect(run.errors.contains(text), "\(words): \(run.errors)")
            }
            let exists = try server.hasSchema(schema)
            #expect(!exists)
        }
    }
}

extension MoveCommandTests {
    /// An empty store of a small model.
    func withStore(_ body: (_ path: String, _ model: String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("cambium-move-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let bundle = folder.appendingPathComponent("Notes.cambium")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        let text = """
            <model xmlns="urn:cambium:model:1" name="Notes" version="1"><entity name="Note">\
            <attribute name="title" type="string"/><attribute name="date" type="date"/>\
            <index by="title"/><relationship name="after" to="Note" inverse="before" \
            optional="true"/><relationship name="before" to="Note" inverse="after" many="true"/>\
            </entity></model>
            """
        try Data(text.utf8).write(to: bundle.appendingPathComponent("1.xml"))
        let path = folder.appendingPathComponent("notes.sqlite").path
        let compiled = try #require(ModelCompiler.compile(bundle.path).bundle)
        _ = try compiled.runner()?.open(fileAt: path)
        try body(path, bundle.path)
    }
}

/// What `cambium move --json` says.
private struct MoveResult: Decodable {
    struct Table: Decodable, Equatable {
        let name: String
        let rows: Int
        let checksum: String
    }

    let roundedDates: Int
    let tables: [Table]

    init(_ run: ToolRun) throws {
        self = try JSONDecoder().decode(MoveResult.self, from: Data(run.output.utf8))
    }
}

/// A store that an earlier edition made, with its model.
struct MovedStore: Sendable, CustomTestStringConvertible {
    let folder: URL
    let model: String

    var testDescription: String {
        folder.pathComponents.suffix(2).joined(separator: " ")
    }

    /// One in eight, or all in a run of full size.
    static let some = TestSize.sample(all, oneIn: 8)

    private static let all: [MovedStore] = {
        let archive = URL(fileURLWithPath: #filePath)
            .appendingPathComponent("../../../OldStoreTests/Stores.tar.gz").standardized
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("cambium-moved-stores-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["tar", "-xzf", archive.path, "-C", folder.path]
        try? process.run()
        process.waitUntilExit()
        return names(in: folder).flatMap { fixture -> [MovedStore] in
            let place = folder.appendingPathComponent(fixture)
            let models = place.appendingPathComponent("model")
            guard let model = names(in: models).first else { return [] }
            return names(in: place).filter { $0 != "model" }.map {
                MovedStore(
                    folder: place.appendingPathComponent($0),
                    model: models.appendingPathComponent(model).path)
            }
        }
    }()

    private static func names(in folder: URL) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    /// Runs a body with the path of a copy.
    func withCopy(_ body: (String) throws -> Void) throws {
        let copy = FileManager.default.temporaryDirectory
            .appendingPathComponent("cambium-moved-store-\(UUID().uuidString)")
        try FileManager.default.copyItem(at: folder, to: copy)
        defer { try? FileManager.default.removeItem(at: copy) }
        try body(copy.appendingPathComponent("store.sqlite").path)
    }
}

extension PostgresServer {
    /// The argument of the tool for a store on the server.
    fileprivate func url(of schema: String) -> String {
        url + "#" + schema.replacing(" ", with: "%20")
    }

    fileprivate func hasSchema(_ name: String) throws -> Bool {
        var parameters = PostgresParameters()
        parameters.append(.text(name), as: .text)
        return try connect().run(
            "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)", parameters
        ).boolean(0, 0)
    }

    func drop(_ schema: String) throws {
        _ = try connect().run("DROP SCHEMA IF EXISTS \"\(schema)\" CASCADE")
    }
}
