import CambiumSQLite
import Foundation
import Testing

@testable import CambiumCompiler
@testable import CambiumTool

/// What Core Data dropped between versions of Xcode's, of which nobody has declared anything: the
/// steps that run are counted, and weighed.
struct ShippedLossTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A bundle of versions, each with an entity A of these members, and more.
    private func bundle(_ versions: [(members: String, more: String)]) throws -> String {
        for (index, version) in versions.enumerated() {
            try folder.write(
                """
                <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
                <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="A">\(Self.attribute("n"))\(version.members)</entity>\(version.more)</model>
                """, to: "Shop.xcdatamodeld/\(Self.name(index)).xcdatamodel/contents")
        }
        try folder.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>_XCCurrentVersionName</key>
            <string>\(Self.name(versions.count - 1)).xcdatamodel</string></dict></plist>
            """, to: "Shop.xcdatamodeld/.xccurrentversion")
        return folder.path("Shop.xcdatamodeld")
    }

    private static func name(_ index: Int) -> String {
        index == 0 ? "Shop" : "Shop \(index + 1)"
    }

    private static func attribute(_ name: String) -> String {
        "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"String\"/>"
    }

    private static func relationship(_ name: String, to other: String, _ inverse: String) -> String
    {
        """
        <relationship name="\(name)" optional="YES" \(name == "as" ? "toMany=\"YES\"" : "maxCount=\"1\"") \
        deletionRule="Nullify" destinationEntity="\(other)" inverseName="\(inverse)" \
        inverseEntity="\(other)"/>
        """
    }

    private func store(_ sql: String) throws -> String {
        let path = folder.path("Old.sqlite")
        try Connection(path: path).execute(
            """
            CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER,
                Z_MAX INTEGER);
            CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR, Z_PLIST BLOB);
            INSERT INTO Z_PRIMARYKEY VALUES (1, 'A', 0, 2);
            \(sql)
            """)
        return path
    }

    private static let table =
        "(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZN VARCHAR"

    @Test(arguments: [false, true])
    func `what a step that has shipped drops is told, declared or not`(isDeclared: Bool) throws {
        let (old, z) = (Self.attribute("old"), Self.attribute("z"))
        let model = try bundle([
            (
                old + Self.relationship("g", to: "G", "as"),
                "<entity name=\"G\">\(Self.relationship("as", to: "A", "g"))</entity>"
            ), ("", ""), (z, ""),
        ])
        let store = try store(
            """
            INSERT INTO Z_PRIMARYKEY VALUES (2, 'G', 0, 1);
            CREATE TABLE ZA \(Self.table), ZOLD VARCHAR, ZG INTEGER);
            CREATE TABLE ZG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
            INSERT INTO ZA VALUES (1, 1, 1, 'a', 'x', 1), (2, 1, 1, 'b', 'y', 1);
            INSERT INTO ZG VALUES (1, 2, 1);
            """)
        if isDeclared { #expect(ToolRun("freeze", "--history", model).code == .fine) }
        let run = ToolRun("import-coredata", store, "--model", model, "--plan", "--no-proof-cache")
        #expect(run.code == .fine)
        let reason =
            isDeclared ? "removed in Shop 2, where Core Data dropped it" : "Core Data dropped it"
        for (loss, number) in [
            ("A.old and its data", "2 values"), ("A.g and its links", "2 links"),
            ("G and its data", "1 object"),
        ] {
            #expect(
                run.output.contains(
                    "  lost in the migration: Shop 2: drop \(loss) (\(reason)): \(number)\n"))
        }
        #expect(!run.output.contains("all data would be imported\n"))
    }

    @Test(arguments: [false, true])
    func `what the step to the current version drops is an error as in a build`(
        isDeclared: Bool
    ) throws {
        let model = try bundle([(Self.attribute("old"), ""), ("", "")])
        if isDeclared {
            try folder.write(
                """
                <history xmlns="urn:cambium:model:1" name="Shop"><migration from="Shop" to="Shop 2">
                <drop entity="A" property="old" reason="spare"/></migration></history>
                """, to: "Shop.history.xml")
        }
        let store = try store(
            """
            CREATE TABLE ZA \(Self.table), ZOLD VARCHAR);
            INSERT INTO ZA VALUES (1, 1, 1, 'a', 'x');
            """)
        let target = folder.path("New.store")
        let run = ToolRun(
            "import-coredata", store, "--model", model, "--to", target, "--no-proof-cache")
        #expect((run.code == .fine) == isDeclared)
        #expect(run.output.contains("drop A.old and its data (spare): 1 value") == isDeclared)
        let text = run.output + run.errors
        #expect(text.contains("A.old of version Shop is missing") == !isDeclared)
    }

    @Test func `of versions that fit alike that is taken whose steps have dropped nothing`() throws
    {
        let (old, q) = (Self.attribute("old"), Self.attribute("q"))
        let model = try bundle([(old, ""), ("", ""), (old, ""), (old + q, "")])
        let store = try store(
            """
            CREATE TABLE ZA \(Self.table), ZOLD VARCHAR);
            INSERT INTO ZA VALUES (1, 1, 1, 'a', 'x'), (2, 1, 1, 'b', 'y');
            """)
        let run = ToolRun("import-coredata", store, "--model", model, "--plan", "--no-proof-cache")
        #expect(run.code == .fine)
        #expect(run.output.contains("was written by version 'Shop 3'"))
        #expect(run.output.contains("all data would be imported\n"))
    }
}
