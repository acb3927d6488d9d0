import CambiumModel
import CambiumSQL
import CambiumSQLite

/// Moves a store to another name, so that a new store can be created in its place.
package final class DraftStoreMover {
    /// The path of the store's own file, and not of a link to it.
    private let path: String
    private let draft: OtherDraft
    private let runner: MigrationRunner

    /// - Parameters:
    ///   - path: The path of the store.
    ///   - draft: The store's draft when it could not be opened.
    ///   - runner: The runner for the program's versions.
    package init(_ path: String, of draft: OtherDraft, _ runner: MigrationRunner) {
        self.path = StoreFiles.resolved(path)
        self.draft = draft
        self.runner = runner
    }

    /// Moves the store aside, with the files of its large values, if it is still one of another
    /// draft and has never had a frozen version.
    ///
    /// The store is copied and then emptied in place, under SQLite's locks. A process that opens it
    /// meanwhile waits, and finds an empty store. If the file itself were moved, that process would
    /// write the old file with the log of the new one. No other process has the store open then:
    /// SQLite grants the necessary lock only to the sole connection of a file. Another process that
    /// does the same, or only inspects the store, has it open for a moment. This waits for it as
    /// long as the program's connections do.
    ///
    /// - Parameter settings: The program's settings of its connections.
    /// - Returns: The new path of the old store; nil if the store has been replaced meanwhile, and
    ///   was not moved.
    /// - Throws: `SQLiteError`, with the code for busy if another connection has the store open;
    ///   ``FileError``; `RandomNumbersError`. After an error, the store is unchanged.
    package func move(settings: ConnectionSettings) throws -> String? {
        try Connection.retryingWhileBusy(for: settings.busyTimeoutMilliseconds) {
            try moveAtOnce(settings)
        }
    }

    private func moveAtOnce(_ settings: ConnectionSettings) throws -> String? {
        // Each attempt has a connection of its own: an open one would prevent others from getting
        // the lock.
        let connection = try Connection(path: path, mode: .readWrite, settings: settings)
        guard try isUnchanged(connection) else { return nil }
        // The content of the log is written into the file, and the log is removed.
        try connection.execute(PragmaSQL.rollbackJournal)
        // From the transaction on until the connection is closed, no other process reads the file.
        // The transaction fails if another process has the store open, even if that process has
        // created the log again.
        try connection.execute(PragmaSQL.exclusiveLocking)
        guard try connection.transaction(.exclusive, { try isUnchanged(connection) }) else {
            return nil
        }
        let aside = try reservedName()
        let files = ExternalFiles(ofStore: path)
        let moved = ExternalFiles(ofStore: aside, permissionsOf: path)
        do {
            try connection.backup(to: aside)
            // If the process is killed from now on, the journal shows that the empty store does not
            // reference the files.
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

    /// Whether the store is unchanged since it could not be opened.
    private func isUnchanged(_ connection: Connection) throws -> Bool {
        guard let metadata = try MigrationRunner.readMetadata(connection),
            let kept = try runner.keptDefinition(of: metadata, in: connection)
        else { return false }
        return kept.definition == draft.definition && kept.frozenVersion == nil
    }

    /// Creates an empty file with an unused name, so that no other process takes the name.
    private func reservedName() throws(FileError) -> String {
        var number = 1
        while true {
            let name = Self.name(for: path, at: Date(), number: number)
            number += 1
            let companions = [""] + StoreFiles.companionSuffixes
            if companions.contains(where: { StoreFiles.exists(name + $0) })
                || StoreFiles.exists(ExternalForm.folder(ofStore: name))
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
