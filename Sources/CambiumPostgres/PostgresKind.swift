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
    public static func postgres(_ url: String, schema: String = "cambium") -> StoreType {
        StoreType(name: "PostgreSQL", kind: PostgresKind(url: url, schema: schema))
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
    ///   - schema: The schema that has the store's tables. It is made where there is none.
    public static func postgres(_ url: String, schema: String = "cambium") -> StoreLocation {
        .server(.postgres(url, schema: schema))
    }
}

/// Stores in PostgreSQL.
struct PostgresKind: StoreKind {
    let url: String
    let schema: String

    var isTransactional: Bool { true }

    func opener(for request: StoreOpeningRequest) -> any StoreOpening {
        PostgresOpener(
            PostgresSettings(url), schema: schema, request.compiled.modelDescription,
            request.description.options)
    }
}
