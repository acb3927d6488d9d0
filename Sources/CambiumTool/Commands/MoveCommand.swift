import CambiumAuthoring
import CambiumCompiler
import CambiumEngine
import CambiumMaintenance
import CambiumMigration
import CambiumModel
import CambiumRecords

/// `cambium move`: a store of one kind becomes one of another.
enum MoveCommand: Command {
    static let name = "move"
    static let summary = "Move a store between SQLite and a PostgreSQL server"
    static let usage = "FROM TO --model MODEL [--drift refuse|report] [--json]"
    static let details = """
        FROM and TO are the file of an SQLite database, or a schema on a server, such as
        postgresql://user@host/database#schema. The default schema is cambium.

            cambium move shop.sqlite 'postgresql://shop@db.example.com/shop' --model Shop.cambium

        TO must be new, or a store without objects on a server. The command copies all of FROM:
        objects with their keys and versions, links and their order, large values, and the program's
        metadata. The history starts over, so a history token of FROM is expired in TO. FROM is only
        read. Stop all programs during the move: changes that they save may be missing in TO.

        If TO cannot hold some values, the command lists them before it writes anything, 20 at most.
        A server keeps dates to the microsecond. The report has the number of rounded dates. The
        move is one transaction. Before the commit, the command reads each table again and compares
        the table with FROM. If the move fails or is interrupted, TO does not change.

        MODEL must contain the version of FROM, which need not be the current one.
        """
    static let options =
        [
            Option("--model", "MODEL", "the model of the store: Name.cambium or Name.xcdatamodeld"),
            Option(
                "--drift", "POLICY",
                "changed tables of FROM: refuse (default), or report and continue"),
            Option("--json", nil, "print JSON for programs"),
        ] + Declarations.options + ProofFolder.options

    private enum Drift: String, CaseIterable {
        case refuse, report
    }

    static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
        guard arguments.words.count == 2 else {
            throw arguments.usage("'move' takes two stores: FROM and TO.")
        }
        let (from, to) = (
            try StoreArgument(arguments.words[0]), try StoreArgument(arguments.words[1])
        )
        guard let path = arguments.value("--model") else {
            throw arguments.usage("'move' needs --model MODEL, the model that the store is of.")
        }
        let drift = try arguments.word("--drift", Drift.self) ?? .refuse
        let version = try version(of: from, path, console)
        try requireFree(to)
        var options = StoreOptions()
        options.isReadOnly = true
        if drift == .report { options.driftPolicy = .report }
        let (source, model) = try from.open(among: [version], options)
        defer { source.close() }
        let bundle = try compiled(path, for: to, arguments, console)
        let opener = try to.opener(
            for: model, StoreOptions(),
            { bundle?.runner(to: version.version) ?? MigrationRunner(model: version) },
            source: from)
        console.signals?.catchAll()
        defer { console.signals?.restoreDefaults() }
        let line = SharedLine(console)
        let rows = MovedRows(
            source: source, roots: model.roots, model: model, progress: { line?.show($0) },
            isCancelled: console.isCancelled)
        let report = try to.explaining { () throws -> MoveReport? in
            defer { line?.end() }
            return try move(rows, opener, to)
        }
        let moved = MovedStore(from: from.name, to: to.name, version, report)
        try console.write(arguments.has("--json") ? moved.json : moved.text)
        return .fine
    }

    private static func move(
        _ rows: MovedRows, _ opener: any StoreOpening, _ to: StoreArgument
    ) throws -> MoveReport? {
        do {
            let (store, report) = try rows.open(with: opener)
            store.close()
            return report
        } catch is CancellationError {
            throw ToolError.store("\(to.name): The move was stopped. Nothing was moved.")
        } catch {
            guard let lines = refusals(error) else { throw error }
            throw ToolError.store("\(to.name) cannot hold all values of the store:\n\(lines)")
        }
    }

    private static func version(
        of store: StoreArgument, _ path: String, _ console: Console
    ) throws -> Model {
        try Files.requireModel(path)
        let versions = CheckedVersions(of: path)
        do {
            return try store.model(among: versions.models)
        } catch {
            // A version with errors may be the one.
            console.report(versions.diagnostics)
            throw error
        }
    }

    /// The bundle, for the unshipped versions in the metadata of a file; nil if a step is
    /// undecided. That does not matter here.
    private static func compiled(
        _ path: String, for store: StoreArgument, _ arguments: Arguments, _ console: Console
    ) throws(ToolError) -> CompiledBundle? {
        guard case .file = store.place else { return nil }
        let verdicts = ProofFolder.verdicts(arguments, console)
        defer { verdicts?.prune() }
        return ModelCompiler.compile(
            path, declarations: try Declarations.file(arguments), verdicts: verdicts
        ).bundle
    }

    private static func requireFree(_ to: StoreArgument) throws(ToolError) {
        guard case .file(let path) = to.place else { return }
        try Files.requireFree(path, " Name another file, or move it away.")
    }

    /// A line for each value that the new store cannot hold; nil for other errors.
    private static func refusals(_ error: any Error) -> String? {
        let errors: [ValidationError]
        switch error {
        case let error as ValidationErrors: errors = error.errors
        case let error as ValidationError: errors = [error]
        default: return nil
        }
        let lines = errors.map { error in
            let key = error.objectID.map { "/\($0.key)" } ?? ""
            let property = error.property.map { ".\($0)" } ?? ""
            return "  \(error.entityName)\(key)\(property): \(error.message)"
        }
        let rest = errors.count < TableMove.mostRefusals ? "" : "\n  There may be more."
        return lines.joined(separator: "\n") + rest
    }
}

extension SharedLine {
    fileprivate func show(_ progress: MoveProgress) {
        let words =
            switch progress.phase {
            case .checking: "Check \(progress.name)"
            case .copying: "Copy \(progress.name)"
            case .indexing: "Create \(progress.name)"
            case .comparing: "Compare \(progress.name)"
            }
        show(progress.fraction, words)
    }
}

/// The result of `cambium move`.
private struct MovedStore: MigrationReport {
    let from: String
    let to: String
    let model: Model
    /// The report of the move, or nil if the file was copied unchanged.
    let report: MoveReport?

    init(from: String, to: String, _ model: Model, _ report: MoveReport?) {
        self.from = from
        self.to = to
        self.model = model
        self.report = report
    }

    var text: String {
        let head = "Moved \(from) to \(to): \(model.name), version \(model.version).\n"
        guard let report else { return head }
        let width = report.tables.map(\.name.count).max() ?? 0
        let counts = report.tables.map { "\($0.rowCount)" }
        let countWidth = counts.map(\.count).max() ?? 0
        let lines = zip(report.tables, counts).map { table, count in
            let name = table.name + String(repeating: " ", count: width - table.name.count)
            let space = String(repeating: " ", count: countWidth - count.count)
            return "  \(name)  \(space)\(count) rows  \(table.checksum)\n"
        }
        let dates = report.roundedDates
        let rounded =
            dates == 0
            ? "" : "\(dates) date\(dates == 1 ? " was" : "s were") rounded to microseconds.\n"
        return head + lines.joined() + rounded
    }

    var members: ReportValue {
        .object([
            "from": .text(from), "to": .text(to), "model": .text(model.name),
            "version": .text(model.version), "roundedDates": .number(report?.roundedDates ?? 0),
            "tables": .list(
                (report?.tables ?? []).map { table in
                    .object([
                        "name": .text(table.name), "rows": .number(table.rowCount),
                        "checksum": .text(table.checksum),
                    ])
                }),
        ])
    }
}
