import CambiumEngine
import CambiumMigration
import CambiumSQL

extension ServerStores {
    /// Stores on PostgreSQL.
    package static var postgres: ServerStores {
        ServerStores(
            opener: { PostgresOpener(PostgresSettings($0.url), schema: $0.schema, $1, $2) },
            metadata: { try $0.postgresMetadata() })
    }
}

extension ServerStores.Place {
    fileprivate func postgresMetadata() throws -> StoreMetadata? {
        let terms = PostgresTerms(lockTimeout: StoreOptions().busyTimeout)
        let connection = try PostgresConnection(PostgresSettings(url), terms)
        let table = "\(SQLText.identifier(schema)).\(SQLText.identifier(MetadataSQL.table))"
        var name = PostgresParameters()
        name.append(.text(table), as: .text)
        let exists = try connection.run("SELECT to_regclass($1) IS NOT NULL", name)
        guard exists.boolean(0, 0) else { return nil }
        let rows = try connection.run("SELECT \"name\", \"value\" FROM \(table)").namesAndValues
        guard let metadata = StoreMetadata(rows: rows) else { throw MigrationError.notAStore }
        return metadata
    }
}
