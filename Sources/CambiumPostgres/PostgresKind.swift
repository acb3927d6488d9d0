import Cambium
import CambiumEngine
import CambiumPostgresStore

extension StoreType {
    /// A schema of a PostgreSQL database.
    ///
    /// - Parameters:
    ///   - url: The server and the database, as libpq takes them: `postgresql://user@host/database`, or
    ///     keys and values such as `host=db1,db2 dbname=shop`. What is missing comes from the
    ///     environment (`PGHOST`, `PGUSER` and the like).
    ///   - schema: The schema that has the store's tables. It is made where there is none.
    ///   - options: How the server is used.
    public static func postgres(
        _ url: String, schema: String = "cambium", options: PostgresOptions = PostgresOptions()
    ) -> StoreType {
        StoreType(
            name: "PostgreSQL", kind: PostgresKind(url: url, schema: schema, options: options))
    }
}

extension StoreLocation {
    /// In a schema of a PostgreSQL database.
    ///
    /// ```swift
    /// let container = try PersistentContainer(
    ///     model: Shop.model, at: .postgres("postgresql://shop@db.example.com/shop?sslmode=verify-full"))
    /// ```
    ///
    /// - Parameters:
    ///   - url: The server and the database, as libpq takes them: a URL, or keys and values such as
    ///     `host=db1,db2 dbname=shop`. What is missing comes from the environment (`PGHOST`, `PGUSER`
    ///     and the like).
    ///   - schema: The schema that has the store's tables. It is made where there is none. Each
    ///     tenant of a program may have one of its own: the stores share their connections.
    ///   - options: How the server is used.
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
            code: request.compiled.codeSteps, statementTimeout: options.statementTimeout,
            idleTimeout: options.idleInTransactionTimeout, waitLimit: options.poolTimeout,
            retryTimeout: options.retryTimeout, historyTriggers: options.historyTriggers)
    }
}

extension PostgresKind: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Without the URL, which may have a password in it.
    var description: String { "PostgreSQL, schema \(schema)" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}
