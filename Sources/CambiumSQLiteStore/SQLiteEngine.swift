import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite
import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A store in an SQLite database: a file in WAL mode with one writer and several readers, or a
/// database in memory with one connection for both.
final class SQLiteEngine: StoreEngine, SQLiteReading {
    let identifier: StoreIdentifier
    /// The path of the file; nil in memory.
    let path: String?
    let options: StoreOptions
    let isReadOnly: Bool
    /// The statements that create an empty store.
    private let statements: [String]
    let model: ModelDescription
    let writer: LockedConnection
    /// The readers, or nil for a database in memory, which only its own connection can read.
    let readers: ReaderPool?
    let prepared: PreparedSQL
    /// The row reader for each requested entity.
    let familyReaders: [FamilyReader]
    /// The files of large values; nil in memory, because all values are in the rows there.
    let externalFiles: ExternalFiles?
    /// The program's notes that the next save will write.
    let notesToWrite = Mutex<[String: String]?>(nil)
    /// The open read transactions of earlier states.
    let pins = Mutex<[StorePin]>([])
    /// The writer of the history, if the store has one.
    let history: StoreHistory
    /// The follower of other writers; nil if the options do not enable it.
    let follower = Mutex<RemoteFollower?>(nil)
    private let isCheckpointing = Atomic(false)
    private let otherWriters = OtherWriters()

    /// - Parameter connection: A connection to a store of the model's current version.
    init(
        _ connection: sending Connection, path: String?, identifier: StoreIdentifier,
        model: ModelDescription, statements: [String], options: StoreOptions,
        settings: ConnectionSettings,
        history: StoreHistory
    ) throws {
        self.identifier = identifier
        self.path = path
        self.options = options
        isReadOnly = options.isReadOnly
        self.statements = statements
        self.model = model
        self.history = history
        externalFiles = path.map { ExternalFiles(ofStore: $0) }
        func use(_ operation: StoreUse.Operation) -> StoreUse? {
            path.map {
                StoreUse(
                    operation: operation, path: $0, versionHash: model.tables.metadata.versionHash)
            }
        }
        readers = use(.reading).map {
            ReaderPool(
                for: $0, file: connection.fileIdentity, isReadOnly: options.isReadOnly,
                settings: settings)
        }
        writer = LockedConnection(connection, for: use(.writing))
        let prepared = try model.preparedSQL()
        self.prepared = prepared
        familyReaders = zip(model.entities, prepared.selects).map {
            FamilyReader($0, in: model, $1)
        }
    }

    var isInUseByCaller: Bool {
        writer.isUsedByCaller || readers?.isUsedByCaller == true
            || pins.withLock { $0.contains(where: \.isUsedByCaller) }
    }

    func close() {
        follower.withLock { $0 = nil }
        readers?.close()
        writer.close()
    }

    var hasExternalColumns: Bool { prepared.externalColumns.contains { $0 != nil } }

    /// Deletes the files that interrupted saves or migrations have left.
    func sweepExternalFiles() throws {
        guard let externalFiles, !isReadOnly else { return }
        let sweep = ExternalSweep(externalFiles, model: model.model)
        guard sweep.hasJournals else { return }
        try writer.withLock(sweep.run)
    }

    func externalData(named name: String) throws -> Data {
        guard let externalFiles else {
            throw StoreError(
                code: .missingFile, message: "A store in memory has no files.",
                remedy: "Set the value again, so that it is kept in memory.")
        }
        return try reportingFiles { try externalFiles.read(name) }
    }

    var engine: SQLiteEngine { self }

    func withReader<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        if let readers { return try readers.withReader(body) }
        return try writer.withLock(body)
    }

    func seeOthersCommits() { readers?.releaseLock() }

    func differences() throws -> [StoreDifference] {
        try withReader { reader in
            try MigrationRunner(model: model.model, statements: statements)
                .differences(in: reader)
        }
    }

    func reserveKeys(root: Int, count: Int) throws -> Range<Int64> {
        guard !isReadOnly else { throw StoreError.readOnly }
        return try writer.withLock { connection in
            try connection.requireOwnFile()
            return try reserveKeys(root: root, count: count, on: connection)
        }
    }

    func reserveKeys(
        root: Int, count: Int, on connection: Connection
    ) throws -> Range<Int64> {
        let parameters: [StoredValue] = [
            .text(model.entities[root].name), .integer(Int64(count)),
        ]
        guard
            case .integer(let first)? =
                try connection.rows(KeySQL.reserve, parameters).first?.first
        else { throw Self.noKeys(of: model.entities[root].name) }
        return first..<first + Int64(count)
    }

    static func noKeys(of entityName: String) -> StoreError {
        StoreError(
            code: .corrupt,
            message: "The store has no keys for \(entityName), because another program has changed "
                + "its table _keys.",
            remedy: "Restore a backup.")
    }

    // MARK: Checkpoints

    private static let pageSize = 4096
    /// If the log is larger (in pages of 4 KB: 64 MB), the save itself moves the log into the file.
    private static let inlineCheckpointPages = 16_384
    /// If the log is larger, a background job moves the log into the file after the save has
    /// returned.
    private static let backgroundCheckpointPages = 1_000

    /// Moves the write-ahead log into the database file if it has grown.
    ///
    /// Only the writer does this: SQLite before 3.51.3 may lose pages if a checkpoint on one
    /// connection coincides with a write on another.
    func checkpointIfNeeded(_ connection: Connection) {
        guard let readers else { return }
        readers.releaseLock()
        let pages = connection.logPages
        if isPinned { expirePins(logSize: pages * Self.pageSize) }
        // With an open read transaction, a log cannot shrink, and each save would try.
        if pages > Self.inlineCheckpointPages, !isPinned {
            checkpoint(connection)
        } else if pages > Self.backgroundCheckpointPages,
            !isCheckpointing.exchange(true, ordering: .acquiring)
        {
            // It waits for the writer and the disk, so it must not run on a thread of Swift's
            // tasks.
            DispatchQueue(label: "cambium.checkpoint", qos: .utility).async { [weak self] in
                guard let self else { return }
                // A store that was closed meanwhile has no log to move.
                try? writer.withLock { checkpoint($0) }
                isCheckpointing.store(false, ordering: .releasing)
            }
        }
    }

    private func checkpoint(_ connection: Connection) {
        if let path { otherWriters.look(connection, path: path) }
        readers?.releaseLock()
        connection.checkpoint()
    }

    /// The resolution of file systems' clocks, in seconds. Within it, a later write may have the
    /// same time as an earlier one.
    private static let tick = 2

    /// Returns a description of the state of the database and its log, from their file attributes.
    func commitMark() -> String? {
        guard let path else { return nil }
        let newest = Int(Date.now.timeIntervalSince1970) - Self.tick
        var words: [String] = []
        let file = ExternalForm.storeFile(behind: path)
        for file in [file, file + "-wal"] {
            var info = stat()
            // An empty log has no changes that the database does not have.
            guard stat(file, &info) == 0, info.st_size > 0 else { continue }
            #if canImport(Darwin)
                let changed = info.st_mtimespec
            #else
                let changed = info.st_mtim
            #endif
            guard Int(changed.tv_sec) < newest else { return nil }
            words.append(
                "\(info.st_ino) \(info.st_size) \(changed.tv_sec).\(changed.tv_nsec)")
        }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    // Queries about the history of one store. Another process may turn the history off and on, and
    // it is a different history then. For this reason, its existence and its identity are read in
    // the same transaction.

    /// Returns a reader of the store's current history, inside a transaction that the caller has
    /// begun.
    ///
    /// - Returns: Nil if the store has no history.
    func historyReader(_ connection: Connection) throws -> HistoryReader? {
        try HistorySettings(of: connection).map { historyReader(connection, $0.epoch) }
    }

    /// Returns a reader of a history that is known to exist.
    func historyReader(_ connection: Connection, _ epoch: UUID) -> HistoryReader {
        HistoryReader(connection: connection, model: model, store: identifier, epoch: epoch)
    }

    func fetchHistory(
        _ request: HistoryRequest, after token: inout HistoryToken
    ) throws -> [HistoryTransaction]? {
        let identifier = identifier.uuid
        let seen = token.positions[identifier]
        typealias Part = (transactions: [HistoryTransaction], end: HistoryToken.Position)
        let found = try withReader { connection in
            try connection.transaction(.deferred) { () -> Part? in
                guard let reader = try historyReader(connection) else {
                    if seen != nil { throw StoreError.noHistory }
                    return nil
                }
                let bounds = try reader.bounds()
                if let seen {
                    guard seen.epoch == reader.epoch, seen.change >= bounds.floor,
                        seen.change <= bounds.last
                    else { throw StoreError.historyExpired(identifier) }
                }
                var position = max(seen?.change ?? 0, bounds.floor)
                let found = try reader.transactions(request, after: &position, bounds)
                return (found, .init(epoch: reader.epoch, change: position))
            }
        }
        guard let found else { return nil }
        token.advance(identifier, to: found.end)
        return found.transactions
    }

    func historyPosition() throws -> HistoryToken.Position? {
        try withReader { connection in
            try connection.transaction(.deferred) {
                try historyReader(connection).map { reader in
                    .init(epoch: reader.epoch, change: try reader.bounds().last)
                }
            }
        }
    }

    func deleteHistory(before position: HistoryToken.Position) throws -> Bool {
        try purge { reader in
            guard position.epoch == reader.epoch else {
                throw StoreError.historyExpired(identifier.uuid)
            }
            return try StoreHistory.last(before: position.change, reader.connection)
        }
    }

    func deleteHistory(before date: Date) throws -> Bool {
        try purge { try StoreHistory.last(before: date, $0.connection) }
    }

    private func purge(through last: (HistoryReader) throws -> Int64) throws -> Bool {
        guard !isReadOnly else {
            if try historyPosition() == nil { return false }
            throw StoreError.readOnly
        }
        return try writer.withLock { connection in
            let exists = try connection.transaction {
                guard let reader = try historyReader(connection) else { return false }
                try history.begin(connection)
                try StoreHistory.purge(through: last(reader), connection)
                return true
            }
            checkpointIfNeeded(connection)
            return exists
        }
    }

    /// Runs the writes of a transaction, and records their author in the history.
    func recording<Result>(
        _ author: TransactionAuthor, on connection: Connection, _ body: () throws -> Result
    ) throws -> Result {
        try history.begin(connection)
        let result = try body()
        try history.end(connection, by: author)
        return result
    }
}
