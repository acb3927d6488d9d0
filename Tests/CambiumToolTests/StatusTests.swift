import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumRecords
import CambiumSQLite
import Foundation
import Testing

@testable import CambiumCompiler
@testable import CambiumTool

/// `cambium status` on a store file.
struct StatusTests {
    private static func model(_ version: String) -> String {
        """
        <model xmlns="urn:cambium:model:1" name="Library" version="\(version)">
        <entity name="Author"><attribute name="name" type="string" default=""/>
        <attribute name="portrait" type="data" optional="true" storage="external"/>
        <relationship name="books" to="Book" inverse="authors" many="true"/></entity>
        <entity name="Book"><attribute name="title" type="string" default=""/>
        <relationship name="authors" to="Author" inverse="books" many="true"/></entity>
        <entity name="Novel" parent="Book"/>
        \(version == "1" ? "" : "<entity name=\"Shelf\"/>")
        </model>
        """
    }

    /// A store of the first of two versions, with a history.
    private func makeStore(in folder: TemporaryFolder) throws -> (bundle: String, store: String) {
        for version in ["1", "2"] {
            try folder.write(Self.model(version), to: "Library.cambium/\(version).xml")
        }
        let bundle = folder.path("Library.cambium")
        let compiled = try #require(ModelCompiler.compile(bundle).bundle)
        let model = ModelDescription(
            compiled.versions[0].model, types: [:], common: NoObject.self)
        var options = StoreOptions()
        options.history = .values
        let path = folder.path("library.sqlite")
        try StoreArgument(path).opener(for: model, options).open().store.close()
        let connection = try Connection(path: path, mode: .readWrite)
        try connection.execute(
            """
            INSERT INTO "Author" ("_id", "name") VALUES (1, 'Ada Stone'), (2, 'Bo Reed');
            INSERT INTO "Book" ("_id", "_entity", "title") VALUES (1, 'Book', 'On Trees'),
                (2, 'Novel', 'On Rain'), (3, 'Novel', 'On Snow');
            """)
        return (bundle, path)
    }

    @Test func `a store's size is shown by entity, with its version and history`() throws {
        let folder = try TemporaryFolder()
        let (bundle, store) = try makeStore(in: folder)
        let before = try Data(contentsOf: URL(filePath: store))
        let run = ToolRun("status", store, "--model", bundle)
        #expect(run.code.rawValue == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n").map { line in
            line.split(separator: " ").joined(separator: " ")
        }
        #expect(lines.contains("Store \(store)"))
        #expect(lines.contains { $0.hasPrefix("Engine SQLite 3.") })
        #expect(lines.contains("Model Library, version 1 (the latest one is 2)"))
        #expect(lines.contains("Large values 0, 0 bytes"))
        #expect(
            lines.contains { $0.hasPrefix("History ") && $0.hasSuffix("other programs' writes") })
        #expect(lines.contains { $0.hasPrefix("Author 2 ") })
        #expect(lines.contains { $0.hasPrefix("Book 3 ") })
        #expect(lines.contains("Novel 2"))
        #expect(try Data(contentsOf: URL(filePath: store)) == before)
    }

    @Test func `programs get the same as JSON`() throws {
        let folder = try TemporaryFolder()
        let (bundle, store) = try makeStore(in: folder)
        let run = ToolRun("status", store, "--model", bundle, "--json")
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
        #expect(object["version"] as? String == "1")
        #expect(object["latestVersion"] as? String == "2")
        #expect(object["objects"] as? Int == 5)
        let bytes = try #require(object["bytes"] as? Int)
        let tables = try #require(object["tables"] as? [[String: Any]])
        #expect(tables.map { $0["entity"] as? String } == ["Author", "Book"])
        #expect(tables.map { $0["rows"] as? Int } == [2, 3])
        let sizes = tables.compactMap { $0["bytes"] as? Int }
        #expect(sizes.count == 2 && sizes.allSatisfy { $0 > 0 } && sizes.reduce(0, +) < bytes)
        let history = try #require(object["history"] as? [String: Any])
        #expect(history["content"] as? String == "values")
        #expect(history["recordsOtherPrograms"] as? Bool == true)
        #expect((object["external"] as? [String: Any])?["count"] as? Int == 0)
    }

    @Test func `what is no such store is refused`() throws {
        let folder = try TemporaryFolder()
        let (bundle, store) = try makeStore(in: folder)
        #expect(ToolRun("status", store).code == .usage)
        let missing = ToolRun("status", folder.path("none.sqlite"), "--model", bundle)
        #expect(missing.code.rawValue != 0)
        #expect(missing.errors.contains("There is no store"))
        try folder.write("text", to: "text.sqlite")
        #expect(ToolRun("status", folder.path("text.sqlite"), "--model", bundle).code.rawValue != 0)
        try folder.write(
            "<model xmlns=\"urn:cambium:model:1\" name=\"Other\" version=\"1\"/>",
            to: "Other.cambium/1.xml")
        let other = ToolRun("status", store, "--model", folder.path("Other.cambium"))
        #expect(other.code.rawValue != 0)
        #expect(other.errors.contains("Library"))
    }
}
