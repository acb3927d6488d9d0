import CambiumSQLite
import Foundation
import Synchronization
import Testing

@testable import CambiumCompiler
@testable import CambiumTool

struct ImportCoreDataTests {
    /// A bundle of two versions as Xcode has it.
    private func model(in folder: TemporaryFolder) throws -> String {
        for (version, more) in [
            ("Shop", ""),
            (
                "Shop 2",
                "<attribute name=\"stock\" attributeType=\"Integer 32\" defaultValueString=\"1\"/>"
            ),
        ] {
            try folder.write(
                """
                <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
                <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="Product" representedClassName="Product">
                <attribute name="title" attributeType="String"/>\(more)
                </entity></model>
                """, to: "Shop.xcdatamodeld/\(version).xcdatamodel/contents")
        }
        return folder.path("Shop.xcdatamodeld")
    }

    /// A store with two rows, as Core Data writes it.
    private func store(in folder: TemporaryFolder, more: String = "") throws -> String {
        let path = folder.path("Old.sqlite")
        try Connection(path: path).execute(
            """
            CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER,
                Z_MAX INTEGER);
            CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR, Z_PLIST BLOB);
            CREATE TABLE ZPRODUCT (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZTITLE VARCHAR);
            INSERT INTO Z_PRIMARYKEY VALUES (1, 'Product', 0, 2);
            INSERT INTO ZPRODUCT VALUES (1, 1, 1, 'Vase'), (2, 1, 1, 'Bowl');
            \(more)
            """)
        return path
    }

    @Test func `a store is imported, with a report and a list of keys`() throws {
        let folder = try TemporaryFolder()
        let (model, store) = (try model(in: folder), try store(in: folder))
        let plan = ToolRun("import-coredata", store, "--model", model, "--plan")
        #expect(plan.code == .fine)
        #expect(plan.output.contains("Nothing was written"))
        let run = ToolRun(
            "import-coredata", store, "--model", model, "--ids", folder.path("ids.tsv"), "--report",
            folder.path("report.json"))
        #expect(run.code == .fine)
        #expect(run.output.contains("Product: 2"))
        #expect(run.output.contains("version 'Shop 2': all data was imported"))
        #expect(FileManager.default.fileExists(atPath: folder.path("Old.cambium.sqlite")))
        #expect(
            folder.text("ids.tsv")
                == "entity\told\tnewEntity\tnew\nProduct\t1\tProduct\t1\nProduct\t2\tProduct\t2\n")
        #expect(folder.text("report.json")?.contains("\"writtenBy\" : \"Shop\"") == true)
        #expect(ToolRun("import-coredata", store, "--model", model).code == .file)
    }

    @Test func `a report is kept where the output takes none, and the store is named`() throws {
        let folder = try TemporaryFolder()
        let (model, store) = (try model(in: folder), try store(in: folder))
        let errors = Mutex("")
        let console = Console(
            write: { _ throws(ToolError) in throw .file("It is full.") },
            writeError: { text in errors.withLock { $0 += text } })
        let words = [
            "import-coredata", store, "--model", model, "--to", folder.path("new"), "--report",
            folder.path("report.json"),
        ]
        #expect(Tool.run(words, console) == .file)
        #expect(folder.text("report.json")?.contains("\"writtenBy\" : \"Shop\"") == true)
        #expect(FileManager.default.fileExists(atPath: folder.path("new")))
        let text = errors.withLock { $0 }
        #expect(text.contains("It is full.\nThe new store \(folder.path("new")) was created"))
    }

    @Test func `what is not imported is 8, what fits no version is 7`() throws {
        let folder = try TemporaryFolder()
        let model = try model(in: folder)
        let store = try store(in: folder, more: "UPDATE ZPRODUCT SET ZTITLE = NULL WHERE Z_PK = 1")
        let run = ToolRun("import-coredata", store, "--model", model, "--to", folder.path("a"))
        #expect(run.code == .incomplete)
        #expect(run.output.contains("Product 1.title: a value is required, and there is none"))
        let other = try TemporaryFolder()
        let strange = try self.store(in: other, more: "ALTER TABLE ZPRODUCT ADD COLUMN ZSIZE FLOAT")
        let refused = ToolRun("import-coredata", strange, "--model", model, "--format", "json")
        #expect(refused.code == .storeRefused)
        #expect(refused.output.contains("\"nearest\" : \"Shop\""))
        #expect(refused.errors.contains("ZPRODUCT has a column ZSIZE"))
        let forced = ToolRun("import-coredata", strange, "--model", model, "--version", "Shop")
        #expect(forced.code == .incomplete)
        #expect(forced.output.contains("ZPRODUCT.ZSIZE"))
    }

    @Test func `a store of a version after the current one is imported and exported`()
        throws
    {
        let folder = try TemporaryFolder()
        let (model, store) = (
            try model(in: folder),
            try store(in: folder, more: "ALTER TABLE ZPRODUCT ADD COLUMN ZSTOCK INTEGER DEFAULT 3;")
        )
        try folder.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>_XCCurrentVersionName</key>
            <string>Shop.xcdatamodel</string></dict></plist>
            """, to: "Shop.xcdatamodeld/.xccurrentversion")
        let new = folder.path("new")
        let run = ToolRun("import-coredata", store, "--model", model, "--to", new)
        #expect(run.code == .incomplete)
        #expect(run.output.contains("Stopped at 'Shop 2': it comes after 'Shop'"))
        let export = ToolRun("export", new, "--model", model)
        #expect(export.code == .fine)
        #expect(export.output.contains("\"version\":\"Shop 2\""))
        #expect(export.output.contains("{\"_id\":1,\"title\":\"Vase\",\"stock\":3}"))
        let wanted = ToolRun(
            "import-coredata", store, "--model", model, "--to", folder.path("b"), "--until",
            "Shop 2")
        #expect(wanted.code == .fine)
    }

    @Test func `a plan that would not import all is 8 too`() throws {
        let folder = try TemporaryFolder()
        let store = try store(in: folder, more: "UPDATE ZPRODUCT SET ZTITLE = NULL WHERE Z_PK = 1")
        let run = ToolRun("import-coredata", store, "--model", try model(in: folder), "--plan")
        #expect(run.code == .incomplete)
        #expect(run.output.contains("Product 1.title: a value is required, and there is none"))
    }

    @Test func `mistakes on the command line are 2, files that are not there 4`() throws {
        let folder = try TemporaryFolder()
        let (model, store) = (try model(in: folder), try store(in: folder))
        #expect(ToolRun("import-coredata", store).code == .usage)
        #expect(
            ToolRun("import-coredata", store, "--model", model, "--version", "9").code == .usage)
        #expect(
            ToolRun("import-coredata", store, "--model", model, "--plan", "--to", "x").code
                == .usage)
        let nameless = ToolRun("import-coredata", store, "--model", model, "--to", "")
        #expect(nameless.code == .usage)
        #expect(nameless.errors.contains("--to needs the name of a file"))
        let inMemory = ToolRun("import-coredata", store, "--model", model, "--to", ":memory:")
        #expect(inMemory.code == .file && inMemory.errors.contains("':memory:' is SQLite's name"))
        #expect(ToolRun("import-coredata", folder.path("none"), "--model", model).code == .file)
        #expect(
            ToolRun("import-coredata", model + "/Shop.xcdatamodel/contents", "--model", model).code
                == .file)
    }
}
