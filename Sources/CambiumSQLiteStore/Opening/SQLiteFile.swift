import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumSQLite

/// What is done to the file of a store of SQLite's that is not open.
package enum SQLiteFile {
    /// Writes the rows and files of one store over another one.
    package static func copy(_ source: String, over destination: String) throws {
        try StoreLocation.requireFile(source)
        try StoreLocation.requireFile(destination)
        let original = try StoreError.naming(source, in: .opening) {
            let original = try Connection.reading(path: source)
            // A file that is no store must not destroy one.
            _ = try StoreMetadataAccess(original).metadata(path: source)
            return original
        }
        let (files, new) = (ExternalFiles(ofStore: source), ExternalFiles(ofStore: destination))
        let former = new.names
        try reportingFiles {
            let permissions = StorePermissions(of: source)
            if FileManager.default.fileExists(atPath: destination) {
                try permissions.restrict(StoreFiles.resolved(destination))
            } else {
                try permissions.makeFile(StoreFiles.resolved(destination))
            }
            try files.link(into: new)
        }
        try StoreError.naming(destination, in: .writing) {
            let copy = try Connection(path: destination)
            try original.copy(to: copy, named: destination)
            try HistorySetup.renew(copy)
        }
        let kept = files.names
        if !former.isSubset(of: kept) { new.removeAll(except: kept) }
    }

    /// Empties a store, files of large values included.
    package static func empty(_ path: String, timeout: Duration) throws {
        var options = StoreOptions()
        options.busyTimeout = timeout
        try StoreError.naming(path, in: .writing) {
            try Connection(path: path, mode: .readWrite, settings: ConnectionSettings(options))
                .emptyDatabase()
        }
        ExternalFiles(ofStore: path).removeAll()
    }

    /// What opening a store would do to it.
    package static func forecast(of path: String, _ runner: MigrationRunner) throws
        -> MigrationForecast?
    {
        try runner.forecast(Connection.reading(path: path), at: path)
    }

    /// Runs a body that uses what a store says about itself, in a transaction.
    package static func withMetadata<Result>(
        of path: String, isReadOnly: Bool, _ body: (StoreMetadataAccess) throws -> Result
    ) throws -> Result {
        try StoreLocation.requireFile(path)
        let connection =
            try isReadOnly
            ? Connection.reading(path: path) : Connection(path: path, mode: .readWrite)
        return try connection.transaction(isReadOnly ? .deferred : .immediate) {
            try body(StoreMetadataAccess(connection))
        }
    }
}
