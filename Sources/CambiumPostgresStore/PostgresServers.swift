import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumSQL

extension ServerStores {
    /// Stores on PostgreSQL.
    package static var postgres: ServerStores {
        ServerStores(
            migrations: PostgresMigrations(),
            opener: { PostgresOpener(PostgresSettings($0.url), schema: $0.schema, $1, $2) },
            metadata: { place in
                guard let rows = try place.connection().metadataRows(of: place.schema) else {
                    return nil
                }
                guard let metadata = StoreMetadata(rows: rows) else {
                    throw MigrationError.notAStore
                }
                return metadata
            })
    }
}

extension ServerStores.Place {
    fileprivate func connection() throws -> PostgresConnection {
        try PostgresConnection(
            PostgresSettings(url), PostgresTerms(lockTimeout: StoreOptions().busyTimeout))
    }
}

/// Migrations of stores on PostgreSQL by hand.
struct PostgresMigrations: ServerMigrations {
    func opener(
        _ place: ServerStores.Place, _ target: ServerTarget, _ options: StoreOptions
    ) -> any StoreOpening {
        var options = options
        options.isMigrationCancelled = target.isCancelled
        return PostgresOpener(
            PostgresSettings(place.url), schema: place.schema, target.model, options,
            migrations: target.migrations, code: target.code)
    }

    private func surveyor(
        _ place: ServerStores.Place, _ target: ServerTarget
    ) throws -> PostgresSurvey {
        try PostgresSurvey(PostgresSettings(place.url), schema: place.schema, target)
    }

    func survey(_ place: ServerStores.Place, _ target: ServerTarget) throws -> StoreSurvey? {
        try surveyor(place, target).survey()
    }

    func forecast(
        _ place: ServerStores.Place, _ target: ServerTarget
    ) throws -> MigrationForecast? {
        try surveyor(place, target).forecast()
    }

    func rehearse(
        _ place: ServerStores.Place, _ target: ServerTarget
    ) throws -> ServerRehearsal? {
        try PostgresRehearsal(try surveyor(place, target)).run()
    }

    func removeCopies(_ place: ServerStores.Place) throws -> [String] {
        let connection = try place.connection()
        return try connection.transaction {
            try PostgresBackup.removeAll(of: place.schema, connection)
        }
    }

    func prove(
        on url: String, from old: Model, to new: Model,
        _ migration: (file: Migration, server: Migration)
    ) throws -> MigrationProver.Proof {
        do {
            return try PostgresProof([old, new]).prove(
                ([migration.file], [migration.server]), seeds: 0..<3, on: PostgresSettings(url))
        } catch let difference as PostgresProof.Difference {
            throw MigrationProver.Failure(description: difference.description)
        }
    }
}
