import CambiumSQL

/// The statements that change the pairs of a join table, a whole set at once out of the `pending`
/// table: `key` holds this side's key, `c0` the other's.
struct LinkSQL: Sendable {
    private let table: String
    private let source: String
    private let destination: String

    init(table: String, sourceColumn: String, destinationColumn: String) {
        self.table = SQLText.identifier(table)
        source = SQLText.identifier(sourceColumn)
        destination = SQLText.identifier(destinationColumn)
    }

    /// Adds pairs; one that is there already (a sibling added it too) stays.
    var insert: String {
        "INSERT OR IGNORE INTO \(table) (\(source), \(destination)) SELECT key, c0 FROM pending"
    }

    /// Removes pairs.
    var delete: String {
        """
        DELETE FROM \(table) WHERE (\(source), \(destination)) IN (SELECT key, c0 FROM pending)
        """
    }

    /// The other ends of the pairs of the key that is parameter 1.
    var destinations: String {
        "SELECT \(destination) FROM \(table) WHERE \(source) = ?"
    }

    /// The same from the other side.
    var sources: String {
        "SELECT \(source) FROM \(table) WHERE \(destination) = ?"
    }

    /// Removes all pairs of the keys.
    var deleteAll: String {
        "DELETE FROM \(table) WHERE \(source) IN (SELECT key FROM pending)"
    }
}
