import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite

/// Large values on their way from files to rows: a store in memory has no files.
struct MovedFiles {
    private let files: ExternalFiles
    private let columns: [ExternalColumns]

    /// - Returns: Nil where a store has no files.
    init?(of store: SQLiteEngine) {
        guard let files = store.externalFiles, store.hasExternalColumns else { return nil }
        self.files = files
        columns = store.model.entities.filter { $0.rootIndex == $0.index }
            .compactMap { store.prepared.externalColumns[$0.index] }
    }

    /// Puts the values into the rows of a copy of the store. The history is not to note it, so its
    /// triggers go; who opens the store puts them back.
    func moveIntoRows(_ connection: Connection) throws {
        try connection.transaction {
            try HistorySetup.removeTriggers(connection)
            for column in columns.flatMap(\.inlining) {
                for row in try connection.rows(column.query) {
                    for name in ExternalFiles.names(row.dropFirst()) {
                        let data = try reportingFiles { try files.read(name) }
                        _ = try connection.rows(
                            column.update, [row[0], .blob([ExternalForm.inline] + data)])
                    }
                }
            }
        }
    }
}
