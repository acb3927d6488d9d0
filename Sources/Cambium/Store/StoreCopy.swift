import CambiumMigration
import CambiumSQLite

/// A copy of a store at another place, which is there as a whole or not at all.
struct StoreCopy {
    private let path: String
    private let isNewStore: Bool

    /// - Parameter isNewStore: Whether the copy is a store of its own, with a UUID of its own.
    init(to path: String, isNewStore: Bool = false) {
        self.path = path
        self.isNewStore = isNewStore
    }

    func write(from store: SQLiteStore) throws {
        let files = FileManager.default
        guard !files.fileExists(atPath: path) else {
            throw StoreError(
                code: .invalidRequest,
                message: "There is a file at \(path) already. Remove it, or replace it with "
                    + "replacePersistentStore(at:withStoreFrom:).")
        }
        let unfinished = "\(path).unfinished"
        try? files.removeItem(atPath: unfinished)
        do {
            try store.withSnapshot(
                prepare: {
                    guard let source = store.path else { return }
                    try StoreFiles.linkExternalFiles(ofStore: source, to: path)
                },
                body: { try $0.backup(to: unfinished) })
            if isNewStore {
                try StoreMetadataAccess(Connection(path: unfinished)).replaceIdentifier()
            }
            try files.moveItem(atPath: unfinished, toPath: path)
        } catch {
            for suffix in ["", "-wal", "-shm"] {
                try? files.removeItem(atPath: unfinished + suffix)
            }
            StoreFiles.removeExternalFiles(ofStore: path)
            throw error
        }
    }
}

extension SQLiteStore {
    /// Runs a body with a connection that sees the store as it is now and stays there.
    ///
    /// - Parameters:
    ///   - prepare: Runs while nobody can save, so that files beside the store fit its rows.
    ///   - body: Runs while others save.
    fileprivate func withSnapshot(
        prepare: () throws -> Void, body: (Connection) throws -> Void
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
