import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite
import Dispatch
import Synchronization

/// A store in an SQLite database: a file in WAL mode with one writer and several readers, or a
/// database in memory with one connection for both.
final class SQLiteEngine: StoreEngine, SQLiteReading {
    let identifier: StoreIdentifier
    /// The path of the file; nil in memory.
    let path: String?
    let options: StoreOptions
    let isReadOnly: Bool
    /// What makes an empty store.
    private let statements: [String]
    let model: ModelDescription
    let writer: LockedConnection
    /// Nil for a database in memory, which only its own connection sees.
    let readers: ReaderPool?
    let prepared: PreparedSQL
    /// For each entity that is asked for, what reads its rows.
    let familyReaders: [FamilyReader]
    /// Where large values are; nil in memory, where all are in the rows.
    let externalFiles: ExternalFiles?
    /// Notes of the program that the next save is to write.
    let notesToWrite = Mutex<[String: String]?>(nil)
    /// Who reads the store as it was.
    let pins = Mutex<[StorePin]>([])
    /// What writes the history, as long as the store has one.
    let history: StoreHistory
    /// What hears of other writers; nil where nobody wants to know.
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

    /// Removes the files that saves or migrations which were interrupted have left behind.
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
    /// Above this size of the log (in pages of 4 KB: 64 MB) a save moves it into the file itself.
    private static let inlineCheckpointPages = 16_384
    /// Above this size of the log a background job does so after the save has returned.
    private static let backgroundCheckpointPages = 1_000

    /// Moves the write-ahead log into the database file when it has grown.
    ///
    /// The writer does it, and no other connection: SQLite before 3.51.3 can lose pages when a
    /// checkpoint on one connection meets a write on another.
    func checkpointIfNeeded(_ connection: Connection) {
        guard let readers else { return }
        readers.releaseLock()
        let pages = connection.logPages
        if isPinned { expirePins(logSize: pages * Self.pageSize) }
        // A log that somebody reads from cannot shrink, and each save would try.
        if pages > Self.inlineCheckpointPages, !isPinned {
            checkpoint(connection)
        } else if pages > Self.backgroundCheckpointPages,
            !isCheckpointing.exchange(true, ordering: .acquiring)
        {
            // It waits for the writer and the disk, which no thread of Swift's tasks should.
            DispatchQueue(label: "cambium.checkpoint", qos: .utility).async { [weak self] in
                guard let self else { return }
                // A store that was closed meanwhile has no log to be moved.
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
}
