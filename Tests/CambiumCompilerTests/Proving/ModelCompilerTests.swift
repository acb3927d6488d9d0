import CambiumModel
import CambiumSQL
import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumAuthoring
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

    /// - Parameter engines: The engines of the last version.
    private func bundle(_ bodies: [String], engines: String? = nil) throws -> BundleFolder {
        var files: [String: String] = [:]
        for (index, body) in bodies.enumerated() {
            let engines = index + 1 == bodies.count ? engines.map { " engines='\($0)'" } : nil
            files["\(index + 1).xml"] =
                "<model xmlns='urn:cambium:model:1' name='Shop' version='\(index + 1)'"
                + "\(engines ?? "")>"
                + body.replacingOccurrences(of: "'it''s; -- y'", with: "'its; -- y'") + "</model>"
        }
        return try BundleFolder(files)
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

    @Test func `a version names the engines of its stores`() throws {
        func compiled(_ engines: String) throws -> Compilation {
            let folder = try bundle([Self.first, Self.second], engines: engines)
            return ModelCompiler.compile(folder.bundle.path, emits: true)
        }
        for engines in ["postgres", "sqlite postgres", " postgres\n sqlite "] {
            let compilation = try compiled(engines)
            let bundle = try #require(compilation.bundle, "\(compilation.diagnostics)")
            #expect(bundle.serverMigrations.map(\.from) == ["1"])
            #expect(bundle.migrations.map(\.from) == ["1"])
            #expect(bundle.serverMigrations[0].toHash == bundle.migrations[0].toHash)
            #expect(
                compilation.files.contains { $0.contents.contains("serverMigrations: [Migration]") }
            )
        }
        let plain = try #require(try compiled("sqlite").bundle)
        #expect(plain.serverMigrations == [])
        let wrong = try compiled("sqlite postgress")
        #expect(wrong.diagnostics.map(\.code) == [.invalidWord])
        #expect(wrong.diagnostics[0].message == "'postgress' is not a valid value for engines")
    }

    /// A condition that the server cannot say with the meaning that it has in memory.
    @Test func `a step that a server cannot take is an error where its declaration is`() throws {
        let first = "<entity name='A'><attribute name='x' type='float'/></entity>"
        let second = """
            <entity name='A'><attribute name='x' type='float'/><attribute name='y' type='float'/>\
            </entity><migration from='1'><fill entity='A' attribute='y' with='x * 2'/></migration>
            """
        let folder = try bundle([first, second], engines: "postgres")
        let diagnostics = ModelCompiler.compile(folder.bundle.path).diagnostics
        #expect(diagnostics.map(\.code) == [.undecidedMigration], "\(diagnostics)")
        #expect(diagnostics.first?.message.contains("PostgreSQL") == true)
        let plain = try bundle([first, second])
        #expect(ModelCompiler.compile(plain.bundle.path).diagnostics.map(\.code) == [])
    }

    @Test(arguments: [(1601, nil), (2001, "SQLite"), (1601, "PostgreSQL")] as [(Int, String?)])
    func `a table has no more columns than its engine allows`(
        _ count: Int, _ refusing: String?
    ) throws {
        // The key and the version are columns, too.
        let attributes = (0..<count - 2).map {
            "<attribute name='x\($0)' type='int64' optional='true'/>"
        }
        let folder = try bundle(
            ["<entity name='A'>\(attributes.joined())</entity>"],
            engines: refusing == "PostgreSQL" ? "postgres" : nil)
        let messages = ModelCompiler.compile(folder.bundle.path).diagnostics
            .filter { $0.code == .unprovenMigration }.map(\.message)
        #expect(messages.count == (refusing == nil ? 0 : 1))
        if let refusing {
            #expect(messages[0].contains("has \(count) columns, and \(refusing) has"))
        }
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
        let migration = try #require(try result.migrationSQL(from: "1", to: "2"))
        let statements = result.migrations.flatMap(\.steps).flatMap(\.sql)
        #expect(!statements.isEmpty)
        #expect(withoutComments(migration) == statements.map { $0 + ";\n" }.joined())
    }

    @Test func `a composite that is renamed takes its parts along, and others move into it`()
        throws
    {
        let folder = try bundle([
            """
            <composite name="Address"><attribute name="street" type="string"/></composite>
            <entity name="A"><attribute name="house" type="Address"/>
            <attribute name="city" type="string"/><attribute name="old" type="Address"/></entity>
            """,
            """
            <composite name="Address"><attribute name="street" type="string"/>
            <attribute name="zip" type="string" optional="true"/>
            <attribute name="town" type="string" optional="true"/></composite>
            <entity name="A"><attribute name="home" type="Address" renamedFrom="house"/></entity>
            <migration from="1"><rename entity="A" property="home.town" from="city"/>
            <drop entity="A" property="old" reason="unused"/></migration>
            """,
        ])
        let compilation = ModelCompiler.compile(folder.bundle.path)
        #expect(compilation.diagnostics.map(\.rendered) == [])
        #expect(compilation.bundle?.migrations.count == 1)
    }

    @Test func `an SQLite that is too old is named, and a long error keeps both ends`() {
        struct Refusal: Error, CustomStringConvertible { let description: String }
        let place = SourcePosition(path: "1.xml", line: 1, column: 1)
        let old = ModelCompiler.schemaFailure(
            Refusal(description: "This program runs on SQLite 3.39.4,\n but needs 3.40.0"),
            at: place)
        #expect(old.code == .unprovenMigration)
        #expect(old.message.hasSuffix("This program runs on SQLite 3.39.4, but needs 3.40.0"))
        // SQLite says what is wrong before the statement or after it.
        let columns = String(repeating: "column, ", count: 1000)
        let long = ModelCompiler.schemaFailure(
            Refusal(description: "no such column: here (\(columns)) [code 1]"), at: place)
        #expect(long.message.contains("no such column: here"))
        #expect(long.message.hasSuffix("[code 1]"))
        #expect(long.message.count < 1100)
    }

    @Test func `SQL of versions that are not there is none`() throws {
        let folder = try bundle([Self.first, Self.second])
        let result = try #require(ModelCompiler.compile(folder.bundle.path).bundle)
        #expect(result.schemaSQL(version: "3") == nil)
        #expect(try result.migrationSQL(from: "2", to: "1") == nil)
        #expect(try result.migrationSQL(from: "1", to: "3") == nil)
    }

    @Test func `the same bundle gives the same files`() throws {
        let one = try bundle([Self.first, Self.second])
        let other = try bundle([Self.first, Self.second])
        let files = ModelCompiler.compile(one.bundle.path).bundle?.swiftFiles()
        #expect(files?.count == 4)
        #expect(files == ModelCompiler.compile(other.bundle.path).bundle?.swiftFiles())
    }

    @Test func `errors in generated Swift name the model from the package's folder`() throws {
        let manager = FileManager.default
        let root = manager.temporaryDirectory.appendingPathComponent("cambium-\(UUID().uuidString)")
        defer { try? manager.removeItem(at: root) }
        let bundle = root.appendingPathComponent("Sources/App/Shop.cambium")
        try manager.createDirectory(at: bundle, withIntermediateDirectories: true)
        let text = """
            <model xmlns="urn:cambium:model:1" name="Shop" version="1">
              <entity name="A" validate="custom"><attribute name="a" type="string"/></entity>
            </model>
            """
        try Data(text.utf8).write(to: bundle.appendingPathComponent("1.xml"))
        func places() throws -> Set<String> {
            let files = try #require(ModelCompiler.compile(bundle.path).bundle?.swiftFiles())
            return Set(
                files.flatMap { $0.contents.split(separator: "\n") }
                    .map { $0.trimmingCharacters(in: .whitespaces) }
                    .filter { $0.hasPrefix("#sourceLocation(file") })
        }
        #expect(try places() == [#"#sourceLocation(file: "Shop.cambium/1.xml", line: 2)"#])
        try Data().write(to: root.appendingPathComponent("Package.swift"))
        #expect(
            try places()
                == [#"#sourceLocation(file: "Sources/App/Shop.cambium/1.xml", line: 2)"#])
    }

    /// Without the lines that the printing adds: titles, and the empty line before each step.
    private func withoutComments(_ sql: String) -> String {
        sql.split(separator: "\n", omittingEmptySubsequences: true)
            .filter { !$0.hasPrefix("-- ") }.map { $0 + "\n" }.joined()
    }
}
