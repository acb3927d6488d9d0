import CambiumAuthoring
import CambiumCompiler
import CambiumMaintenance
import CambiumMigration

/// `cambium migrate`: migrates store files, and proves migrations.
enum MigrateCommand: Command {
    static let name = "migrate"
    static let summary = "Inspect, rehearse, apply and prove the migration of stores"
    static let usage = """
        status STORE --model MODEL [--to V] [--json]
               cambium migrate plan STORE --model MODEL [--to V] [--json]
               cambium migrate apply STORE --model MODEL [--to V] [--backup FILE]
                               [--drift refuse|repair|report] [--json]
               cambium migrate rehearse STORE --model MODEL [--to V] [--drift POLICY] [--json]
               cambium migrate forget STORE [--json]
               cambium migrate verify --model MODEL [--json] [--proofs FOLDER | --no-proof-cache]
               cambium migrate verify --model MODEL --engine postgres --url URL [--json]
        """
    static let details = """
        status prints the version of a store, and whether a program with the model can open the
        store. The exit code of status is 6 if the store has to be migrated. plan prints the
        migration: each step with its class, the number of rows, and the disk space. status and plan
        change nothing. apply migrates the store, completely or not at all. If data will be lost,
        apply first makes a copy beside the store. rehearse migrates a temporary copy of the store,
        and compares the numbers of rows before and after. forget removes the copies that earlier
        migrations have made.

        STORE is the file of an SQLite database, or the URL of a PostgreSQL server, such as
        postgresql://host/shop#schema. On a server, plan also lists the tables that will be
        rewritten, and the locks that other programs will wait for. apply makes its copies in a
        separate schema. rehearse makes and migrates its copy in a transaction that never commits,
        so no other program sees the copy.

        verify runs every step from each version to the next on an SQLite in memory, with sample
        rows. It reports the class of each step, the rows before and after, and the reason of a
        failure. With --engine postgres it also runs the steps on a server, with the same rows, and
        compares every table and every row. Afterwards the server is as it was.

            cambium migrate plan shop.sqlite --model Sources/App/Shop.cambium
            cambium migrate rehearse shop.sqlite --model Sources/App/Shop.cambium --json

        Only your program can run a migration that contains steps in Swift: see MigrationCommand.

        \(ProofFolder.details)
        """
    static let options =
        [
            Option("--model", "MODEL", "the model: Name.cambium or Name.xcdatamodeld"),
            Option("--to", "V", "the version to migrate to (default: the current one)"),
            Option("--backup", "FILE", "apply: always copy the store to this file first"),
            Option(
                "--drift", "POLICY", "changed tables: refuse (default), repair, report"),
            Option("--engine", "ENGINE", "verify: sqlite (default) or postgres"),
            Option("--url", "URL", "verify: the server for --engine postgres"),
            Option("--json", nil, "print JSON for programs"),
        ] + Declarations.options + ProofFolder.options

    static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
        guard let word = arguments.words.first else {
            throw arguments.usage(
                "'migrate' needs what to do: \(MigrateAction.allCases.map(\.rawValue).joined(separator: ", "))."
            )
        }
        guard let action = MigrateAction(rawValue: word) else {
            let hint = Suggestion.sentence(
                for: word, among: MigrateAction.allCases.map(\.rawValue))
            throw arguments.usage("'migrate' cannot '\(word)'." + (hint.map { " \($0)" } ?? ""))
        }
        for option in MigrateAction.ownOptions
        where arguments.has(option) && !action.options.contains(option) {
            throw arguments.usage("\(option) does not belong to 'migrate \(word)'.")
        }
        if action == .forget {
            guard arguments.words.count == 2 else {
                throw arguments.usage("'migrate forget' takes one: a store.")
            }
            return try forget(copiesOf: arguments.words[1], arguments, console)
        }
        guard let model = arguments.value("--model") else {
            throw arguments.usage("'migrate \(word)' needs --model, a model.")
        }
        if action == .verify {
            guard arguments.words.count == 1 else {
                throw arguments.usage("'migrate verify' takes no store: it proves the model.")
            }
            let engine = try arguments.word("--engine", MigrateEngine.self) ?? .sqlite
            guard let url = arguments.value("--url") else {
                guard engine == .sqlite else {
                    throw arguments.usage("'--engine postgres' needs --url, a server.")
                }
                return try verify(model, arguments, console)
            }
            guard engine == .postgres else {
                throw arguments.usage("--url belongs to '--engine postgres'.")
            }
            return try verify(model, onServer: url, arguments, console)
        }
        guard arguments.words.count == 2 else {
            throw arguments.usage("'migrate \(word)' takes one: a store.")
        }
        let store = try StoreArgument(arguments.words[1])
        switch store.place {
        case .file(let path): return try run(action, on: path, model, arguments, console)
        case .server(let place):
            return try run(action, on: store, at: place, model, arguments, console)
        }
    }

    static func print(
        _ report: some MigrationReport, _ arguments: Arguments, _ console: Console
    ) throws(ToolError) {
        try console.write(arguments.has("--json") ? report.json : report.text)
    }
}

/// The actions on a store file or on a model's migrations.
enum MigrateAction: String, CaseIterable {
    case status, plan, apply, rehearse, forget, verify

    /// The options that only some actions accept.
    static let ownOptions = ["--model", "--to", "--backup", "--drift", "--engine", "--url"]

    /// The options of the action.
    var options: Set<String> {
        switch self {
        case .status, .plan: ["--model", "--to"]
        case .apply: ["--model", "--to", "--backup", "--drift"]
        case .rehearse: ["--model", "--to", "--drift"]
        case .forget: []
        case .verify: ["--model", "--engine", "--url"]
        }
    }
}

/// The engines on which steps are proven.
enum MigrateEngine: String, CaseIterable {
    case sqlite, postgres
}

extension MigrateCommand {
    /// Proves every step of a bundle.
    static func verify(
        _ path: String, _ arguments: Arguments, _ console: Console
    ) throws -> ExitCode {
        try Files.requireModel(path)
        let declarations = try Declarations.file(arguments)
        let verdicts = ProofFolder.verdicts(arguments, console)
        let verification = BundleVerification(
            of: path, declarations: declarations, verdicts: verdicts)
        verdicts?.prune()
        let errors = verification.diagnostics.filter(\.isError)
        console.report(errors)
        guard let report = verification.report else { return .modelHasErrors }
        try print(report, arguments, console)
        guard errors.isEmpty, report.isProven else { return .modelHasErrors }
        return report.lacksRows ? .provenWithoutRows : .fine
    }
}
