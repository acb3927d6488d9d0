import CambiumModel

/// What a store says of the version that it was written with, beside its hashes: all of the model,
/// and whether users may have data in it.
///
/// The definition names the hashes that it belongs to. A program that does not know of definitions
/// leaves the one of another version behind, which says nothing then.
package struct StoreDefinition: Sendable, Hashable {
    /// The ``Model/definition``.
    package let definition: String
    /// The last version that had shipped of those that the store has had; nil where none had.
    package let frozenVersion: String?

    /// - Parameters:
    ///   - definition: The ``Model/definition`` of the version that the store has.
    ///   - frozenVersion: The last version that had shipped of those that the store has had.
    package init(definition: String, frozenVersion: String?) {
        self.definition = definition
        self.frozenVersion = frozenVersion
    }

    private static let definitionName = "definition"
    private static let frozenName = "frozenVersion"
    /// More than a model may have; a file may say anything.
    private static let maximumLength = 8_000_000

    /// The query whose rows ``init(rows:of:)`` reads.
    package static let query =
        "SELECT \"name\", \"value\" FROM \"_metadata\" "
        + "WHERE \"name\" IN ('\(definitionName)', '\(frozenName)') "
        + "AND length(\"value\") <= \(maximumLength)"

    /// Writes a value (parameter 2) under its name (parameter 1).
    package static let update =
        "INSERT OR REPLACE INTO \"_metadata\" (\"name\", \"value\") VALUES (?, ?)"

    /// What a store says; nil where it says nothing about the version that it has.
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
