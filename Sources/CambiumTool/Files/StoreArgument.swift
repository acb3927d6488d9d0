import CambiumAuthoring
import CambiumCompiler
import CambiumEngine
import CambiumMaintenance
import CambiumMigration
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLiteStore

#if PostgreSQL
    import CambiumPostgresStore
#endif

/// A store that a command line names: the file of an SQLite database, or a schema on a server.
///
/// The URL of a server has the form that its library accepts, such as
/// `postgresql://user@host/database`. The name of the schema may follow it, as in
/// `postgresql://host/database#shop`; it is `cambium` otherwise.
struct StoreArgument {
    /// The location of the store.
    enum Place: Equatable {
        case file(path: String)
        case server(ServerStores.Place)
    }

    let place: Place
    /// The name in messages. It contains no password and no user.
    let name: String

    /// Stores on servers; nil in a tool that was built without. Tests have them in any tool.
    @TaskLocal static var servers: ServerStores? = builtInServers

    private static var builtInServers: ServerStores? {
        #if PostgreSQL
            .postgres
        #else
            nil
        #endif
    }

    /// Reads a word of a command line.
    ///
    /// - Throws: An error if the tool was built without support for servers, or if the path cannot
    ///   be that of a store.
    init(_ word: String) throws(ToolError) {
        guard let address = ServerAddress(word) else {
            try Files.requirePath(ofStore: word)
            place = .file(path: word)
            name = word
            return
        }
        name = address.name
        guard let schema = address.schema else {
            throw .usage("The name of a schema follows the # of \(name), such as #shop.")
        }
        place = .server(.init(url: address.url, schema: schema))
        guard Self.servers != nil else {
            throw missingServers
        }
    }

    private var missingServers: ToolError {
        .usage(
            """
            \(name) is on a PostgreSQL server, and this tool was built without PostgreSQL. Install \
            libpq, and build it in the folder of Cambium:
                swift build -c release --traits PostgreSQL --product CambiumTool
            In a package that depends on Cambium, add traits: ["PostgreSQL"] to that dependency; \
            'swift package cambium' then takes servers.
            """)
    }

    // MARK: Metadata

    /// The metadata of the store; nil if there is no store.
    ///
    /// - Throws: An error if the file or the schema is not a store, or cannot be read.
    func metadata() throws -> StoreMetadata? {
        switch place {
        case .file(let path):
            guard Files.exists(path) else { return nil }
            guard !StoreFiles.isFolder(path) else {
                throw ToolError.file("\(path) is a folder; name the store file in it.")
            }
            return try SQLiteFile.withMetadata(of: path, isReadOnly: true) {
                try $0.metadata(path: path).model
            }
        case .server(let place): return try Self.servers?.metadata(place)
        }
    }

    /// The model with the version of the store.
    ///
    /// - Throws: An error if there is no store, or if its version is not among these.
    func model(among versions: [Model]) throws -> Model {
        try explaining {
            guard let metadata = try metadata() else {
                throw ToolError.file("There is no store at \(name).")
            }
            return try metadata.version(among: versions)
        }
    }

    // MARK: Opening it

    /// The opener that opens or creates the store with one version of a model.
    ///
    /// - Parameter runner: Creates the runner that migrates a store in a file to the version; nil
    ///   if the store must have that version.
    func opener(
        for model: ModelDescription, _ options: StoreOptions,
        _ runner: (@Sendable () -> MigrationRunner)? = nil, source: StoreArgument? = nil
    ) throws(ToolError) -> any StoreOpening {
        switch place {
        case .server(let place):
            guard let servers = Self.servers else { throw missingServers }
            return servers.opener(place, model, options)
        case .file(let path):
            var sourcePath: String?
            if case .file(let path)? = source?.place { sourcePath = path }
            let version = model.model
            return SQLiteOpener(
                path: path, options, model, runner ?? { MigrationRunner(model: version) },
                statements: Schema(of: version).statements, migratesByDefault: false,
                source: sourcePath, willOpen: {}, didMoveAside: { _ in })
        }
    }

    /// Opens the store with its own version.
    ///
    /// - Throws: An error if there is no store, if its version is not among these, or if it cannot
    ///   be opened.
    func open(
        among versions: [Model], _ options: StoreOptions
    ) throws -> (store: any StoreEngine, model: ModelDescription) {
        let model = ModelDescription(
            try model(among: versions), types: [:], common: NoObject.self)
        var options = options
        options.migratesAutomatically = false
        let opener = try opener(for: model, options)
        return try explaining { (try opener.open().store, model) }
    }

    /// Runs a body with the path of a file that contains the complete store. It is the store's own
    /// file, or a temporary copy of a store on a server.
    func withFile<Result>(
        among versions: [Model], _ console: Console, _ body: (_ path: String) throws -> Result
    ) throws -> Result {
        if case .file(let path) = place { return try body(path) }
        let folder = try Files.scratchFolder()
        return try withExtendedLifetime(folder) {
            let path = "\(folder.path)/store.sqlite"
            try explaining {
                var options = StoreOptions()
                options.isReadOnly = true
                let (source, model) = try open(among: versions, options)
                defer { source.close() }
                let rows = MovedRows(
                    source: source, roots: model.roots, model: model,
                    isCancelled: console.isCancelled)
                let opener = try StoreArgument(path).opener(for: model, StoreOptions())
                try rows.open(with: opener).store.close()
            }
            return try body(path)
        }
    }

    /// Runs a body. Its error names the store and the remedy.
    func explaining<Result>(_ body: () throws -> Result) throws(ToolError) -> Result {
        do {
            return try body()
        } catch let error as ToolError {
            throw error
        } catch {
            if let failure = StoreFailure(error, storeAt: name) {
                throw failure.cause == .file
                    ? .file("\(failure.message).") : .store("\(failure.message).")
            }
            throw .store("\(name): \(StoreFiles.reason(for: error))")
        }
    }
}

extension ModelDescription {
    /// The numbers of the root entities.
    var roots: [Int] { entities.filter { $0.rootIndex == $0.index }.map { $0.index } }
}

/// The class of the objects of a tool. A tool creates none.
final class NoObject {}
