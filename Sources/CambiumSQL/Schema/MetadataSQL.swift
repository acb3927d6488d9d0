import CambiumModel

/// The statements about what a store's metadata hold beside the model: the store's UUID, and what
/// the program noted.
package enum MetadataSQL {
    /// The table.
    package static let table = "_metadata"
    /// Reads everything: name and value.
    package static let query = StoreMetadata.query

    private static let identifierName = "uuid"
    private static let prefix = "user."

    /// Gives the store its UUID (parameter 1) where it has none yet.
    package static let addIdentifier = """
        INSERT OR IGNORE INTO "_metadata" ("name", "value") VALUES ('\(identifierName)', ?)
        """

    /// Gives the store another UUID (parameter 1).
    package static let replaceIdentifier = """
        INSERT OR REPLACE INTO "_metadata" ("name", "value") VALUES ('\(identifierName)', ?)
        """

    /// Removes what the program noted.
    package static let deleteNotes = """
        DELETE FROM "_metadata" WHERE "name" >= '\(prefix)' AND "name" < 'user/'
        """

    /// Notes a value (parameter 2) under a name (parameter 1, see ``noteName(_:)``).
    package static let insertNote = """
        INSERT INTO "_metadata" ("name", "value") VALUES (?, ?)
        """

    /// The name of the row of a note.
    package static func noteName(_ name: String) -> StoredValue { .text(prefix + name) }

    /// The UUID among the rows of ``query``.
    package static func identifier(in rows: [[StoredValue]]) -> UUID? {
        for case let row in rows where row.count == 2 && row[0] == .text(identifierName) {
            if case .text(let text) = row[1] { return UUID(uuidString: text) }
        }
        return nil
    }

    /// What the program noted, among the rows of ``query``.
    package static func notes(in rows: [[StoredValue]]) -> [String: String] {
        var notes: [String: String] = [:]
        for case let row in rows where row.count == 2 {
            guard case .text(let name) = row[0], case .text(let value) = row[1],
                name.hasPrefix(prefix)
            else { continue }
            notes[String(name.dropFirst(prefix.count))] = value
        }
        return notes
    }
}
