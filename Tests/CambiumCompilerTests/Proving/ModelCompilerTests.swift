import CambiumModel
import CambiumSQL
import Foundation
import Testing

@testable import CambiumCompiler

struct ModelCompilerTests {
    private static let first = """
        <entity name="A"><attribute name="x" type="bool" optional="true"/></entity>
        """
    private static let second = """
        <entity name="A"><attribute name="y" type="string"/></entity>
        <migration from="1"><fill entity="A" attribute="y" with="'it''s; -- y'"/>
        <drop entity="A" property="x" reason="gone"/></migration>
        """

    private func bundle(_ bodies: [String]) throws -> BundleReaderTests.Folder {
        var files: [String: String] = [:]
        for (index, body) in bodies.enumerated() {
            files["\(index + 1).xml"] =
                "<model xmlns='urn:cambium:model:1' name='Shop' version='\(index + 1)'>"
                + body.replacingOccurrences(of: "'it''s; -- y'", with: "'its; -- y'") + "</model>"
        }
        return try BundleReaderTests.Folder(files)
    }

    @Test func `a bundle has the schema of its last version and a migration for each step`() throws
    {
        let folder = try bundle([
            Self.first, Self.second, Self.second.replacing("\"1\"", with: "\"2\""),
        ])
        let compilation = ModelCompiler.compile(folder.bundle.path)
        // The third version drops something that the second no longer has.
        #expect(compilation.diagnostics.map(\.code) == [.unknownMigrationSubject])
        let two = try bundle([Self.first, Self.second])
        let result = try #require(ModelCompiler.compile(two.bundle.path).bundle)
        let last = try #require(result.versions.last)
        #expect(result.schema == Schema(of: last.model).statements)
        #expect(result.migrations.map(\.from) == ["1"])
        #expect(result.migrations.map(\.to) == ["2"])
    }

    @Test func `warnings are about the version that has not shipped`() throws {
        let two = try bundle([Self.first, Self.second])
        #expect(ModelCompiler.compile(two.bundle.path).diagnostics == [])
        let one = try bundle([Self.first])
        #expect(ModelCompiler.compile(one.bundle.path).diagnostics.map(\.code) == [.optionalBool])
    }

    @Test func `an error in an old version leaves no result`() throws {
        let folder = try bundle(["<entity/>", Self.first])
        let compilation = ModelCompiler.compile(folder.bundle.path)
        #expect(compilation.bundle == nil)
        #expect(compilation.diagnostics.map(\.code).contains(.missingXMLAttribute))
    }

    @Test func `the printed SQL is what is executed, statement by statement`() throws {
        let folder = try bundle([Self.first, Self.second])
        let result = try #require(ModelCompiler.compile(folder.bundle.path).bundle)
        let schema = try #require(result.schemaSQL())
        #expect(withoutComments(schema) == result.schema.map { $0 + ";\n" }.joined())
        let migration = try #require(result.migrationSQL(from: "1", to: "2"))
        let statements = result.migrations.flatMap(\.steps).flatMap(\.sql)
        #expect(!statements.isEmpty)
        #expect(withoutComments(migration) == statements.map { $0 + ";\n" }.joined())
    }

    @Test func `SQL of versions that are not there is none`() throws {
        let folder = try bundle([Self.first, Self.second])
        let result = try #require(ModelCompiler.compile(folder.bundle.path).bundle)
        #expect(result.schemaSQL(version: "3") == nil)
        #expect(result.migrationSQL(from: "2", to: "1") == nil)
        #expect(result.migrationSQL(from: "1", to: "3") == nil)
    }

    @Test func `the same bundle gives the same files`() throws {
        let one = try bundle([Self.first, Self.second])
        let other = try bundle([Self.first, Self.second])
        let files = ModelCompiler.compile(one.bundle.path).bundle?.swiftFiles()
        #expect(files?.count == 4)
        #expect(files == ModelCompiler.compile(other.bundle.path).bundle?.swiftFiles())
    }

    /// Without the lines that the printing adds: titles, and the empty line before each step.
    private func withoutComments(_ sql: String) -> String {
        sql.split(separator: "\n", omittingEmptySubsequences: true)
            .filter { !$0.hasPrefix("-- ") }.map { $0 + "\n" }.joined()
    }
}
