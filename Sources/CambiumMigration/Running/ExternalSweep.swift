import CambiumModel
import CambiumSQL
import CambiumSQLite

/// Removes the files of large values that no row of a store leads to any more, where a journal beside
/// them names them: a save or a migration writes it before it commits. Whoever is killed in between
/// leaves it to the next one that opens the store.
package struct ExternalSweep {
    /// What the name of a journal ends with.
    package static let journalSuffix = ".journal"

    /// The folder of the files.
    private let folder: String
    private let columns: [ExternalColumns]

    /// - Parameters:
    ///   - folder: The folder of the store's files.
    ///   - model: What the store is a store of.
    package init(folder: String, model: Model) {
        self.folder = folder
        columns = model.entities.filter { $0.parent == nil }
            .compactMap { ExternalColumns(of: $0, in: model) }
    }

    /// Whether a file of that name is one of a large value.
    package static func isOurs(_ name: String) -> Bool { UUID(uuidString: name) != nil }

    /// Whether there may be files to remove.
    package var hasJournals: Bool { names.contains(where: Self.isJournal) }

    private static func isJournal(_ name: String) -> Bool { name.hasSuffix(journalSuffix) }

    private var names: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    private func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Names all files that there are in a journal: each of them may be superfluous after the commit
    /// that follows.
    ///
    /// - Returns: The path of the journal; nil where there are no files.
    package func announce() throws -> String? {
        let files = names.filter(Self.isOurs).sorted()
        guard !files.isEmpty else { return nil }
        let journal = path(UUID().uuidString + Self.journalSuffix)
        try Data(files.joined(separator: "\n").utf8).write(to: URL(filePath: journal))
        return journal
    }

    /// Removes what the journals name and no row leads to, and then the journals; the folder too,
    /// where nothing is left. Takes the store's write lock where there is a journal, and reads the
    /// tables that may lead to files.
    package func run(_ connection: Connection) throws {
        guard hasJournals else { return }
        // A commit that a failing power supply takes back would lead to these files again.
        connection.checkpoint()
        try connection.transaction {
            var referenced: Set<String> = []
            for column in columns {
                for row in try connection.rows(column.queryOfAll) {
                    if case .blob(let name)? = row.first {
                        referenced.insert(String(decoding: name, as: UTF8.self))
                    }
                }
            }
            let journals = names.filter(Self.isJournal).map(path)
            let superfluous = journals.flatMap { journal in
                String(
                    decoding: FileManager.default.contents(atPath: journal) ?? Data(), as: UTF8.self
                ).split(separator: "\n").map(String.init)
            }.filter { Self.isOurs($0) && !referenced.contains($0) }
            StoreFiles.removeFiles(superfluous.map(path) + journals)
            StoreFiles.removeFolder(ifEmpty: folder)
        }
    }
}
