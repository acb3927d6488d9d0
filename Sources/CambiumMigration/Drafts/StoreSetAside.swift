import CambiumModel
import CambiumSQL
import CambiumSQLite

/// The moving of a store's file to another name, so that a new store can be made in its place.
package struct StoreSetAside {
    /// The path of the store's own file, and not of a link to it.
    private let path: String
    private let runner: MigrationRunner

    /// - Parameters:
    ///   - path: The path of the store.
    ///   - runner: What knows the program's versions.
    package init(_ path: String, _ runner: MigrationRunner) {
        self.path = StoreFiles.resolved(path)
        self.runner = runner
    }

    /// Moves the store aside, with the files of its large values, if it is still one of another draft
    /// and never was one of a frozen version.
    ///
    /// Nobody else has the store open then: SQLite gives the lock that this needs to the only
    /// connection of a file.
    ///
    /// - Parameter settings: What the program asks of its connections.
    /// - Returns: The store's path now; nil where it is another store by now, and was not moved.
    /// - Throws: `SQLiteError`, which is busy where another connection has the store open;
    ///   ``MigrationError/otherDraft(_:)`` where the store may not be moved; ``FileError``;
    ///   `RandomNumbersError`. The store is as it was.
    package func move(settings: ConnectionSettings) throws -> String? {
        let connection = try Connection(path: path, mode: .readWrite, settings: settings)
        // What is in the log goes into the file, and the log is removed.
        try connection.execute(PragmaSQL.rollbackJournal)
        return try connection.transaction(.exclusive) {
            guard try isOfOtherDraft(connection) else { return nil }
            let aside = try reservedName()
            do {
                let (files, moved) = (
                    ExternalFiles(ofStore: path),
                    ExternalFiles(ofStore: aside, permissionsOf: path)
                )
                // Where the process is killed now, the journal says that the new store does not have
                // the files.
                _ = try files.announce()
                try files.link(into: moved)
                try SystemFile.move(path, to: aside)
                files.removeAll()
            } catch {
                SystemFile.remove(aside)
                ExternalFiles(ofStore: aside).removeAll()
                throw error
            }
            return aside
        }
    }

    private func isOfOtherDraft(_ connection: Connection) throws -> Bool {
        guard let metadata = try MigrationRunner.readMetadata(connection) else { return false }
        do {
            _ = try runner.chain(from: metadata, in: connection)
            return false
        } catch MigrationError.otherDraft(let draft) {
            guard draft.frozenVersion == nil else { throw MigrationError.otherDraft(draft) }
            return true
        }
    }

    /// Makes an empty file of a name that no store has, which no other process takes then.
    private func reservedName() throws(FileError) -> String {
        var number = 1
        while true {
            let name = Self.name(for: path, at: Date(), number: number)
            number += 1
            let companions = [""] + StoreFiles.companionSuffixes
            if companions.contains(where: { StoreFiles.isThere(name + $0) })
                || StoreFiles.isThere(ExternalForm.folder(ofStore: name))
            {
                continue
            }
            do throws(FileError) {
                _ = try SystemFile.making(name, mode: 0o600)
                return name
            } catch {
                guard error.isOfExisting else { throw error }
            }
        }
    }

    /// `shop.draft-2026-11-23-215500.sqlite` for `shop.sqlite`. The time is UTC.
    static func name(for path: String, at time: Date, number: Int) -> String {
        let folder = path.prefix(path.count - StoreFiles.name(of: path).count)
        let file = StoreFiles.name(of: path)
        let dot = file.dropFirst().lastIndex(of: ".") ?? file.endIndex
        let stamp = time.formatted(.iso8601).replacing("T", with: "-")
            .filter { $0.isNumber || $0 == "-" }
        return folder + file[..<dot] + ".draft-\(stamp)" + (number > 1 ? "-\(number)" : "")
            + file[dot...]
    }
}
