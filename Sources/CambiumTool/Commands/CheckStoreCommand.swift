import CambiumAuthoring
import CambiumChecking
import CambiumCompiler
import CambiumEngine
import CambiumMaintenance
import CambiumMigration
import CambiumRecords

/// `cambium check-store`: every value, rule and link of a store.
enum CheckStoreCommand: Command {
    static let name = "check-store"
    static let summary = "Check every object, link and derived value of a store"
    static let usage = "STORE --model MODEL [--repair] [--limit NUMBER] [--json]"
    static let details = """
        Finds problems in a store after another program has written to the store, or a disk has
        failed. The command checks each value against the model: types, limits, patterns,
        enumerations, rules and unique values. It checks both ends of each link, the number of
        related objects, and the positions in ordered relationships. It computes derived values
        again, and looks for missing and unreferenced large values. It checks the tables, the
        indexes, and the counters that give new objects their keys. In a file, it also runs SQLite's
        integrity_check.

            cambium check-store shop.sqlite --model Sources/App/Shop.cambium

        The command reads the store as it is at one moment, and other programs can write meanwhile.
        A finding names the object by entity and key, and the property, but never a value. --json
        prints the findings as JSON, for programs. The kinds of findings, such as danglingLink, stay
        the same in later versions.

        --repair then repairs everything that needs no decision about data: it computes derived
        values, raises counters of keys, and removes unreferenced large values. It prints a list of
        the repairs.

        The exit code is 0 if the store has no problems, 1 if it has problems, and 2 if the store
        cannot be checked. With --repair, only the problems that remain count. MODEL must have the
        version of the store. Validation in Swift code does not run.
        """
    static let options = [
        Option("--model", "MODEL", "the model of the store: Name.cambium or Name.xcdatamodeld"),
        Option("--repair", nil, "repair what needs no decision about data"),
        Option("--limit", "NUMBER", "the number of findings to list for each kind (default: 100)"),
        Option("--json", nil, "print the findings as JSON"),
    ]

    static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
        let word = try arguments.only("a store: a file, or the URL of a server")
        guard let path = arguments.value("--model") else {
            throw arguments.usage(
                "'check-store' needs --model MODEL, the model that the store is of.")
        }
        let limit = try arguments.value("--limit").map { text throws(ToolError) in
            guard let limit = Int(text), limit > 0 else {
                throw arguments.usage("--limit takes a number from 1 on.")
            }
            return limit
        }
        do {
            try Files.requireModel(path)
            let store = try StoreArgument(word)
            let report = try check(
                store, CheckedVersions(of: path), limit: limit ?? 100,
                repairs: arguments.has("--repair"), console)
            try console.write(arguments.has("--json") ? report.json : report.text)
            return report.isClean ? .fine : .modelHasErrors
        } catch let error as ToolError {
            // Whatever the error is, the store was not checked.
            throw ToolError.usage(error.message)
        }
    }

    private static func check(
        _ argument: StoreArgument, _ versions: CheckedVersions, limit: Int, repairs: Bool,
        _ console: Console
    ) throws -> StoreCheckReport {
        let (store, model): (any StoreEngine, ModelDescription)
        do {
            (store, model) = try argument.open(
                among: versions.models, StoreOptions().checking(repairs: repairs))
        } catch {
            // A version with errors may be the one.
            console.report(versions.diagnostics)
            throw error
        }
        defer { store.close() }
        console.signals?.catchAll()
        defer { console.signals?.restoreDefaults() }
        let line = ProgressLine(console)
        defer { line?.end() }
        return try argument.explaining {
            let checker = StoreChecker(store, model, limit: limit)
            checker.isCancelled = console.isCancelled
            if let line { checker.progress = { line.show($0.fraction, $0.summary) } }
            let result = try checker.check()
            let repaired = repairs ? try checker.repair() : []
            return StoreCheckReport(
                store: argument.name, model: model.model, result, repairs: repaired)
        }
    }
}
