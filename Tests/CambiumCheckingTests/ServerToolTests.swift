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
        #expect(run(words + ["--repair"]).code == 0)
        #expect(run(words).code == 0)
        _ = try connection.run("DROP SCHEMA \"\(schema)\" CASCADE")
        #expect(run(words).code == 2)
    }
}
