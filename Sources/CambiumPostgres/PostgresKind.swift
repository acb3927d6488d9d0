import Cambium
import CambiumEngine
import CambiumPostgresStore

extension StoreType {
    /// A schema of a PostgreSQL database.
    ///
    /// - Parameters:
    ///   - url: The server and the database, in a form that libpq accepts:
    ///     `postgresql://user@host/database`, or keys and values such as `host=db1,db2
    ///     dbname=shop`. Missing parts come from the environment (`PGHOST`, `PGUSER` and the like).
    ///   - schema: The schema with the store's tables. If it does not exist, it is created.
    ///   - options: The options for the use of the server.
    public static func postgres(
        _ url: String, schema: String = "cambium", options: PostgresOptions = PostgresOptions()
    ) -> StoreType {
        StoreType(
            name: "PostgreSQL", kind: PostgresKind(url: url, schema: schema, options: options))
    }
}

extension StoreLocation {
    /// A store in a schema of a PostgreSQL database.
    ///
    /// ```swift
    /// let container = try PersistentContainer(
    ///     model: Shop.model,
    ///     at: .postgres("postgresql://shop@db.example.com/shop?sslmode=verify-full"))
    /// ```
    ///
    /// - Parameters:
    ///   - url: The server and the database, in a form that libpq accepts: a URL, or keys and
    ///     values such as `host=db1,db2 dbname=shop`. Missing parts come from the environment
    ///     (`PGHOST`, `PGUSER` and the like).
    ///   - schema: The schema with the store's tables. If it does not exist, it is created. Each
    ///     tenant of a program may have its own schema: the stores share their connections.
    ///   - options: The options for the use of the server.
    public static func postgres(
        _ url: String, schema: String = "cambium", options: PostgresOptions = PostgresOptions()
    ) -> StoreLocation {
        .server(.postgres(url, schema: schema, options: options))
    }
}

/// Stores in PostgreSQL.
struct PostgresKind: StoreKind {
    let url: String
    let schema: String
    let options: PostgresOptions

    var isTransactional: Bool { true }

    private var settings: PostgresSettings {
        var settings = PostgresSettings(url)
        settings.password = options.password
        settings.applicationName = options.applicationName
        settings.preparesStatements = options.preparesStatements
        settings.poolSize = options.poolSize
        settings.idleLimit = options.idleLimit
        settings.connectionLifetime = options.connectionLifetime
        return settings
    }

    func migrations(
        of compiled: CompiledModel
    ) -> (store: any ServerMigrations, target: ServerTarget)? {
        let target = ServerTarget(
            compiled.modelDescription, migrations: compiled.otherMigrations["postgres"] ?? [],
            code: compiled.codeSteps)
        return (PostgresMigrations(settings, schema: schema), target)
    }

    func opener(for request: StoreOpeningRequest) -> any StoreOpening {
        PostgresOpener(
            settings, schema: schema, request.compiled.modelDescription,
            request.description.options,
            migrations: request.compiled.otherMigrations["postgres"] ?? [],
            code: request.compiled.codeSteps, migratesByDefault: request.migratesByDefault,
            statementTimeout: options.statementTimeout,
            idleTimeout: options.idleInTransactionTimeout, waitLimit: options.poolTimeout,
            retryTimeout: options.retryTimeout, historyTriggers: options.historyTriggers)
    }
}

extension PostgresKind: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The description without the URL, because a URL may contain a password.
    var description: String { "PostgreSQL, schema \(schema)" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}
