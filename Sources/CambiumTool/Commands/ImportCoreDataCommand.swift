import CambiumCoreDataStore
import CambiumAuthoring
import CambiumCompiler
import CambiumMigration
import Foundation

/// `cambium import-coredata`: a store of Cambium's from one that Core Data wrote.
enum ImportCoreDataCommand: Command {
    static let name = "import-coredata"
    static let aliases = ["adopt"]
    static let summary = "Import a store that Core Data wrote"
    static let usage = """
        STORE --model MODEL [--to FILE] [--until V] [--version V]
                             [--plan] [--hashes FILE] [--ids FILE] [--format text|json]
                             [--report FILE] [--declarations FILE]
                             [--proofs FOLDER | --no-proof-cache]
        """
    static let details = """
        Reads an SQLite file that Core Data wrote, with its log (-wal) and its external data. The
        command finds the version of the model that wrote the file, copies all objects and links
        into a new store, and migrates the new store to the current version. STORE is never changed.
        The new store is complete, or does not exist.

            cambium import-coredata Shop.sqlite --model Shop.xcdatamodeld --plan
            cambium import-coredata Shop.sqlite --model Shop.xcdatamodeld --to shop.cambium.sqlite

        The report lists everything that is not imported, row by row: rows that break a rule of the
        model, dangling references, unreadable values, missing files, and Core Data's own tables.
        Keys stay the same: the id of an object is its Z_PK.

        --plan imports into a temporary file and deletes the file. The report and the exit code are
        the same as those of an import. The former name of this command, 'adopt', still works.

        A version fits the store if it has exactly the entities and columns of the store. If no
        version fits, the command prints the nearest one and the differences, and imports nothing.
        --version imports the store with a version that does not fit. A property that has no column
        in the store is then nil, or has the default of the model. A column that belongs to no
        property is ignored. If the version of the store comes after the current version, the new
        store keeps the later version. The exit code is then 8, unless --until names the later
        version.
        """
    static let options =
        [
            Option("--model", "MODEL", "the model: Name.xcdatamodeld, or Name.cambium"),
            Option(
                "--to", "FILE",
                "the new store (default: beside STORE, with the extension cambium.sqlite)"),
            Option("--until", "V", "migrate to this version (default: the current one)"),
            Option("--version", "V", "the version that wrote STORE, even if its tables differ"),
            Option(
                "--hashes", "FILE",
                "VersionInfo.plist of the app's Name.momd, to distinguish versions"),
            Option("--plan", nil, "report the import without writing a store"),
            Option("--ids", "FILE", "write old and new keys to a file, separated by tabs"),
            Option("--format", "FORM", "text (default) or json"),
            Option("--report", "FILE", "also write the report to a file, as JSON"),
        ] + Declarations.options + ProofFolder.options

    private enum Format: String, CaseIterable {
        case text, json
    }

    static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
        let path = try arguments.only("a store that Core Data wrote")
        let format = try arguments.word("--format", Format.self) ?? .text
        guard let model = arguments.value("--model") else {
            throw arguments.usage("'import-coredata' needs --model MODEL.")
        }
        let isPlan = arguments.has("--plan")
        if isPlan, let option = ["--to", "--ids"].first(where: arguments.has) {
            throw arguments.usage("--plan writes nothing, so it takes no \(option).")
        }
        if arguments.value("--to")?.isEmpty == true {
            throw arguments.usage("--to needs the name of a file.")
        }
        let target = isPlan ? nil : arguments.value("--to") ?? defaultTarget(of: path)
        if let target { try Files.requireStorePath(target) }
        try requireOwnFiles(path, target, arguments)
        try Files.requireModel(model)
        let verdicts = ProofFolder.verdicts(arguments, console)
        defer { verdicts?.prune() }
        let (history, errors) = VersionHistory.read(
            model, declarations: try Declarations.file(arguments), verdicts: verdicts)
        guard let history else {
            console.report(errors)
            return .modelHasErrors
        }
        // If the file cannot be written, this fails before the work.
        let file = try arguments.value("--report").map {
            try ResultFile($0, of: path)
        }
        func keep(_ json: String) throws {
            try file?.write(Data(json.utf8))
            try file?.finish()
        }
        do {
            let report = try importStore(path, to: target, history, arguments, console)
            try tellingOf(report.destination) {
                // The file is complete even if the reader of the output stops early.
                let kept = Result { try keep(report.json) }
                try console.write(format == .json ? report.json : report.text)
                try kept.get()
            }
            return report.isComplete ? .fine : .incomplete
        } catch CoreDataImportError.fitsNoVersion(let mismatch) {
            try keep(mismatch.json)
            if format == .json { try console.write(mismatch.json) }
            let hint =
                mismatch.isUnrelated
                ? ""
                : "--version takes one by force: what has no column is nil then, and what has no "
                    + "property is left out.\n"
            // A list of differences ends without a full stop.
            let end = mismatch.description.contains("\n") ? "" : "."
            console.writeError("cambium: error: \(mismatch.description)\(end)\n\(hint)")
            return .storeRefused
        } catch let error as CoreDataImportError {
            switch error {
            case .noSuchVersion, .versionIsEarlier, .destinationIsSource:
                throw arguments.usage(error.description)
            default: throw ToolError.file(error.description)
            }
        }
    }

    /// Checks that no written file is also read, and that all written files differ.
    private static func requireOwnFiles(
        _ store: String, _ target: String?, _ arguments: Arguments
    ) throws(ToolError) {
        let source = CoreDataFiles(ofStore: store)
        let made = target.map(NewStore.files) ?? []
        var taken = ["--hashes", "--declarations"].compactMap(arguments.value)
        let model = arguments.value("--model") ?? ""
        for option in ["--ids", "--report"] {
            guard let file = arguments.value(option) else { continue }
            if source.contains(file) {
                throw arguments.usage(
                    "\(option) would write over \(file), which belongs to the store that is to be "
                        + "imported.")
            }
            if StoreFiles.isInside(file, folder: model)
                || (made + taken).contains(where: { StoreFiles.isSameFile($0, file) })
            {
                throw arguments.usage("\(option) needs a file of its own, which \(file) is not.")
            }
            taken.append(file)
        }
    }

    private static func importStore(
        _ path: String, to target: String?, _ history: VersionHistory, _ arguments: Arguments,
        _ console: Console
    ) throws -> CoreDataImportReport {
        let place = try target.map { try NewStore(path: $0, from: path) }
        let store = try CoreDataStore(at: path, for: place)
        var importer = CoreDataImporter(
            store, versions: history.versions, current: history.current
        ) { first, last in
            let path = history.path(from: first, to: last)
            return .init(
                migrations: path.migrations, targets: path.targets, blockers: path.blockers)
        }
        importer.writtenBy = arguments.value("--version")
        importer.target = arguments.value("--until")
        if let file = arguments.value("--hashes") { importer.hashes = try hashes(in: file) }
        console.signals?.catchAll()
        defer { console.signals?.restoreDefaults() }
        importer.isCancelled = console.isCancelled
        let line = ProgressLine(console)
        if let line { importer.progress = { line.show($0.fraction, $0.summary) } }
        defer { line?.end() }
        guard let place else { return try importer.plan() }
        guard let file = arguments.value("--ids") else { return try importer.run(in: place) }
        let list = try IdentityFile(file, of: path)
        importer.identities = { try list.write($0) }
        let report = try importer.run(in: place)
        try tellingOf(report.destination) { try list.finish() }
        return report
    }

    /// Does the work after the import. If it fails, the error states that the store was created.
    private static func tellingOf(_ store: String?, _ work: () throws -> Void) throws {
        do {
            try work()
        } catch ToolError.file(let message) {
            guard let store else { throw ToolError.file(message) }
            throw ToolError.file("\(message)\nThe new store \(store) was created nevertheless.")
        }
    }

    private static func hashes(in file: String) throws(ToolError) -> VersionHashes {
        guard let bytes = try Files.bytes(of: file) else {
            throw .file("There is no file \(file).")
        }
        guard let hashes = VersionHashes(Data(bytes)) else {
            throw .file(
                "\(file) is not a binary VersionInfo.plist. It is in Name.momd of the "
                    + "built app; 'plutil -convert binary1' converts another one.")
        }
        return hashes
    }

    private static func defaultTarget(of path: String) -> String {
        URL(fileURLWithPath: path).deletingPathExtension().path + ".cambium.sqlite"
    }
}
