import CambiumMigration
import CambiumSQLite
import Foundation
import Testing

@testable import CambiumCompiler
@testable import CambiumTool

/// The files that `cambium import-coredata` writes beside the new store, and those that it must not.
struct ImportFilesTests {
    private let folder: TemporaryFolder
    private let bundle: String
    private let store: String
    private let bytes: Data?

    init() throws {
        folder = try TemporaryFolder()
        bundle = try CoreDataSample.makeBundle(in: folder)
        store = folder.path("Old.sqlite")
        try CoreDataSample.makeStore(at: folder.path("made"))
        try FileManager.default.moveItem(atPath: folder.path("made"), toPath: store)
        for suffix in ["copy", "copy-wal", "wal"] {
            try? FileManager.default.removeItem(atPath: folder.path("made." + suffix))
        }
        bytes = FileManager.default.contents(atPath: store)
    }

    private var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.url.path)) ?? []).sorted()
    }

    @Test(arguments: ["--ids", "--report", "--to"], [false, true])
    func `no option writes over the store, whatever leads there`(option: String, isLink: Bool)
        throws
    {
        var file = store
        if isLink {
            file = folder.path("link")
            try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: store)
        }
        let run = ToolRun("import-coredata", store, "--model", bundle, option, file)
        #expect(run.code == .usage)
        #expect(run.errors.contains("belongs to the store that is to be imported"))
        #expect(FileManager.default.contents(atPath: store) == bytes)
        if option == "--report" {
            #expect(
                ToolRun("import-coredata", store, "--model", bundle, option, file, "--plan").code
                    == .usage)
        }
        #expect(FileManager.default.contents(atPath: store) == bytes)
    }

    @Test func `each file that is written has a name of its own`() throws {
        for (ids, report) in [("a", "a"), ("new", "b"), ("a", "new"), ("a", "new.adopting-lock")] {
            let run = ToolRun(
                "import-coredata", store, "--model", bundle, "--to", folder.path("new"), "--ids",
                folder.path(ids), "--report", folder.path(report))
            #expect(run.code == .usage)
            #expect(run.errors.contains("needs a file of its own"))
        }
        let contents = bundle + "/Sample.xcdatamodel/contents"
        let run = ToolRun(
            "import-coredata", store, "--model", bundle, "--plan", "--report", contents)
        #expect(run.code == .usage)
        #expect(names == ["Old.sqlite", "Sample.xcdatamodeld"])
    }

    @Test(arguments: ["--report", "--ids"])
    func `a folder is no name of a file`(option: String) throws {
        let run = ToolRun(
            "import-coredata", store, "--model", bundle, "--to", folder.path("new"), option,
            folder.path(""))
        #expect(run.code == .file)
        #expect(run.errors.contains("is a folder. Name a file, in it or elsewhere."))
        #expect(names == ["Old.sqlite", "Sample.xcdatamodeld"])
    }

    @Test func `a list of keys that was there stays until the new one is whole`() throws {
        try folder.write("precious", to: "keys")
        try folder.write("in the way", to: "new")
        let words = ["import-coredata", store, "--model", bundle, "--ids", folder.path("keys")]
        #expect(ToolRun(words + ["--to", folder.path("new")]).code == .file)
        #expect(folder.text("keys") == "precious")
        #expect(names == ["Old.sqlite", "Sample.xcdatamodeld", "keys", "new"])
        #expect(ToolRun(words + ["--to", folder.path("other")]).code == .fine)
        #expect(folder.text("keys")?.hasPrefix("entity\told\t") == true)
        #expect(names == ["Old.sqlite", "Sample.xcdatamodeld", "keys", "new", "other"])
    }

    @Test(arguments: ["--ids", "--report"])
    func `a file that cannot be written is told before anything is made`(option: String) throws {
        let words = [
            "import-coredata", store, "--model", bundle, "--to", folder.path("new"), option,
        ]
        let run = ToolRun(words + [store + "/x"])
        #expect(run.code == .file)
        #expect(run.errors.contains("cannot be written"))
        // Another store is no file to write a text over.
        let other = folder.path("other")
        try FileManager.default.copyItem(atPath: store, toPath: other)
        let second = ToolRun(words + [other])
        #expect(second.code == .file)
        #expect(second.errors.contains("is a database"))
        #expect(FileManager.default.contents(atPath: other) == bytes)
        #expect(names == ["Old.sqlite", "Sample.xcdatamodeld", "other"])
    }

    @Test func `what a process left of a report that was killed is taken away by the next one`()
        throws
    {
        let report = folder.path("report.json")
        let killed = try UnfinishedFile.path(for: folder.path(".report.json"), ".partial")
        try Data("half".utf8).write(to: URL(fileURLWithPath: killed))
        try folder.write("mine", to: ".report.json.partial")
        let written = try ResultFile(report, of: store)
        #expect(
            ToolRun("import-coredata", store, "--model", bundle, "--plan", "--report", report).code
                == .fine)
        #expect(folder.text(".report.json.partial") == "mine")
        #expect(!FileManager.default.fileExists(atPath: killed))
        // The one that somebody writes at the time stays.
        try written.write(Data("later".utf8))
        try written.finish()
        #expect(folder.text("report.json") == "later")
        #expect(
            names == [".report.json.partial", "Old.sqlite", "Sample.xcdatamodeld", "report.json"])
    }

    @Test func `a report may go where there is no file`() {
        let run = ToolRun(
            "import-coredata", store, "--model", bundle, "--plan", "--report", "/dev/null",
            "--no-proof-cache"
        )
        #expect(run.code == .fine)
    }

    @Test func `a signal is caught, while somebody wants that`() throws {
        let signals = StopSignals()
        signals.catchAll()
        defer { signals.restoreDefaults() }
        #expect(signals.caught == nil)
        // Another thread may be the one that the system interrupts for it.
        kill(getpid(), SIGTERM)
        let end = ContinuousClock.now + .seconds(5)
        while signals.caught == nil, ContinuousClock.now < end { usleep(1000) }
        #expect(signals.caught == SIGTERM)
    }
}
