import CambiumModel

/// What a store's metadata say about its history.
package struct HistorySettings: Sendable, Hashable {
    /// What is kept of a change.
    package enum Content: String, Sendable, Hashable {
        /// The object and the names of its changed properties.
        case properties
        /// The values before and after, too.
        case values
    }

    /// What is kept of a change.
    package var content: Content
    /// Tells this history apart from an earlier one of the same store, whose numbers mean nothing
    /// in it.
    package var epoch: UUID

    package init(content: Content, epoch: UUID) {
        self.content = content
        self.epoch = epoch
    }

    private static let contentName = "history"
    private static let epochName = "history.epoch"

    /// Reads the rows that ``init(rows:)`` understands; none where another program has removed the
    /// tables.
    package static let query = """
        SELECT "name", "value" FROM "_metadata" WHERE "name" IN ('\(contentName)', '\(epochName)') \
        AND \(HistorySQL.areThere)
        """

    /// - Returns: Nil where the store has no history.
    package init?(rows: [[StoredValue]]) {
        var values: [StoredValue: StoredValue] = [:]
        for case let row in rows where row.count == 2 { values[row[0]] = row[1] }
        guard case .text(let content)? = values[.text(Self.contentName)],
            case .text(let epoch)? = values[.text(Self.epochName)],
            let content = Content(rawValue: content), let epoch = UUID(uuidString: epoch)
        else { return nil }
        self.init(content: content, epoch: epoch)
    }

    /// What makes the metadata say this.
    package var writeStatements: [String] {
        Self.removeStatements
            + [(Self.contentName, content.rawValue), (Self.epochName, epoch.uuidString)].map {
                "INSERT INTO \"_metadata\" (\"name\", \"value\") VALUES "
                    + "('\($0)', \(SQLText.literal($1)))"
            }
    }

    /// What makes the metadata say that there is no history.
    package static let removeStatements = [
        "DELETE FROM \"_metadata\" WHERE \"name\" IN ('\(contentName)', '\(epochName)')"
    ]
}
