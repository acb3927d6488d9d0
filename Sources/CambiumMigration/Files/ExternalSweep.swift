import CambiumModel
import CambiumSQL
import CambiumSQLite

/// Removes the files of large values that no row of a store leads to any more, where a journal beside
/// them names them: a save or a migration writes it before it commits. Whoever is killed in between
/// leaves it to the next one that opens the store.
package struct ExternalSweep {
    private let files: ExternalFiles
    private let columns: [ExternalColumns]

    /// - Parameters:
    ///   - files: The store's files.
    ///   - model: What the store is a store of.
    package init(_ files: ExternalFiles, model: Model) {
        self.files = files
        columns = model.entities.filter { $0.parent == nil }
            .compactMap { ExternalColumns(of: $0, in: model) }
    }

    /// Whether there may be files to remove.
    package var hasJournals: Bool { !files.journals.isEmpty }

    /// Removes what the journals name and no row leads to, and then the journals; the folder too,
    /// where nothing is left. A journal that cannot be read stays, and so does one that names a file
    /// which cannot be removed: the next sweep tries again. Takes the store's write lock where there
    /// is a journal, and reads the tables that may lead to files.
    package func run(_ connection: Connection) throws {
        guard hasJournals else { return }
        // A commit that a failing power supply takes back would lead to these files again.
        connection.checkpoint()
        try connection.transaction {
            let referenced = try referenced(connection)
            for journal in files.journals {
                guard let names = try? files.names(inJournal: journal) else { continue }
                files.finish(journal, removing: names.filter { !referenced.contains($0) })
            }
            StoreFiles.removeFolder(ifEmpty: files.folder)
        }
    }

    private func referenced(_ connection: Connection) throws -> Set<String> {
        var names: Set<String> = []
        for column in columns {
            for row in try connection.rows(column.queryOfAll) {
                if case .blob(let name)? = row.first {
                    names.insert(String(decoding: name, as: UTF8.self))
                }
            }
        }
        return names
    }
}
