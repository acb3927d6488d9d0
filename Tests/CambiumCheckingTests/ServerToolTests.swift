import CambiumEngine
import CambiumEngineSpecification
import CambiumPostgres
import Foundation
import Synchronization
import Testing

@testable import CambiumCompiler
@testable import CambiumPostgresStore
@testable import CambiumTool

/// `cambium check-store` on a store that a URL names.
struct ServerToolTests {
    private func run(_ words: [String]) -> (code: Int32, output: String, errors: String) {
        let texts = Mutex((output: "", errors: ""))
        let console = Console(
            write: { text in texts.withLock { $0.output += text } },
            writeError: { text in texts.withLock { $0.errors += text } })
        let code = StoreArgument.$servers.withValue(.postgres) { Tool.run(words, console) }
        return (code.rawValue, texts.withLock(\.output), texts.withLock(\.errors))
    }

    @Test(arguments: CheckedServer.some())
    func `a URL is checked and repaired, and its user is not named`(
        _ server: CheckedServer
    ) throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "cambium-check-\(UUID().uuidString)/Library.cambium")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
        try Data(
            """
            <model xmlns="urn:cambium:model:1" name="Library" version="1">
            <entity name="Author"><attribute name="name" type="string" default=""/>
            <derived name="bookCount" type="int64" expression="books.@count"/>
            <relationship name="books" to="Book" inverse="author" many="true"/></entity>
            <entity name="Book">
            <relationship name="author" to="Author" inverse="books" optional="true"/></entity>
            </model>
            """.utf8
        ).write(to: folder.appending(path: "1.xml"))
        let bundle = try #require(ModelCompiler.compile(folder.path()).bundle)
        let schema = "test_\(UUID().uuidString)"
        let container = try PersistentContainer(
            CompiledModel(bundle.versions[0].model),
            StoreDescription(location: .postgres(server.url, schema: schema)))
        let context = container.newContext()
        let author = try context.insertObject(ofEntity: "Author")
        let book = try context.insertObject(ofEntity: "Book")
        try book.setRelatedObject(author, forKey: "author")
        try context.save()
        let words = ["check-store", "\(server.url)#\(schema)", "--model", folder.path()]
        let clean = run(words)
        #expect(clean.code == 0, "\(clean.errors)")
        #expect(clean.output.hasSuffix("2 objects of Library, version 1: no problems found\n"))
        #expect(!clean.output.contains("@"))

        let connection = try PostgresConnection(PostgresSettings(server.url))
        _ = try connection.run("UPDATE \"\(schema)\".\"Author\" SET \"bookCount\" = 7")
        let stale = run(words + ["--json"])
        #expect(stale.code == 1, "\(stale.errors)")
        #expect(stale.output.contains("\"kind\" : \"staleValue\""))
        let status = run(["status"] + words.dropFirst())
        #expect(status.code == 0, "\(status.errors)")
        for word in ["PostgreSQL 1", "Library, version 1", "Author", "none"] {
            #expect(status.output.contains(word), "\(status.output)")
        }
        #expect(!status.output.contains("@"))
        #expect(run(words + ["--repair"]).code == 0)
        #expect(run(words).code == 0)
        _ = try connection.run("DROP SCHEMA \"\(schema)\" CASCADE")
        #expect(run(words).code == 2)
        #expect(run(["status"] + words.dropFirst()).errors.contains("There is no store"))
    }

    @Test(arguments: CheckedServer.some())
    func `the size of a store is shown, with its history and who keeps old rows`(
        _ server: CheckedServer
    ) throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "cambium-status-\(UUID().uuidString)/Library.cambium")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
        try Data(
            """
            <model xmlns="urn:cambium:model:1" name="Library" version="1">
            <entity name="Author"><attribute name="name" type="string" default=""/>
            <attribute name="portrait" type="data" optional="true" storage="external"/></entity>
            <entity name="Poet" parent="Author"/>
            </model>
            """.utf8
        ).write(to: folder.appending(path: "1.xml"))
        let bundle = try #require(ModelCompiler.compile(folder.path()).bundle)
        let schema = "test_\(UUID().uuidString)"
        var options = PostgresOptions()
        options.historyTriggers = true
        var description = StoreDescription(
            location: .postgres(server.url, schema: schema, options: options))
        description.options.history = .properties
        let container = try PersistentContainer(
            CompiledModel(bundle.versions[0].model), description)
        let context = container.newContext()
        for number in 0..<3 {
            let author = try context.insertObject(ofEntity: number == 0 ? "Author" : "Poet")
            try author.setValue(.data(Data(count: 200_000 + number)), forKey: "portrait")
        }
        try context.save()
        let holder = try PostgresConnection(PostgresSettings(server.url))
        _ = try holder.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
        _ = try holder.run("SELECT count(*) FROM \"\(schema)\".\"Author\"")
        let words = ["status", "\(server.url)#\(schema)", "--model", folder.path()]
        let json = run(words + ["--json"])
        #expect(json.code == 0, "\(json.errors)")
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        let table = try #require((object["tables"] as? [[String: Any]])?.first)
        #expect(table["rows"] as? Int == 3)
        #expect(table["estimated"] as? Bool == false)
        let members = try #require(table["entities"] as? [[String: Any]])
        #expect(members.map { $0["name"] as? String } == ["Author", "Poet"])
        #expect(members.map { $0["rows"] as? Int } == [1, 2])
        let external = try #require(object["external"] as? [String: Any])
        #expect(external["count"] as? Int == 3)
        #expect(external["bytes"] as? Int == 600_003)
        let history = try #require(object["history"] as? [String: Any])
        #expect(history["transactions"] as? Int == 1)
        #expect(history["oldest"] as? String == history["newest"] as? String)
        #expect(history["recordsOtherPrograms"] as? Bool == true)
        #expect((object["bytes"] as? Int ?? 0) > (table["bytes"] as? Int ?? .max))
        #expect((object["oldestTransaction"] as? [String: Any])?["seconds"] is Int)
        _ = try holder.run("ROLLBACK")
        #expect(run(words).output.contains("with other programs' writes"))
        _ = try holder.run("DROP SCHEMA \"\(schema)\" CASCADE")
    }
}
