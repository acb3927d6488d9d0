import CambiumEngine
import CambiumSQLite

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
