import CambiumEngine
import CambiumMigration
import CambiumSQLite

// Copies that are there as a whole or not at all.
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

    /// - Parameter isNewStore: Whether the copy is a store of its own, with a UUID of its own.
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

    /// Runs a body with a connection that sees the store as it is now and stays there.
    ///
    /// - Parameters:
    ///   - prepare: Runs while nobody can save, so that files beside the store fit its rows.
    ///   - body: Runs while others save.
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
    /// The file of a store that is to be made; nil in memory.
    fileprivate var newFile: NewStoreFile? { path.map { NewStoreFile(path: $0, from: source) } }

    package func open(filledWith rows: MovedRows) throws -> any StoreEngine {
        guard let file = newFile else {
            return try open { try NodeWriter.fill($0, with: rows, $1, nil) }.store
        }
        try file.make { unfinished, files in
            try NodeWriter.fill(Connection(path: unfinished), with: rows, runner, files)
        }
        return try open(file)
    }

    /// Opens a file that was just made, and takes it back where that fails.
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
