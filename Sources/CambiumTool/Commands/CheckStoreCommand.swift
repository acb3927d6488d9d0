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
    static let summary = "Check every object, link and derived value of a store, and repair some"
    static let usage = "STORE --model MODEL [--repair] [--limit NUMBER] [--json]"
    static let details = """
        Checks what other programs may have broken: required values, limits, patterns, enumerations
        and rules; unique values; dangling links, and links to another entity or in one direction
        only; how many objects a relationship has; the order of lists; derived values; large values
        beside the rows; the counters of keys; the tables and indexes; and the database itself.

            cambium check-store shop.sqlite --model Sources/App/Shop.cambium

        It only reads, in one transaction, while others may write. A finding names the object
        by its entity and key, and the property, and never has a value. --json prints the same for
        programs; the kinds, such as danglingLink, stay the same in later versions.

        --repair then repairs what needs no decision about data: it computes derived values, raises
        counters of keys, and removes large values that no object references. It reports what it
        did. The rest is for you or your program.

        The exit code is 0 without problems (or if all are repaired), 1 with problems, and 2 if
        the store cannot be checked. MODEL has the version that the store is of. Checks that a
        program adds in Swift do not run.
        """
    static let options = [
        Option("--model", "MODEL", "the model of the store: Name.cambium or Name.xcdatamodeld"),
        Option("--repair", nil, "repair what needs no decision about data"),
        Option("--limit", "NUMBER", "how many findings of each kind to name (default: 100)"),
        Option("--json", nil, "print what was found as JSON"),
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
