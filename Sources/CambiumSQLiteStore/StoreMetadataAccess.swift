import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite

/// Reads and writes the metadata of a store in its database, except for its model.
package struct StoreMetadataAccess {
    private let connection: Connection

    package init(_ connection: Connection) {
        self.connection = connection
    }

    /// Returns the store's UUID. If an old store has none, it gets one now.
    ///
    /// - Parameter path: Identifies a store that has no UUID and cannot be written.
    package func identifier(path: String?, isReadOnly: Bool) throws -> StoreIdentifier {
        var rows = try connection.rows(MetadataSQL.query)
        if let uuid = MetadataSQL.identifier(in: rows) { return StoreIdentifier(uuid) }
        if isReadOnly { return try path.map { StoreIdentifier(path: $0) } ?? .random() }
        // If another process writes one at the same time, its UUID is used.
        _ = try connection.rows(MetadataSQL.addIdentifier, [.text(UUID.random().uuidString)])
        rows = try connection.rows(MetadataSQL.query)
        guard let uuid = MetadataSQL.identifier(in: rows) else {
            throw StoreError(
                code: .corrupt,
                message: "The store's UUID is damaged, because another program has changed the "
                    + "table _metadata.",
                remedy: "Restore a backup.")
        }
        return StoreIdentifier(uuid)
    }

    /// Gives the database a new UUID, so that it is a different store: objects have other
    /// identities in it.
    package func replaceIdentifier() throws {
        _ = try connection.rows(MetadataSQL.replaceIdentifier, [.text(UUID.random().uuidString)])
    }

    /// Replaces the program's notes.
    package func setNotes(_ notes: [String: String]) throws {
        try connection.execute(MetadataSQL.deleteNotes)
        for name in notes.keys.sorted() {
            let value = StoredValue.text(notes[name] ?? "")
            _ = try connection.rows(MetadataSQL.insertNote, [MetadataSQL.noteName(name), value])
        }
    }

    package func notes() throws -> [String: String] {
        MetadataSQL.notes(in: try connection.rows(MetadataSQL.query))
    }

    /// Returns all metadata of the store.
    ///
    /// - Throws: ``MigrationError/notAStore`` if there is none.
    package func metadata(
        path: String?
    ) throws -> (identifier: UUID, model: StoreMetadata, notes: [String: String]) {
        guard try connection.hasMetadata() else { throw MigrationError.notAStore }
        let rows = try connection.rows(MetadataSQL.query)
        guard let model = StoreMetadata(rows: rows) else { throw MigrationError.notAStore }
        let identifier =
            MetadataSQL.identifier(in: rows)
            ?? path.map { StoreIdentifier(path: $0).uuid } ?? StoreIdentifier.none.uuid
        return (identifier, model, MetadataSQL.notes(in: rows))
    }
}

extension SQLiteEngine {
    func notes() throws -> [String: String] {
        if let waiting = waitingNotes { return waiting }
        return try withReader { try StoreMetadataAccess($0).notes() }
    }

    func setNotes(_ notes: [String: String]) {
        notesToWrite.withLock { $0 = notes }
    }

    /// The notes that the next save will write.
    var waitingNotes: [String: String]? { notesToWrite.withLock { $0 } }

    /// Writes notes in the transaction of a save.
    func write(_ notes: [String: String], _ connection: Connection) throws {
        try StoreMetadataAccess(connection).setNotes(notes)
    }

    /// Removes the waiting notes after they were written, unless others were set meanwhile.
    func didWrite(_ notes: [String: String]) {
        notesToWrite.withLock { waiting in
            if waiting == notes { waiting = nil }
        }
    }

    func saveWithoutChanges() throws {
        guard let notes = waitingNotes else { return }
        guard !isReadOnly else { throw StoreError.readOnly }
        try writer.withLock { connection in
            try connection.transaction { try write(notes, connection) }
        }
        didWrite(notes)
    }
}
