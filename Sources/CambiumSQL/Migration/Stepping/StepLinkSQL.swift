/// Statements that read and write the links of a to-many relationship for a step of the program.
package struct StepLinkSQL: Sendable {
    private let table: String
    private let source: String
    private let destination: String
    private let position: String?
    /// Whether links are pairs in a table of their own, and not keys in the destinations' rows.
    private let isPairs: Bool

    /// Describes links.
    ///
    /// - Parameters:
    ///   - table: The table that has them: pairs, or the destinations' rows.
    ///   - source: The column of the keys of sources.
    ///   - destination: That of the destinations; `_id` where the table has their rows.
    ///   - position: The column of the places in the sources' lists, where they are ordered.
    package init(table: String, source: String, destination: String, position: String?) {
        self.table = SQLText.identifier(table)
        self.source = SQLText.identifier(source)
        self.destination = SQLText.identifier(destination)
        self.position = position.map(SQLText.identifier)
        isPairs = destination != "_id"
    }

    /// The keys of the destinations of a source, in the order of the list. Parameter: the source.
    package var destinations: String {
        "SELECT \(destination) FROM \(table) WHERE \(source) = ? ORDER BY "
            + (position.map { "\($0) NULLS LAST, " } ?? "") + destination
    }

    /// Adds a link, or gives it another place. Parameters: source, destination, and the place
    /// where there is one.
    package var addition: String {
        guard isPairs else {
            return "UPDATE \(table) SET \(source) = ?1"
                + (position.map { ", \($0) = ?3" } ?? "") + " WHERE \"_id\" = ?2"
        }
        return "INSERT OR REPLACE INTO \(table) (\(source), \(destination)"
            + (position.map { ", \($0)) VALUES (?1, ?2, ?3)" } ?? ") VALUES (?1, ?2)")
    }

    /// Takes a link away. Parameters: source, destination.
    package var removal: String {
        isPairs
            ? "DELETE FROM \(table) WHERE \(source) = ?1 AND \(destination) = ?2"
            : "UPDATE \(table) SET \(source) = NULL WHERE \(source) = ?1 AND \"_id\" = ?2"
    }
}
