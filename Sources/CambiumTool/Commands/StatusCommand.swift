import CambiumAuthoring
import CambiumChecking
import CambiumCompiler
import CambiumEngine
import CambiumMaintenance
import CambiumModel
import CambiumRecords

/// `cambium status`: the content of a store and its size.
enum StatusCommand: Command {
    static let name = "status"
    static let summary = "Show the size of a store by entity, its version and its history"
    static let usage = "STORE --model MODEL [--json]"
    static let details = """
        Shows the version of the model, the number and size of the objects of each entity, and the
        number and size of large values. For the history, it shows the number of transactions, their
        size, and the dates of the first and the last. The size of an entity includes its indexes
        and join tables.

            cambium status shop.sqlite --model Sources/App/Shop.cambium

        On a server the command also shows the oldest open transaction of the database. Until that
        transaction ends, the server keeps old versions of rows. The number of rows of a large table
        is the server's estimate.

        The command only reads the store. An entity and its sub-entities share a table, so the
        command shows one size for the whole hierarchy. 'cambium migrate status' shows whether the
        store has to be migrated.
        """
    static let options = [
        Option("--model", "MODEL", "the model of the store: Name.cambium or Name.xcdatamodeld"),
        Option("--json", nil, "print the same as JSON"),
    ]

    static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
        let word = try arguments.only("a store: a file, or the URL of a server")
        guard let path = arguments.value("--model") else {
            throw arguments.usage("'status' needs --model MODEL, the model that the store is of.")
        }
        try Files.requireModel(path)
        let argument = try StoreArgument(word)
        let versions = CheckedVersions(of: path)
        var options = StoreOptions()
        options.isReadOnly = true
        // The command also shows the size of a store that other programs have changed.
        options.driftPolicy = .report
        let (store, model) = try open(argument, versions, options, console)
        defer { store.close() }
        let report = try argument.explaining {
            guard let statistics = try store.statistics() else { throw StoreError.closed }
            return StoreStatusReport(
                store: argument.name, model.model,
                latest: versions.models.last?.version ?? model.model.version, statistics)
        }
        try console.write(arguments.has("--json") ? report.json : report.text)
        return .fine
    }

    private static func open(
        _ argument: StoreArgument, _ versions: CheckedVersions, _ options: StoreOptions,
        _ console: Console
    ) throws -> (any StoreEngine, ModelDescription) {
        do {
            return try argument.open(among: versions.models, options)
        } catch {
            // The store may have a version that has errors.
            console.report(versions.diagnostics)
            throw error
        }
    }
}
