import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite

// Copies of stores. A copy is either complete, or does not exist.
extension SQLiteEngine {
    func backUp(to path: String) throws -> Bool {
        try StoreError.naming(path, in: .writing) {
            try copy(to: NewStoreFile(path: path, from: self.path), isNewStore: false)
        }
        return true
    }

    func opened(byCopyingTo opener: any StoreOpening) throws -> (any StoreEngine)? {
        guard let opener = opener as? SQLiteOpener else { return nil }
        guard let file = opener.newFile else { return try opener.open(filledBy: fillMemory).store }
        try copy(to: file, isNewStore: true)
        let opened = try opener.open(file)
        if let notes = waitingNotes { opened.setNotes(notes) }
        return opened
    }

    /// - Parameter isNewStore: Whether the copy is a new store, with its own UUID.
    private func copy(to file: NewStoreFile, isNewStore: Bool) throws {
        try file.make { unfinished, files in
            try withSnapshot(
                prepare: {
                    guard let path else { return }
                    try ExternalFiles(ofStore: path).link(into: files)
                },
                body: { try $0.backup(to: unfinished) })
            if isNewStore {
                try StoreMetadataAccess(Connection(path: unfinished)).replaceIdentifier()
            }
        }
    }

    private func fillMemory(_ connection: Connection, _: MigrationRunner) throws {
        try withSnapshot(body: { try $0.copy(to: connection, named: "memory") })
        let metadata = StoreMetadataAccess(connection)
        try metadata.replaceIdentifier()
        if let notes = waitingNotes { try metadata.setNotes(notes) }
        try MovedFiles(of: self)?.moveIntoRows(connection)
    }

    /// Runs a closure with a connection that sees the current state of the store.
    ///
    /// - Parameters:
    ///   - prepare: Runs while saves are blocked, so that files beside the store are consistent
    ///     with its rows.
    ///   - body: Runs while other contexts can save.
    private func withSnapshot(
        prepare: () throws -> Void = {}, body: (Connection) throws -> Void
    ) throws {
        guard let readers else {
            return try writer.withLock { connection in
                try prepare()
                try body(connection)
            }
        }
        try readers.withReader { reader in
            defer { reader.rollBack() }
            if isReadOnly {
                try reader.beginReading()
                try prepare()
                return try body(reader)
            }
            try writer.withLock { writer in
                try writer.transaction {
                    try reader.beginReading()
                    try prepare()
                }
            }
            try body(reader)
        }
    }
}

extension SQLiteOpener {
    /// The file of a new store; nil in memory.
    fileprivate var newFile: NewStoreFile? { path.map { NewStoreFile(path: $0, from: source) } }

    package func open(
        filledWith rows: MovedRows
    ) throws -> (store: any StoreEngine, report: MoveReport?) {
        // Including the notes that wait for a save there.
        let notes = try rows.source.notes()
        // In memory, large values are in the rows. No other store has them there.
        if path != nil || !model.entities.contains(where: { !$0.externalSlots.isEmpty }),
            let opened = try rows.source.withTables({ try open(filledWith: rows, $0, notes) })
        {
            return opened
        }
        guard let file = newFile else {
            return (try open { try NodeWriter.fill($0, with: rows, $1, nil) }.store, nil)
        }
        try file.make { unfinished, files in
            try NodeWriter.fill(Connection(path: unfinished), with: rows, runner, files)
        }
        return (try open(file), nil)
    }

    private func open(
        filledWith rows: MovedRows, _ source: any MovedTables, _ notes: [String: String]
    ) throws -> (store: any StoreEngine, report: MoveReport?) {
        // Safety: the function that fills the store runs while its caller waits for it, on the same
        // thread.
        nonisolated(unsafe) let move = TableMove(
            rows, from: source, by: SQLiteMoveRules(model, of: rows.roots))
        let counts = try move.requireFitting()
        let history = options.history == .asStored ? try source.historyContent() : nil
        nonisolated(unsafe) var report: MoveReport?
        @Sendable func fill(
            _ connection: Connection, _ runner: MigrationRunner, _ files: ExternalFiles?
        ) throws {
            report = try SQLiteTableWriter.fill(
                connection, runner, files, with: move, counts, of: model, notes: notes, history)
        }
        guard let file = newFile else {
            return (try open { try fill($0, $1, nil) }.store, report)
        }
        try file.make { unfinished, files in
            try fill(Connection(path: unfinished), runner, files)
        }
        return (try open(file), report)
    }

    /// Opens a file that was just created. If that fails, removes the file.
    fileprivate func open(_ file: NewStoreFile) throws -> any StoreEngine {
        do {
            return try open().store
        } catch {
            file.remove()
            throw error
        }
    }

    package func removeNewStore() { newFile?.remove() }
}

/// Moves large values from files to rows, because a store in memory has no files.
struct MovedFiles {
    private let files: ExternalFiles
    private let columns: [ExternalColumns]

    /// - Returns: Nil if a store has no files.
    init?(of store: SQLiteEngine) {
        guard let files = store.externalFiles, store.hasExternalColumns else { return nil }
        self.files = files
        columns = store.model.entities.filter { $0.rootIndex == $0.index }
            .compactMap { store.prepared.externalColumns[$0.index] }
    }

    /// Writes the values into the rows of a copy of the store. The history must not record that, so
    /// its triggers are removed; opening the store creates them again.
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

/// The file of a store that is being created. It exists only when it is complete, with the files of
/// its large values.
struct NewStoreFile {
    let path: String
    /// The file permissions of the source store, or nil if that is not in a file.
    let permissions: StorePermissions?

    /// - Parameter source: The path of the source store.
    init(path: String, from source: String?) {
        self.path = path
        permissions = source.flatMap(StorePermissions.init(ofFile:))
    }

    /// Creates the file.
    ///
    /// - Parameter write: Writes an empty file at a temporary path, and the files of its large
    ///   values beside its final path. The file is moved there afterwards.
    /// - Throws: ``StoreError`` if the file exists already, if another process is creating the
    ///   store, or if it cannot be written; any error of the closure.
    func make(_ write: (_ unfinished: String, _ files: ExternalFiles) throws -> Void) throws {
        try StoreFile.requirePath(path)
        do {
            let place = try NewStore(copyTo: path, allowing: permissions)
            try place.prepare(makesFolder: false)
            do {
                try place.makeFile()
                try reportingFiles { try write(place.unfinished, place.files) }
                try place.finish()
            } catch {
                place.remove()
                throw error
            }
        } catch let error as NewStoreError {
            throw StoreError(error)
        }
    }

    /// Deletes all files that were created.
    func remove() {
        StoreFiles.removeDatabase(path)
        ExternalFiles(ofStore: path).removeAll()
    }
}

extension StoreError {
    /// Creates the error for a new store that cannot be created.
    fileprivate init(_ error: NewStoreError) {
        switch error {
        case .exists(let path):
            self.init(
                code: .invalidRequest,
                message: "A file exists at \(path).",
                remedy: "Remove it, or replace it with replacePersistentStore(at:withStoreFrom:).")
        case .isRunning(let path):
            self.init(
                code: .invalidRequest,
                message: "Another process or task is copying a store to \(path).",
                remedy: "Wait until it has finished.")
        case .cannotWrite(let path, let reason):
            self.init(
                code: .cannotOpen, message: "\(path) cannot be written: \(reason).",
                remedy: "Choose a folder with free space where you may write.")
        }
    }
}
