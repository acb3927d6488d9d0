import CambiumAuthoring
import CambiumCompiler
import CambiumMaintenance
import CambiumMigration

/// `cambium migrate`: what becomes of store files, and the proof that it can.
enum MigrateCommand: Command {
    static let name = "migrate"
    static let summary =
        "Say what a store file is, migrate it or try to; prove a model's migrations"
    static let usage = """
        status STORE --model MODEL [--to V] [--json]
               cambium migrate plan STORE --model MODEL [--to V] [--json]
               cambium migrate apply STORE --model MODEL [--to V] [--backup FILE]
                               [--drift refuse|repair|report] [--json]
               cambium migrate rehearse STORE --model MODEL [--to V] [--drift POLICY] [--json]
               cambium migrate verify --model MODEL [--json] [--proofs FOLDER | --no-proof-cache]
        """
    static let details = """
        status says which version a store has, and whether a program with the model can open it (exit
        code 6 where it has to be migrated). plan says what a migration would do: steps, classes,
        rows, disk space. Both change nothing. apply migrates the store, all of it or nothing, after
        a copy was made beside it where data will be lost. rehearse does it to a copy that is removed
        again, and compares the tables.

        verify runs every step from each version to the next on an SQLite in memory, with rows that
        are made up, and says what was found out about each: its class, the rows before and after,
        and why it fails.

            cambium migrate plan shop.sqlite --model Sources/App/Shop.cambium
            cambium migrate rehearse shop.sqlite --model Sources/App/Shop.cambium --json

        A chain with steps of code only the program itself can run: see MigrationCommand.

        \(ProofFolder.details)
        """
    static let options =
        [
            Option("--model", "MODEL", "the model: Name.cambium or Name.xcdatamodeld"),
            Option("--to", "V", "the version to migrate to (default: the current one)"),
            Option("--backup", "FILE", "apply: copy the store there first, whatever is done"),
            Option(
                "--drift", "POLICY", "tables that others changed: refuse (default), repair, report"),
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
        for option in ["--to", "--backup", "--drift"]
        where arguments.has(option) && !action.options.contains(option) {
            throw arguments.usage("\(option) does not belong to 'migrate \(word)'.")
        }
        guard let model = arguments.value("--model") else {
            throw arguments.usage("'migrate \(word)' needs --model, a model.")
        }
        if action == .verify {
            guard arguments.words.count == 1 else {
                throw arguments.usage("'migrate verify' takes no store: it proves the model.")
            }
            return try verify(model, arguments, console)
        }
        guard arguments.words.count == 2 else {
            throw arguments.usage("'migrate \(word)' takes one: a store file.")
        }
        return try run(action, on: arguments.words[1], model, arguments, console)
    }

    static func print(
        _ report: some MigrationReport, _ arguments: Arguments, _ console: Console
    ) throws(ToolError) {
        try console.write(arguments.has("--json") ? report.json : report.text)
    }
}

/// What can be done with a store file or a model's migrations.
enum MigrateAction: String, CaseIterable {
    case status, plan, apply, rehearse, verify

    /// The options that mean something to it alone.
    var options: Set<String> {
        switch self {
        case .status, .plan: ["--to"]
        case .apply: ["--to", "--backup", "--drift"]
        case .rehearse: ["--to", "--drift"]
        case .verify: []
        }
    }
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
