import CambiumAuthoring
import Foundation
import Testing

@testable import CambiumCompiler
@testable import CambiumTool

struct CommandTests {
    private static let body = "<entity name=\"A\"><attribute name=\"x\" type=\"int32\"/></entity>"

    @Test(arguments: Tool.commands.map { $0.name })
    func `every command has a help that shows its usage and options`(name: String) throws {
        let command = try Tool.command(named: name)
        let run = ToolRun("help", name)
        #expect(run.code == .fine)
        #expect(run.output.contains("Usage: cambium \(name) \(command.usage)"))
        for option in command.options { #expect(run.output.contains(option.name)) }
        #expect(ToolRun(name, "--help").output == run.output)
        #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 100 })
        #expect(ToolRun().output.contains("  \(name) "))
    }

    @Test(arguments: Help.topics.map(\.name))
    func `every topic is there`(name: String) {
        #expect(ToolRun("help", name).output.count > 500)
    }

    @Test func `the version is that of the newest section of the changelog`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "CHANGELOG.md"), encoding: .utf8)
        let sections = text.split(separator: "\n").filter { $0.hasPrefix("## ") }
            .map { $0.dropFirst(3).prefix { $0 != " " } }
        let newest = try #require(sections.first { $0 != "Unreleased" })
        let format = SwiftEmitter.format
        #expect(
            ToolRun("--version").output == "cambium \(newest), generated code \(format)\n")
        let folder = try TemporaryFolder()
        let made = ToolRun("new", "Shop", "--in", folder.url.path)
        #expect(made.output.contains("from: \"\(newest)\""))
    }

    @Test func `a command is found by its former name`() throws {
        #expect(try Tool.command(named: "adopt") == ImportCoreDataCommand.self)
        #expect(ToolRun("adopt", "--help").output == ToolRun("help", "import-coredata").output)
    }

    @Test func `a misspelt command and option name the nearest`() {
        #expect(ToolRun("chekc").errors.contains("Did you mean 'check'?"))
        #expect(ToolRun("check", "--strickt").errors.contains("Did you mean '--strict'?"))
    }

    @Test func `check says what is another one on PostgreSQL, where that is asked for`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.bundle(
            """
            <entity name="Area">
            <attribute name="xmin" type="double"/><attribute name="title" type="string"/>
            <attribute name="key" type="string" maxLength="100"/>
            <attribute name="code" type="string" maxLength="400"/>
            <attribute name="price" type="int64"/>
            <unique by="title"/><unique by="key, price"/><index by="code, key, price"/>
            <attribute name="long" type="string"/>
            <index by="key, price" where="price > 0"/>
            <index by="long" where="price > 0"/><index by="price" where="price * 2 > 9"/>
            <rule name="cheap">price &lt; 100</rule>
            <rule name="folded">title ==[c] 'a'</rule>
            </entity>
            """)
        let plain = ToolRun("check", path)
        #expect(plain.errors == "" && !plain.output.contains("PostgreSQL"))
        let run = ToolRun("check", path, "--engine", "postgres", "--strict")
        #expect(run.code == .modelHasWarnings)
        #expect(run.errors.components(separatedBy: "[CM616]").count == 3, "\(run.errors)")
        #expect(run.errors.contains("values of 'long' may have more"))
        #expect(run.errors.contains("values of 'title' may have more"))
        let lines = run.output.split(separator: "\n")
        #expect(lines.contains("  PostgreSQL calls the column xmin of Area xmin~eafb2f50be97"))
        #expect(
            lines.filter { $0.hasPrefix("  PostgreSQL has no index") }
                == [
                    "  PostgreSQL has no index Area.index.price: it cannot compute its values or rows"
                ])
        #expect(!lines.contains { $0.contains("Area.cheap") })
        #expect(lines.contains("  The rule Area.folded is checked on save; the store cannot"))
        #expect(ToolRun("check", path, "--engine", "oracle").code == .usage)
    }

    @Test func `a new model can be checked, formatted, frozen, drawn and documented`() throws {
        let folder = try TemporaryFolder()
        let made = ToolRun("new", "Shop", "--example", "--in", folder.url.path)
        #expect(made.output.contains("CambiumBuildPlugin"))
        let path = folder.path("Shop.cambium")
        #expect(ToolRun("check", path, "--strict").code == .fine)
        #expect(ToolRun("freeze", path).output.contains("Froze 1"))
        #expect(ToolRun("format", path).code == .fine)
        #expect(ToolRun("check", path).code == .fine)
        #expect(ToolRun("diagram", path).output.contains("\"Product\""))
        #expect(ToolRun("docs", path, "--output", folder.path("a/Shop.html")).code == .fine)
        #expect(folder.text("a/Shop.html")?.hasPrefix("<!DOCTYPE html>") == true)
        let file = folder.path("Shop.cambium/1.xml")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let changed = text.replacingOccurrences(of: "merge=\"sum\"", with: "max=\"9\"")
        try folder.write(changed, to: "Shop.cambium/1.xml")
        #expect(ToolRun("check", path).errors.contains("[CM705]"))
        #expect(ToolRun("freeze", path).code == .modelHasErrors)
        // A draft that is there already is the place for the change, and stays one.
        let new = "swift package cambium version new"
        #expect(ToolRun("check", path).errors.contains("make it in a new version: \(new)"))
        try folder.write(
            changed.replacingOccurrences(of: "version=\"1\"", with: "version=\"2\""),
            to: "Shop.cambium/2.xml")
        #expect(ToolRun("check", path).errors.contains("make it in version 2, which is a draft"))
        let again = ToolRun("freeze", path, "--again", "1")
        #expect(again.code == .fine && again.output.hasPrefix("Froze 1 in "))
        #expect(ToolRun("check", path).code == .fine)
    }

    @Test func `the schema is written beside a bundle, or where it is asked for`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.bundle(Self.body)
        let run = ToolRun("schema", path)
        #expect(run.code == .fine)
        #expect(run.output.contains(folder.path(ModelSchema.fileName)))
        #expect(folder.text(ModelSchema.fileName) == ModelSchema.text)
        let other = folder.path("schemas/model.xsd")
        #expect(ToolRun("schema", path, "--output", other).code == .fine)
        #expect(folder.text("schemas/model.xsd") == ModelSchema.text)
        #expect(ToolRun("schema", path, "--output", "-").output == ModelSchema.text)
    }

    @Test func `a schema for a bundle that is not there is not written, nor any folder`() throws {
        let folder = try TemporaryFolder()
        let missing = folder.path("Sources/Shop.cambium")
        #expect(ToolRun("schema", missing).code == .file)
        let run = ToolRun("schema", missing, "--output", folder.path("schemas/model.xsd"))
        #expect(run.code == .file)
        #expect(run.errors.contains("There is no folder \(missing)."))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test func `a model that names its schema is checked like any other`() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            """
            <model xmlns="urn:cambium:model:1" name="Shop" version="1"
                   xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
                   xsi:schemaLocation="urn:cambium:model:1 ../cambium-model-1.xsd">\(Self.body)</model>
            """, to: "Shop.cambium/1.xml")
        #expect(ToolRun("check", folder.path("Shop.cambium"), "--strict").code == .fine)
    }

    @Test func `a file that would not change keeps its date`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.bundle(Self.body)
        let output = folder.path("out")
        #expect(ToolRun("compile", path, "--output", output).code == .fine)
        let file = folder.path("out/ShopModel.swift")
        let past = Date(timeIntervalSince1970: 1_000_000)
        try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: file)
        #expect(ToolRun("compile", path, "--output", output).code == .fine)
        let date =
            try FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date
        #expect(date == past)
    }

    @Test func `SQL is printed, or written into files`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.bundle(Self.body)
        let printed = ToolRun("sql", path).output
        #expect(printed.contains("CREATE TABLE \"A\""))
        #expect(ToolRun("sql", path, "--output", folder.path("SQL")).output.isEmpty)
        #expect(folder.text("SQL/Shop-1.sql") == printed)
        #expect(ToolRun("sql", path, "--version", "2").code == .usage)
        let onServer = ToolRun("sql", path, "--engine", "postgres").output
        #expect(onServer.contains("CREATE SCHEMA \"cambium\";\n"))
        #expect(onServer.contains("CREATE TABLE \"cambium\".\"A\" ("))
        #expect(ToolRun("sql", path, "--engine", "oracle").code == .usage)
    }

    @Test func `what a user of a server needs is printed`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.bundle(Self.body)
        let grants = ["sql", path, "--grants", "the \"web\""]
        #expect(ToolRun(grants).code == .usage)
        #expect(
            ToolRun(grants + ["--engine", "postgres", "--from", "1", "--to", "2"]).code == .usage)
        #expect(ToolRun(["sql", path, "--engine", "postgres", "--schema", "s"]).code == .usage)
        let long = String(repeating: "s", count: 64)
        #expect(ToolRun(grants + ["--engine", "postgres", "--schema", long]).code == .usage)
        let printed = ToolRun(grants + ["--engine", "postgres"]).output
        #expect(printed.contains("GRANT USAGE ON SCHEMA \"cambium\" TO \"the \"\"web\"\"\";\n"))
        #expect(printed.contains("\"cambium\".\"A\""))
        #expect(printed.contains("ALTER DEFAULT PRIVILEGES IN SCHEMA \"cambium\"\n"))
        let other = ToolRun(grants + ["--engine", "postgres", "--schema", "shop"]).output
        #expect(other.contains("-- shop. Run"))
        #expect(
            other.replacing("-- shop", with: "-- cambium")
                == printed.replacing("\"cambium\"", with: "\"shop\""))
    }

    @Test func `a bundle goes to Xcode's format and back, and nothing is overwritten`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.bundle(Self.body)
        let output = folder.path("x")
        #expect(ToolRun("convert", path, "--output", output).code == .fine)
        #expect(folder.text("x/Shop.xcdatamodeld/1.xcdatamodel/contents") != nil)
        #expect(ToolRun("convert", path, "--output", output).code == .file)
        #expect(ToolRun("convert", path, "--output", output, "--force").code == .fine)
        let xcode = folder.path("x/Shop.xcdatamodeld")
        #expect(ToolRun("convert", xcode).code == .fine)
        #expect(ToolRun("check", folder.path("x/Shop.cambium")).code == .fine)
    }

    @Test func `a code is explained, and all are listed`() {
        #expect(ToolRun("explain", "cm502").output.hasPrefix("CM502 (error)"))
        #expect(
            ToolRun("explain").output.contains("CM407  An optional bool has three values (warning)")
        )
    }

    @Test func `the form of a diagram follows from the file's name`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.bundle(Self.body)
        #expect(ToolRun("diagram", path, "--output", folder.path("a.dot")).code == .fine)
        #expect(folder.text("a.dot")?.hasPrefix("digraph") == true)
        #expect(ToolRun("diagram", path, "--output", folder.path("a.mmd")).code == .fine)
        #expect(folder.text("a.mmd")?.hasPrefix("erDiagram") == true)
    }
}
