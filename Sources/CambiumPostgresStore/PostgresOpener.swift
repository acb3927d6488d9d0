import CambiumEngine
@_spi(Generated) import CambiumMigration
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// Opens a store in a schema of a database. If there is no store, it creates one.
package struct PostgresOpener: StoreOpening {
    let settings: PostgresSettings
    let schema: String
    let model: ModelDescription
    private let migrations: [Migration]
    /// The custom migration steps of the program.
    private let code: [CodeStep]
    private let migratesByDefault: Bool
    let options: StoreOptions
    let setup: PostgresSetup
    let waitLimit: Duration
    private let retryTimeout: Duration
    private let historyTriggers: Bool?
    let made = Shared<Made?>(nil)
    /// The greatest number of bytes of a value: the limit of the server, or less.
    package var largestValue = PostgresExternal.largestValue
    /// The number of the oldest supported server version.
    var leastServerVersion = 150_000

    /// - Parameters:
    ///   - settings: The server, the database, and how to connect.
    ///   - schema: The name of the schema.
    ///   - migrations: The migrations from earlier versions to the program's version.
    ///   - code: The custom steps of these migrations.
    ///   - migratesByDefault: Whether a store is migrated if the options do not specify it.
    ///   - statementTimeout: The greatest duration of a statement.
    ///   - idleTimeout: The greatest duration of an idle transaction.
    ///   - waitLimit: The time that a caller waits for a connection if all are in use.
    ///   - retryTimeout: The time for which work is repeated after its connection was lost, or its
    ///     outcome is determined.
    ///   - historyTriggers: Whether triggers note the writes of other programs in the history; nil
    ///     keeps the setting of the store.
    package init(
        _ settings: PostgresSettings, schema: String, _ model: ModelDescription,
        _ options: StoreOptions, migrations: [Migration] = [], code: [CodeStep] = [],
        migratesByDefault: Bool = true, statementTimeout: Duration? = nil,
        idleTimeout: Duration? = nil, waitLimit: Duration = .seconds(30),
        retryTimeout: Duration = .seconds(30), historyTriggers: Bool? = nil
    ) {
        self.historyTriggers = historyTriggers
        self.retryTimeout = retryTimeout
        self.waitLimit = waitLimit
        setup = PostgresSetup(
            lockTimeout: options.busyTimeout, statementTimeout: statementTimeout,
            idleTimeout: idleTimeout,
            watch: options.statementHook.map { PostgresWatch($0, settings) })
        self.settings = settings
        self.schema = schema
        self.model = model
        (self.migrations, self.code) = (migrations, code)
        self.migratesByDefault = migratesByDefault
        self.options = options
    }

    package func open() throws -> (store: any StoreEngine, migration: MigrationOutcome) {
        if options.followsRemoteChanges {
            throw StoreError.invalidRequest(
                "Contexts cannot follow yet what others write to a store on a server.",
                remedy: "Leave StoreOptions.followsRemoteChanges off for it, and fetch or refresh "
                    + "what has to be new.")
        }
        try requireSchemaName()
        let pool = PostgresPool(settings, setup, waitLimit: waitLimit)
        let derivations = PostgresDerivations(PostgresLayout(model, schema: schema))
        let layout = derivations.layout
        let found = try pool.withConnection { connection in
            try require(connection)
            do {
                let found = try connection.transaction { try identifier(derivations, connection) }
                if found.made == nil {
                    try permitting("compare the tables of", .temporaryTables) {
                        try requireTables(derivations, connection, found)
                    }
                }
                return found
            } catch let error as PostgresError where error.isCancellation {
                throw MigrationError.cancelled
            }
        }
        if let new = found.made { made.withLock { $0 = new } }
        let history = try PostgresHistory(layout, options.historyRetention)
        if !options.isReadOnly {
            try pool.withConnection { connection in
                try permitting("turn on or off the history of", .owner) {
                    try history.setUp(options, triggers: historyTriggers, connection)
                }
                // If this fails, the next opening removes them.
                _ = try? connection.run([layout.commits.removal])
            }
        }
        var setup = setup
        setup.metadata = layout.metadata
        let store = PostgresEngine(
            PostgresPool(settings, setup, waitLimit: waitLimit), derivations,
            identifier: found.identifier, options: options, history: history,
            largestValue: largestValue, retryTimeout: retryTimeout)
        return (store, found.migration ?? (found.made == nil ? .current : .created))
    }

    /// Cancels statements that wait, and the migration.
    var interruption: Interruption {
        Interruption(when: options.isMigrationCancelled ?? { false })
    }

    package func removeNewStore() {
        guard let made = made.withLock({ $0 }) else { return }
        // Errors are ignored, because the opening has failed already.
        guard let connection = try? PostgresConnection(settings, setup) else { return }
        _ = try? connection.run(
            [PostgresConnection.begin(isReadOnly: false)]
                + made.removal.map { PostgresStatement($0) }
                + [PostgresStatement("COMMIT")])
        self.made.withLock { $0 = nil }
    }

    /// The objects that this opener has created.
    enum Made {
        case schema(String)
        /// In a schema that existed.
        case tables([String], functions: [String])

        /// The statements that drop these objects, and no others.
        var removal: [String] {
            switch self {
            case .schema(let name): ["DROP SCHEMA IF EXISTS \(name) CASCADE"]
            case .tables(let names, let functions):
                ["DROP TABLE IF EXISTS \(names.joined(separator: ", ")) CASCADE"]
                    + functions.map { "DROP FUNCTION IF EXISTS \($0)" }
            }
        }
    }

    /// Checks the length of the schema's name. The server would cut off a longer name, so that two
    /// stores could become one.
    func requireSchemaName() throws {
        let count = schema.utf8.count
        guard (1...PostgresName.maximum).contains(count), !schema.utf8.contains(0) else {
            throw StoreError.invalidRequest(
                count == 0
                    ? "The name of the schema is empty."
                    : "PostgreSQL does not take \(schema.excerpt()) as the name of a schema.",
                remedy: "Give it a name of 1 to \(PostgresName.maximum) bytes, without a "
                    + "character 0.")
        }
    }

    /// Checks that Cambium supports the server's version and encoding.
    func require(_ connection: PostgresConnection) throws {
        guard connection.serverVersion >= leastServerVersion else {
            throw StoreError(
                code: .cannotOpen,
                message:
                    "The server has version \(connection.serverVersion / 10_000) of PostgreSQL.",
                remedy: "Use version \(leastServerVersion / 10_000) or later.")
        }
        let encoding = connection.serverSetting("server_encoding") ?? ""
        guard encoding == "UTF8" else {
            throw StoreError(
                code: .cannotOpen,
                message: "The database has the encoding \(encoding).",
                remedy: "Use a database with the encoding UTF8.")
        }
    }

    /// Returns the identity of the store, after it was created or migrated if necessary.
    func identifier(
        _ derivations: PostgresDerivations, _ connection: PostgresConnection
    ) throws -> Found {
        let layout = derivations.layout
        // If several programs open a new store, one of them creates it.
        var name = PostgresParameters()
        name.append(.text(layout.metadata), as: .text)
        if !options.isReadOnly { try waitForOthers(name, connection) }
        name.append(.text(layout.commits.table), as: .text)
        let existing = try permitting("open", .grants) {
            try connection.run(
                "SELECT to_regclass($1) IS NOT NULL, to_regclass($2) IS NOT NULL", name)
        }
        let exists = existing.boolean(0, 0)
        let schema = PostgresSchema(of: derivations)
        let expected = StoreMetadata(of: model.model, schemaHash: schema.hash)
        if exists {
            let found = try permitting("open", .grants) { try metadata(layout, connection) }
            let rows = found.namesAndValues
            guard let store = StoreMetadata(rows: rows),
                let uuid = MetadataSQL.identifier(in: rows)
            else {
                throw StoreError(
                    code: .corrupt,
                    message: "The table \(layout.metadata) has no metadata of a model.",
                    remedy:
                        "Give the store another schema, or restore it from a backup. If a policy "
                        + "of the server's protects the table, let it show the rows to this user.")
            }
            guard store.model == expected.model else {
                throw MigrationError.otherModel(store: store.model, program: expected.model)
            }
            guard store.format == expected.format else {
                throw MigrationError.newerFormat(store: store.format, program: expected.format)
            }
            if !existing.boolean(0, 1), !options.isReadOnly {
                try permitting("add the table \(PostgresCommits.name) to", .owner) {
                    _ = try connection.run(layout.commits.statement)
                }
            }
            return try update(
                Found(
                    identifier: StoreIdentifier(uuid), made: nil,
                    metadata: Dictionary(
                        (0..<found.count).map { (found.text($0, 0), found.text($0, 1)) },
                        uniquingKeysWith: { one, _ in one }),
                    migration: nil),
                from: store, to: expected, derivations, connection)
        }
        guard !options.isReadOnly else {
            throw StoreError(
                code: .cannotOpen, message: "The schema \(layout.schema) has no store.",
                remedy: "Name the schema of a store, or create one here by opening it for writing.")
        }
        let uuid = try UUID.random()
        var own = PostgresParameters()
        own.append(.text(self.schema), as: .text)
        let hasSchema = try connection.run(
            "SELECT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1)", own
        ).boolean(0, 0)
        try permitting("create", .creation) {
            do {
                // Creating an existing schema requires a right that its owner may not have.
                _ = try connection.run(
                    (hasSchema ? [] : [layout.schemaStatement]).map { PostgresStatement($0) }
                        + schema.statements.map { PostgresStatement($0) }
                        + [statement([("uuid", uuid.uuidString)] + expected.values, layout)])
            } catch let error as PostgresError where error.isOfTakenName {
                throw StoreError(
                    code: .cannotOpen,
                    message: "The schema \(layout.schema) has no store, but another program has "
                        + "objects there whose names the store needs: \(error.message).",
                    remedy: "Give the store a schema of its own.", underlying: error)
            }
        }
        let catalogue = try PostgresDrift(layout: layout, connection: connection).catalogue()
        _ = try connection.run([statement([(Self.catalogueName, catalogue.hash)], layout)])
        return Found(
            identifier: StoreIdentifier(uuid),
            made: hasSchema
                ? .tables(
                    Self.tables(in: layout),
                    functions: try PostgresHistory(layout, nil).triggers(.properties).functions)
                : .schema(layout.schema),
            metadata: [:], migration: nil)
    }

    /// The store that was found or created.
    struct Found {
        let identifier: StoreIdentifier
        let made: Made?
        var metadata: [String: String]
        /// The migration of the store; nil if none was necessary.
        var migration: MigrationOutcome?
        /// Whether the tables have limits, defaults or indexes of another model with the same version
        /// hash, and the options do not allow a change. Their rows can be read and written.
        var hasOtherLimits = false
    }

    /// Migrates a store of an earlier version. Other programs that open it wait meanwhile.
    private func update(
        _ found: Found, from store: StoreMetadata, to target: StoreMetadata,
        _ derivations: PostgresDerivations, _ connection: PostgresConnection
    ) throws -> Found {
        guard let chain = try chain(from: store, to: target) else { return found }
        let drift = PostgresDrift(layout: derivations.layout, connection: connection)
        var found = found
        let isRefresh = chain.migrations.isEmpty
        guard allowsMigration else {
            guard isRefresh else {
                throw MigrationError.migrationIsOff(store: store.version, program: target.version)
            }
            found.hasOtherLimits = true
            return found
        }
        let hasWork =
            try !isRefresh
            || permitting("compare the tables of", .temporaryTables) {
                try !drift.refreshment(ignoringOthers: options.driftPolicy == .report).isEmpty
            }
        if hasWork {
            let work = isRefresh ? "change the limits, defaults or indexes of" : "migrate"
            found.migration = try permitting(work, .owner) {
                try migrate(along: chain, from: store, derivations, connection)
            }
        }
        if !isRefresh {
            let changed = try drift.differences(isInTransaction: true)
                .filter { $0.kind != .external }
            // Another program had changed the old tables.
            guard changed.isEmpty else {
                throw MigrationError.storeDiffers(
                    changed.adding(PostgresDrift.obstacleOfMigrations))
            }
        }
        // After a refresh the tables are compared again: others may have changed them, too.
        let hash = isRefresh ? "" : try drift.catalogue().hash
        found.metadata[Self.catalogueName] = hash
        try note([(Self.catalogueName, hash)] + target.values, derivations.layout, connection)
        return found
    }

    private var allowsMigration: Bool {
        !options.isReadOnly && options.migratesAutomatically ?? migratesByDefault
    }

    private func migrate(
        along chain: MigrationChain, from store: StoreMetadata,
        _ derivations: PostgresDerivations, _ connection: PostgresConnection
    ) throws -> MigrationOutcome {
        try lock(derivations.layout, connection)
        let migrator = PostgresMigrator(
            derivations: derivations, chain: chain, connection: connection,
            makesBackup: options.migrationBackup != .none, code: code,
            interruption: interruption)
        let backup = try migrator.run(notifying: options.migrationProgress)
        if chain.migrations.isEmpty { return .refreshed(backup: nil) }
        return .migrated(
            from: store.version, to: model.model.version,
            steps: chain.migrations.flatMap(\.steps), backup: backup)
    }

    /// The chain of migrations to the program's version; empty if only limits, defaults or indexes may
    /// differ, nil if nothing does.
    private func chain(
        from store: StoreMetadata, to target: StoreMetadata
    ) throws -> MigrationChain? {
        if store == target { return nil }
        do {
            return try .path(from: store, to: target, among: migrations)
        } catch MigrationError.unknownVersion
            where migrations.isEmpty && store.version != target.version
        {
            throw StoreError(
                code: .cannotOpen,
                message: "The store has version \(store.version) of \(target.model), and the "
                    + "program has no migrations of stores on PostgreSQL.",
                remedy: "Write engines=\"sqlite postgres\" in <model> of version "
                    + "\(target.version), and build the program again.")
        }
    }

    // MARK: Drift

    /// The name in the metadata of a hash of the server's description of the tables.
    private static let catalogueName = PostgresCatalogue.nameOfHash

    /// Checks, as the options require it, that no other program has changed the tables.
    ///
    /// If the server's description has the stored hash, nothing else is compared. Otherwise the
    /// tables are compared with temporary tables that the server creates for the model.
    private func requireTables(
        _ derivations: PostgresDerivations, _ connection: PostgresConnection, _ store: Found
    ) throws {
        let layout = derivations.layout
        let trustsOthers = options.trust == .externalObjects
        let policy = store.hasOtherLimits ? .report : options.driftPolicy
        if policy == .report, trustsOthers { return }
        let drift = PostgresDrift(layout: layout, connection: connection)
        let hash = try drift.catalogue().hash
        if store.metadata[Self.catalogueName] == hash { return }
        let found = try drift.differences()
        let foreign = found.filter { $0.kind == .external }
        guard trustsOthers || foreign.isEmpty else {
            throw StoreError(
                code: .cannotOpen,
                message: "The store has external objects: \(foreign.list).",
                remedy: "Remove that, or set StoreOptions.trust to externalObjects.")
        }
        // A read-only program does not need this table. A writing program creates it.
        let changed = found.filter { difference in
            difference.kind != .external
                && !(options.isReadOnly && difference.name == PostgresCommits.name)
        }
        guard changed.isEmpty else {
            guard policy == .repair else { throw MigrationError.storeDiffers(changed) }
            if options.isReadOnly, trustsOthers { return }
            guard changed.allSatisfy(\.obstacles.isEmpty) else {
                throw MigrationError.storeDiffers(changed)
            }
            return try permitting("repair", .owner) { try repair(changed, drift, derivations) }
        }
        if !options.isReadOnly, found.isEmpty {
            // Another version of the server may describe the same tables differently.
            try note([(Self.catalogueName, hash)], layout, connection)
        }
    }

    /// Restores what another program has removed or changed, in one transaction.
    private func repair(
        _ changed: [StoreDifference], _ drift: PostgresDrift, _ derivations: PostgresDerivations
    ) throws {
        let (layout, connection) = (drift.layout, drift.connection)
        try connection.transaction {
            let (expected, actual) = try drift.catalogues(isInTransaction: true)
            let refusals = PostgresRefusals(
                derivations: derivations,
                statements: PostgresRepair(expected, actual, layout).statements,
                trial: PostgresTrial(connection, interruption))
            for statement in refusals.statements {
                do {
                    try refusals.trial.run(statement.sql, keepingTransaction: true)
                } catch let error as PostgresError
                    where error.isOfData || error.state == PostgresError.dependency
                {
                    let cause: any Error =
                        refusals.error(error, by: statement, of: "repair") ?? error
                    throw Self.notRepaired(changed, cause)
                }
            }
            try note([(Self.catalogueName, try drift.catalogue().hash)], layout, connection)
        }
        let rest = try drift.differences().filter { $0.kind != .external }
        guard rest.isEmpty else { throw MigrationError.storeDiffers(rest) }
    }

    private static func notRepaired(
        _ changed: [StoreDifference], _ cause: any Error
    ) -> StoreError {
        let reason =
            switch cause {
            case MigrationError.refused(let refusal): refusal.description
            case let error as MigrationError: error.problem
            case let error as PostgresError: error.message
            default: "\(cause)"
            }
        return StoreError(
            code: .cannotOpen,
            message: "Another program has changed \(changed.list), and the store cannot be "
                + "repaired as it is: \(reason).",
            remedy: "Change the rows or what depends on it first, or set "
                + "StoreOptions.driftPolicy to report.", underlying: cause)
    }

    private func note(
        _ values: [(name: String, value: String)], _ layout: PostgresLayout,
        _ connection: PostgresConnection
    ) throws {
        _ = try connection.run([
            statement(
                values, layout,
                " ON CONFLICT (\"name\") DO UPDATE SET \"value\" = excluded.\"value\"")
        ])
    }

    /// The tables of a store, with the schema.
    private static func tables(in layout: PostgresLayout) -> [String] {
        [layout.metadata, layout.keys, layout.commits.table, layout.external.table]
            + Schema(of: layout.model.model).tables.filter { $0.content != .system }
            .map { layout.qualified($0.name) }
            + PostgresHistorySQL(layout).tables
    }

    private func statement(
        _ values: [(name: String, value: String)], _ layout: PostgresLayout, _ conflict: String = ""
    ) -> PostgresStatement {
        let rows = values.map { name, value in
            "(\(SQLText.literal(name)), \(SQLText.literal(value)))"
        }
        return PostgresStatement(
            "INSERT INTO \(layout.metadata) (\"name\", \"value\") VALUES "
                + rows.joined(separator: ", ") + conflict)
    }
}

extension PostgresSchema {
    /// A hash of the statements.
    var hash: String { SHA256.hexadecimal(of: statements.joined(separator: ";\n")) }
}
