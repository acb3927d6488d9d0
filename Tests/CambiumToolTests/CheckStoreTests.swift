import CambiumMigration
import CambiumSQLite
import Foundation
import Testing

@testable import CambiumCompiler
@testable import CambiumTool

/// `cambium check-store` on a store file.
struct CheckStoreTests {
    private static let body = """
        <entity name="Author"><attribute name="name" type="string"/>\
        <derived name="bookCount" type="int64" expression="books.@count"/>\
        <relationship name="books" to="Book" inverse="author" many="true"/></entity>\
        <entity name="Book"><attribute name="title" type="string"/>\
        <relationship name="author" to="Author" inverse="books" optional="true"/>\
        <rule name="hasTitle" message="A book has a title">title != ''</rule></entity>
        """

    /// A store with two authors and two books, and what else is done to it.
    private func store(
        of bundle: String, in folder: TemporaryFolder, _ damage: String = ""
    ) throws -> String {
        let compiled = try #require(ModelCompiler.compile(bundle).bundle)
        let path = folder.path("library.sqlite")
        _ = try MigrationRunner(
            model: compiled.versions[0].model, statements: compiled.schema
        ).open(fileAt: path)
        let connection = try Connection(path: path, mode: .readWrite)
        try connection.execute("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
        try connection.execute(
            """
            INSERT INTO "Author" ("_id", "_version", "name", "bookCount")
            VALUES (1, 1, 'Ada Stone', 1), (2, 1, 'Bo Reed', 0);
            INSERT INTO "Book" ("_id", "_version", "title", "author")
            VALUES (1, 1, 'On Trees', NULL), (2, 1, 'On Rain', 1);
            UPDATE "_keys" SET "next" = 3;
            \(damage)
            """)
        return path
    }

    private func library(in folder: TemporaryFolder) throws -> String {
        try folder.write(
            """
            <model xmlns="urn:cambium:model:1" name="Library" version="1">\(Self.body)</model>
            """, to: "Library.cambium/1.xml")
        return folder.path("Library.cambium")
    }

    private static let damage = """
        UPDATE "Book" SET "author" = 9 WHERE "_id" = 1;
        UPDATE "Book" SET "title" = '' WHERE "_id" = 2;
        UPDATE "Author" SET "bookCount" = 5 WHERE "_id" = 1
        """

    @Test func `the documentation shows what is printed`() throws {
        let folder = try TemporaryFolder()
        let bundle = try library(in: folder)
        let store = try store(of: bundle, in: folder, Self.damage)
        let run = ToolRun("check-store", store, "--model", bundle)
        #expect(run.code.rawValue == 1)
        #expect(run.errors.isEmpty)
        let output = run.output.replacing(store, with: "library.sqlite")
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/Cambium/Cambium.docc/CheckingStores.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        #expect(text.contains("```text\n\(output)```\n"), "\(output)")
    }

    @Test func `a healthy store is clean, and nothing is written`() throws {
        let folder = try TemporaryFolder()
        let bundle = try library(in: folder)
        let store = try store(of: bundle, in: folder)
        let before = try Data(contentsOf: URL(filePath: store))
        let run = ToolRun("check-store", store, "--model", bundle)
        #expect(run.code.rawValue == 0)
        #expect(
            run.output == "\(store): 4 objects of Library, version 1: no problems found\n",
            "\(run.errors)")
        #expect(try Data(contentsOf: URL(filePath: store)) == before)
    }

    @Test func `--repair says what it did, and what is left`() throws {
        let folder = try TemporaryFolder()
        let bundle = try library(in: folder)
        let store = try store(of: bundle, in: folder, Self.damage)
        let run = ToolRun("check-store", store, "--model", bundle, "--repair")
        #expect(run.code.rawValue == 1)
        #expect(
            run.output.hasSuffix(
                "\nRepaired:\n  Author.bookCount: 1 value computed\n\n2 problems\n"))
        let again = ToolRun("check-store", store, "--model", bundle, "--json")
        #expect(again.code.rawValue == 1)
        #expect(again.output.contains("\"kind\" : \"danglingLink\""))
        #expect(!again.output.contains("staleValue"))
    }

    @Test func `what cannot be checked ends with 2`() throws {
        let folder = try TemporaryFolder()
        let bundle = try library(in: folder)
        let store = try store(of: bundle, in: folder)
        let other = try folder.bundle("<entity name=\"A\"/>")
        try folder.write("nothing", to: "nothing.sqlite")
        for words in [
            [folder.path("missing.sqlite"), "--model", bundle], [store, "--model", other],
            [folder.path("nothing.sqlite"), "--model", bundle], [store],
            [folder.path(""), "--model", bundle],
            [store, "--model", folder.path("Missing.cambium")],
            [store, "--model", bundle, "--limit", "0"],
        ] {
            let run = ToolRun(["check-store"] + words)
            #expect(run.code.rawValue == 2, "\(words)")
            #expect(run.errors.hasPrefix("cambium: error: "), "\(words): \(run.errors)")
            #expect(run.output.isEmpty)
        }
    }
}
