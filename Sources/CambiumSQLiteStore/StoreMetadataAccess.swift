import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite

/// Reads and writes what a database says about the store that it is, beside its model.
package struct StoreMetadataAccess {
    private let connection: Connection

    package init(_ connection: Connection) {
        self.connection = connection
    }

    /// The store's UUID. One that was made before stores had one gets it now.
    ///
    /// - Parameter path: What names a store that has none and cannot be written.
    package func identifier(path: String?, isReadOnly: Bool) throws -> StoreIdentifier {
        var rows = try connection.rows(MetadataSQL.query)
        if let uuid = MetadataSQL.identifier(in: rows) { return StoreIdentifier(uuid) }
        if isReadOnly { return try path.map { StoreIdentifier(path: $0) } ?? .random() }
        // Another process may be faster, and then the UUID is its.
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

    /// Makes the database a store of its own: objects have other identities in it.
    package func replaceIdentifier() throws {
        _ = try connection.rows(MetadataSQL.replaceIdentifier, [.text(UUID.random().uuidString)])
    }

    /// Replaces what the program noted.
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

    /// All that the store says about itself.
    ///
    /// - Throws: ``MigrationError/notAStore`` where it says nothing.
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

    /// What the next save is to write.
    var waitingNotes: [String: String]? { notesToWrite.withLock { $0 } }

    /// Writes notes in the transaction of a save.
    func write(_ notes: [String: String], _ connection: Connection) throws {
        try StoreMetadataAccess(connection).setNotes(notes)
    }

    /// Notes that were written wait no more, unless others were set meanwhile.
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
