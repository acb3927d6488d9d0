import CambiumModel

/// The metadata of a store, in its table `_metadata`.
package struct StoreMetadata: Sendable, Equatable {
    /// The model's name.
    package let model: String
    /// The name of the model's version.
    package let version: String
    /// The model's version hash.
    package let versionHash: String
    /// The hash of the text of tables and indexes.
    package let schemaHash: String
    /// The version of the file format.
    package let format: String

    /// Creates the metadata of a fresh store of a model.
    package init(of model: Model, schemaHash: String) {
        self.model = model.name
        version = model.version
        versionHash = model.versionHash
        self.schemaHash = schemaHash
        format = String(Schema.formatVersion)
    }

    /// Reads the rows of the table, or returns nil if one is missing or invalid.
    package init?(rows: [[StoredValue]]) {
        let values = Self.values(in: rows)
        guard let model = values["model"], let version = values["version"],
            let versionHash = values["versionHash"], let schemaHash = values["schemaHash"],
            let format = values["format"],
            // Values that Cambium writes are short, and are used in messages.
            [model, version, versionHash, schemaHash, format].allSatisfy({
                $0.utf8.count <= Self.maximumLength
            })
        else { return nil }
        self.model = model
        self.version = version
        self.versionHash = versionHash
        self.schemaHash = schemaHash
        self.format = format
    }

    /// The values by their names.
    static func values(in rows: [[StoredValue]]) -> [String: String] {
        var values: [String: String] = [:]
        for case let row in rows where row.count == 2 {
            if case .text(let name) = row[0], case .text(let value) = row[1] {
                values[name] = value
            }
        }
        return values
    }

    private static let maximumLength = 4_096

    /// The query for ``init(rows:)``.
    package static let query = "SELECT \"name\", \"value\" FROM \"_metadata\""

    /// The values with their names, as the table has them.
    package var values: [(name: String, value: String)] {
        [
            ("model", model), ("version", version), ("versionHash", versionHash),
            ("schemaHash", schemaHash), ("format", format),
        ]
    }

    /// The rows of a fresh store.
    package var insertStatements: [String] {
        values.map { name, value in
            """
            INSERT INTO "_metadata" ("name", "value") VALUES \
            ('\(name)', \(SQLText.literal(value)))
            """
        }
    }

    /// The statements that write this metadata into an existing store. Other rows of the table
    /// stay.
    package var updateStatements: [String] {
        let names = values.map { "'\($0.name)'" }.joined(separator: ", ")
        return ["DELETE FROM \"_metadata\" WHERE \"name\" IN (\(names))"] + insertStatements
    }
}

/// The statements for the metadata of a store that are not about the model: the store's UUID, and
/// the program's notes.
package enum MetadataSQL {
    /// The table.
    package static let table = "_metadata"
    /// Reads everything: name and value.
    package static let query = StoreMetadata.query

    private static let identifierName = "uuid"
    private static let prefix = "user."

    /// Gives the store its UUID (parameter 1) if it has none yet.
    package static let addIdentifier = """
        INSERT OR IGNORE INTO "_metadata" ("name", "value") VALUES ('\(identifierName)', ?)
        """

    /// Gives the store another UUID (parameter 1).
    package static let replaceIdentifier = """
        INSERT OR REPLACE INTO "_metadata" ("name", "value") VALUES ('\(identifierName)', ?)
        """

    /// Removes the program's notes.
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

    /// Returns the program's notes among the rows of ``query``.
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

/// The metadata about the version that a store was written with, besides its hashes: the complete
/// model, and whether users may have data in it.
///
/// The definition names the hashes that it belongs to. A program that does not support definitions
/// keeps the definition of another version unchanged. It is then invalid.
package struct StoreDefinition: Sendable, Equatable {
    /// The ``Model/definition``.
    package let definition: String
    /// The last shipped version among the versions of the store; nil if none was shipped.
    package let frozenVersion: String?

    /// - Parameters:
    ///   - definition: The ``Model/definition`` of the store's version.
    ///   - frozenVersion: The last shipped version among the versions of the store.
    package init(definition: String, frozenVersion: String?) {
        self.definition = definition
        self.frozenVersion = frozenVersion
    }

    private static let definitionName = "definition"
    private static let frozenName = "frozenVersion"
    /// Longer than the definition of any model. A file may contain any text.
    private static let maximumLength = 8_000_000

    /// The query for ``init(rows:of:)``.
    package static let query =
        """
        SELECT "name", "value" FROM "_metadata" \
        WHERE "name" IN ('\(definitionName)', '\(frozenName)') \
        AND length("value") <= \(maximumLength)
        """

    /// Writes a value (parameter 2) under its name (parameter 1).
    package static let update =
        "INSERT OR REPLACE INTO \"_metadata\" (\"name\", \"value\") VALUES (?, ?)"

    /// Reads the definition of a store; nil if there is none for the store's version.
    package init?(rows: [[StoredValue]], of store: StoreMetadata) {
        let values = StoreMetadata.values(in: rows)
        let head = Self.head(of: store)
        guard let text = values[Self.definitionName], text.hasPrefix(head) else { return nil }
        definition = String(text.dropFirst(head.count))
        frozenVersion = values[Self.frozenName]
    }

    /// The parameters of ``update``, one list for each row.
    package func rows(of store: StoreMetadata) -> [[StoredValue]] {
        [[.text(Self.definitionName), .text(Self.head(of: store) + definition)]]
            + (frozenVersion.map { [[.text(Self.frozenName), .text($0)]] } ?? [])
    }

    private static func head(of store: StoreMetadata) -> String {
        "\(store.versionHash) \(store.schemaHash)\n"
    }
}

/// The statements about keys. Each key is given only once. The key of a deleted object is never
/// given again.
package enum KeySQL {
    /// The table of the next free key of each root entity.
    package static let table = "_keys"

    /// Takes a number (parameter 2) of keys of a root entity (parameter 1); answers with the first.
    package static let reserve = """
        UPDATE "_keys" SET "next" = "next" + ?2 WHERE "entity" = ?1 RETURNING "next" - ?2
        """

    /// The next free key of a root entity (parameter 1).
    package static let query = """
        SELECT "next" FROM "_keys" WHERE "entity" = ?1
        """

    /// The keys of rows in their order: from parameter 1 on, without parameter 2.
    package static func keys(of root: String, atMost limit: Int) -> String {
        """
        SELECT "_id" FROM \(SQLText.identifier(root)) WHERE "_id" >= ?1 AND "_id" IS NOT ?2 \
        ORDER BY "_id" LIMIT \(limit)
        """
    }

    /// Sets the next free key (parameter 2) of a root entity (parameter 1), if it has none yet.
    package static let insert = """
        INSERT OR IGNORE INTO "_keys" ("entity", "next") VALUES (?1, ?2)
        """

    /// Sets the next free key (parameter 2) of a root entity (parameter 1), unless its next free
    /// key is already greater.
    package static let raise = """
        UPDATE "_keys" SET "next" = max("next", ?2) WHERE "entity" = ?1
        """
}
