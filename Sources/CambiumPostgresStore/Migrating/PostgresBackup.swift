import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumPostgresSQL
import CambiumSQL

/// The copies of tables that a migration makes before it deletes data from them. They are in a
/// separate schema, and stay until a user removes them.
struct PostgresBackup {
    /// The quoted name of the schema of the copies.
    private let schema: String
    /// The unquoted name.
    let name: String
    private let layout: PostgresLayout
    private let connection: PostgresConnection

    /// Copies the tables to which a chain of migrations writes, in the transaction of the
    /// migration.
    ///
    /// - Throws: ``StoreError`` if the role may not create a schema; ``PostgresError``.
    init(
        before chain: MigrationChain, _ layout: PostgresLayout, _ connection: PostgresConnection
    ) throws {
        self.layout = layout
        self.connection = connection
        name = try Self.freeName(
            "\(layout.schemaName)_backup_\(chain.migrations.first?.from ?? "")", connection)
        schema = SQLText.identifier(name)
        do {
            _ = try connection.run("CREATE SCHEMA \(schema)")
        } catch {
            guard error.state == PostgresError.insufficientPrivilege else { throw error }
            throw StoreError(
                code: .cannotOpen,
                message:
                    "The migration deletes data, and the role may not create a schema for copies "
                    + "of the tables.",
                remedy: "Grant CREATE on the database to the role, or copy the database with "
                    + "pg_dump and set StoreOptions.migrationBackup to none.", underlying: error)
        }
        let words = SQLText.literal(Self.mark(of: layout.schemaName))
        _ = try connection.run("COMMENT ON SCHEMA \(schema) IS \(words)")
        for table in try tables(of: chain) {
            let table = SQLText.identifier(table)
            _ = try connection.run(
                "CREATE TABLE \(schema).\(table) AS TABLE \(layout.schema).\(table)")
        }
    }

    /// The tables of the store to which the chain writes. The first one is the metadata, which
    /// contains the version of the copies.
    private func tables(of chain: MigrationChain) throws -> [String] {
        let named = chain.operations.reduce(into: Set<String>()) {
            $0.formUnion($1.tablesWritten)
        }
        var parameters = PostgresParameters()
        parameters.append(.text(layout.schemaName), as: .text)
        let rows = try connection.run(
            """
            SELECT tablename::text FROM pg_catalog.pg_tables WHERE schemaname = $1 \
            ORDER BY tablename
            """, parameters)
        return [MetadataSQL.table]
            + (0..<rows.count).map { rows.text($0, 0) }
            .filter { name in named.contains { PostgresName.short($0) == name } }
    }

    /// Copies large values before they are deleted.
    ///
    /// - Parameter query: The query that selects them.
    func keepValues(_ query: String) throws {
        let table = "\(schema).\(SQLText.identifier(PostgresExternal.name))"
        _ = try connection.run("CREATE TABLE \(table) AS \(query)")
    }

    // MARK: The schemas of copies

    /// The comment on these schemas, by which they are found.
    private static func mark(of store: String) -> String {
        "Copies that Cambium made of tables of \(store), before a migration took data from them"
    }

    /// A name that no schema has.
    private static func freeName(
        _ wish: String, _ connection: PostgresConnection
    ) throws -> String {
        var number = 1
        while true {
            let name = PostgresName.short(number == 1 ? wish : "\(wish)_\(number)")
            var parameters = PostgresParameters()
            parameters.append(.text(name), as: .text)
            let rows = try connection.run(
                "SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1", parameters)
            if rows.count == 0 { return name }
            number += 1
        }
    }

    /// The schemas with copies of a store's tables.
    static func names(
        of store: String, _ connection: PostgresConnection
    ) throws -> [String] {
        var parameters = PostgresParameters()
        parameters.append(.text(mark(of: store)), as: .text)
        let rows = try connection.run(
            """
            SELECT nspname::text FROM pg_catalog.pg_namespace \
            WHERE obj_description(oid, 'pg_namespace') = $1 ORDER BY nspname
            """, parameters)
        return (0..<rows.count).map { rows.text($0, 0) }
    }

    /// Removes all copies of a store's tables.
    ///
    /// - Returns: The names of their schemas.
    static func removeAll(
        of store: String, _ connection: PostgresConnection
    ) throws -> [String] {
        let names = try names(of: store, connection)
        for name in names {
            _ = try connection.run("DROP SCHEMA \(SQLText.identifier(name)) CASCADE")
        }
        return names
    }
}
