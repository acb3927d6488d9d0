import CambiumMigration
import CambiumSQLite

/// A copy of a store of SQLite's at another place, which is there as a whole or not at all.
struct StoreCopy {
    private let file: NewStoreFile
    private let isNewStore: Bool

    /// - Parameter isNewStore: Whether the copy is a store of its own, with a UUID of its own.
    init(to file: NewStoreFile, isNewStore: Bool = false) {
        self.file = file
        self.isNewStore = isNewStore
    }

    func write(from store: SQLiteStore) throws {
        try file.make { unfinished, files in
            try store.withSnapshot(
                prepare: {
                    guard let source = store.path else { return }
                    try ExternalFiles(ofStore: source).link(into: files)
                },
                body: { try $0.backup(to: unfinished) })
            if isNewStore {
                try StoreMetadataAccess(Connection(path: unfinished)).replaceIdentifier()
            }
        }
    }
}

extension SQLiteStore {
    /// Runs a body with a connection that sees the store as it is now and stays there.
    ///
    /// - Parameters:
    ///   - prepare: Runs while nobody can save, so that files beside the store fit its rows.
    ///   - body: Runs while others save.
    func withSnapshot(
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
