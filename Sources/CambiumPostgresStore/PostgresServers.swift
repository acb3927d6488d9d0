import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumSQL

extension ServerStores {
    /// Stores on PostgreSQL.
    package static var postgres: ServerStores {
        ServerStores(
            migrations: { PostgresMigrations(.ofTool($0), schema: $0.schema) },
            opener: { PostgresOpener(.ofTool($0), schema: $0.schema, $1, $2) },
            metadata: { place in
                let connection = try PostgresConnection(.ofTool(place), .ofMaintenance)
                guard let rows = try connection.metadataRows(of: place.schema) else { return nil }
                guard let metadata = StoreMetadata(rows: rows) else {
                    throw MigrationError.notAStore
                }
                return metadata
            })
    }
}

extension PostgresSettings {
    /// The settings of the tool. The URL may be that of a pooler that does not support prepared
    /// statements.
    fileprivate static func ofTool(_ place: ServerStores.Place) -> PostgresSettings {
        var settings = PostgresSettings(place.url)
        settings.preparesStatements = false
        return settings
    }
}

extension PostgresSetup {
    /// The setup for manual operations.
    fileprivate static var ofMaintenance: PostgresSetup {
        PostgresSetup(lockTimeout: StoreOptions().busyTimeout)
    }
}

/// The manual migration of a store on PostgreSQL.
package struct PostgresMigrations: ServerMigrations {
    private let settings: PostgresSettings
    private let schema: String

    package init(_ settings: PostgresSettings, schema: String) {
        (self.settings, self.schema) = (settings, schema)
    }

    package func opener(_ target: ServerTarget, _ options: StoreOptions) -> any StoreOpening {
        var options = options
        options.isMigrationCancelled = target.isCancelled
        return PostgresOpener(
            settings, schema: schema, target.model, options, migrations: target.migrations,
            code: target.code)
    }

    package func survey(_ target: ServerTarget) throws -> StoreSurvey? {
        try PostgresSurvey(settings, schema: schema, target).survey()
    }

    package func forecast(_ target: ServerTarget) throws -> MigrationForecast? {
        try PostgresSurvey(settings, schema: schema, target).forecast()
    }

    package func rehearse(_ target: ServerTarget) throws -> ServerRehearsal? {
        try PostgresRehearsal(PostgresSurvey(settings, schema: schema, target)).run()
    }

    package func removeCopies() throws -> [String] {
        let connection = try PostgresConnection(settings, .ofMaintenance)
        return try connection.transaction {
            try PostgresBackup.removeAll(of: schema, connection)
        }
    }

    package func prove(
        from old: Model, to new: Model, _ migration: (file: Migration, server: Migration)
    ) throws -> MigrationProver.Proof {
        do {
            return try PostgresProof([old, new]).prove(
                ([migration.file], [migration.server]), seeds: 0..<3, on: settings)
        } catch let difference as PostgresProof.Difference {
            throw MigrationProver.Failure(description: difference.description)
        }
    }
}
