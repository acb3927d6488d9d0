import CambiumModel
import CambiumPlan
import CambiumSQL
import CambiumSQLite

/// Explains SQLite's constraint failures.
extension MigrationRunner {
    /// Finds the rows that made a statement fail, and the reason. Searches for them again, in the
    /// transaction that is about to be rolled back.
    ///
    /// - Parameter statements: The statements of the migration.
    func refusal(
        by statement: MigrationStatement, of step: String, in statements: [MigrationStatement],
        _ error: SQLiteError, on connection: Connection
    ) -> MigrationRefusal {
        let name = constraint(of: error)
        return RefusedRows(model, in: statements, of: SQLiteRefusalSearch(connection: connection))
            .refusal(by: statement, of: step, name, reason: Self.reason(of: error, name))
    }

    // MARK: Names

    func constraint(of error: SQLiteError) -> ConstraintName? {
        model.constraint(failedWith: Self.withoutTemporaryNames(error.message))
    }

    /// The reason. If the statement contains a message of this package for its failure, that
    /// message is used.
    static func reason(of error: SQLiteError, _ name: ConstraintName?) -> String {
        if let name { return name.violation }
        let message = withoutTemporaryNames(error.message)
        let check = "CHECK constraint failed: "
        let required = "NOT NULL constraint failed: "
        let unique = "UNIQUE constraint failed: "
        if message.hasPrefix(check) { return String(message.dropFirst(check.count)) }
        if message.hasPrefix(required) {
            return "\(message.dropFirst(required.count)) has no value, and is required"
        }
        if message.hasPrefix(unique) {
            return "two objects have the same \(message.dropFirst(unique.count))"
        }
        return message
    }

    /// Tables that are rebuilt have another name meanwhile.
    private static func withoutTemporaryNames(_ message: String) -> String {
        message.replacing(": _new_", with: ": ").replacing(", _new_", with: ", ")
    }
}

/// Searches an SQLite store for the rows for which a statement has failed.
private struct SQLiteRefusalSearch: RefusalSearch {
    let connection: Connection

    func rows(_ query: String) -> [[StoredValue]] { (try? connection.rows(query)) ?? [] }

    func row(_ search: RefusalSQL.Search, of statement: MigrationStatement) -> [StoredValue]? {
        if let preparation = search.preparation { try? connection.execute(preparation) }
        return rows(search.query).first
    }

    /// Changes one row after the other.
    func keyOfChange(_ statement: MigrationStatement) -> Int64? {
        guard let (keys, change) = RefusalSQL.changeOfOne(statement) else { return nil }
        for row in rows(keys) {
            guard let key = row.first?.integer else { return nil }
            do throws(SQLiteError) {
                _ = try connection.rows(change, [.integer(key)])
            } catch {
                return key
            }
        }
        return nil
    }
}
