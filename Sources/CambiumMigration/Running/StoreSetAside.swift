import CambiumModel
import CambiumSQL
import CambiumSQLite

/// The moving of a store to another name, so that a new store can be made in its place.
package final class StoreSetAside {
    /// The path of the store's own file, and not of a link to it.
    private let path: String
    private let draft: OtherDraft
    private let runner: MigrationRunner

    /// - Parameters:
    ///   - path: The path of the store.
    ///   - draft: What the store was when it could not be opened.
    ///   - runner: What knows the program's versions.
    package init(_ path: String, of draft: OtherDraft, _ runner: MigrationRunner) {
        self.path = StoreFiles.resolved(path)
        self.draft = draft
        self.runner = runner
    }

    /// Moves the store aside, with the files of its large values, if it is still one of another draft
    /// and never was one of a frozen version.
    ///
    /// The store is copied and then emptied in its place, with SQLite's locks. A process that opens
    /// it meanwhile waits, and finds an empty store: if the file itself were moved, that process
    /// would write the old file with the log of the new one. No other process has the store open
    /// then: SQLite gives the lock that this needs to the only connection of a file. Another
    /// process that does the same, or only looks at the store, has it open for a moment: this waits
    /// for as long as the program's connections do.
    ///
    /// - Parameter settings: What the program asks of its connections.
    /// - Returns: The path of the old store now; nil where it is another store by now, and was not
    ///   moved.
    /// - Throws: `SQLiteError`, which is busy where another connection has the store open;
    ///   ``FileError``;
    ///   `RandomNumbersError`. The store is as it was.
    package func move(settings: ConnectionSettings) throws -> String? {
        try Connection.retryingWhileBusy(for: settings.busyTimeoutMilliseconds) {
            try moveAtOnce(settings)
        }
    }

    private func moveAtOnce(_ settings: ConnectionSettings) throws -> String? {
        // One of its own for each attempt: an open one keeps others from the lock.
        let connection = try Connection(path: path, mode: .readWrite, settings: settings)
        guard try isUnchanged(connection) else { return nil }
        // What is in the log goes into the file, and the log is removed.
        try connection.execute(PragmaSQL.rollbackJournal)
        // From the transaction on until the connection is closed no other process reads the file.
        // It is refused where another process has the store open, also one that has given it a log
        // again.
        try connection.execute(PragmaSQL.exclusiveLocking)
        guard try connection.transaction(.exclusive, { try isUnchanged(connection) }) else {
            return nil
        }
        let aside = try reservedName()
        let files = ExternalFiles(ofStore: path)
        let moved = ExternalFiles(ofStore: aside, permissionsOf: path)
        do {
            try connection.backup(to: aside)
            // Where the process is killed from now on, the journal says that an empty store does not
            // have the files.
            _ = try files.announce()
            try files.link(into: moved)
            try SystemFile.synchronize(folder: StoreFiles.folder(of: aside))
            try connection.emptyDatabase()
        } catch {
            SystemFile.remove(aside)
            moved.removeAll()
            throw error
        }
        files.removeAll()
        return aside
    }

    /// Whether the store is still what it was when it could not be opened.
    private func isUnchanged(_ connection: Connection) throws -> Bool {
        guard let metadata = try MigrationRunner.readMetadata(connection),
            let kept = try runner.keptDefinition(of: metadata, in: connection)
        else { return false }
        return kept.definition == draft.definition && kept.frozenVersion == nil
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
                try StorePermissions(of: path).makeFile(name)
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
