import CambiumMigration
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// Runs statements in a transaction that continues if one of them fails.
struct PostgresTrial {
    private let connection: PostgresConnection
    private let interruption: Interruption

    init(_ connection: PostgresConnection, _ interruption: Interruption) {
        (self.connection, self.interruption) = (connection, interruption)
    }

    private static let begin = PostgresStatement("SAVEPOINT cambium_trial")
    private static let takeBack = PostgresStatement("ROLLBACK TO SAVEPOINT cambium_trial")
    private static let end = PostgresStatement("RELEASE SAVEPOINT cambium_trial")

    /// Runs a statement.
    ///
    /// - Parameter keepsTransaction: Whether the transaction continues if the statement fails.
    func run(_ sql: String, keepingTransaction keepsTransaction: Bool) throws(PostgresError) {
        guard keepsTransaction else {
            _ = try connection.run([PostgresStatement(sql)], interruption: interruption)
            return
        }
        _ = try tried(sql, Self.end)
    }

    /// Returns the rows of a query, and rolls back its writes.
    func found(_ sql: String) throws(PostgresError) -> [[StoredValue]] {
        let rows = try tried(sql, Self.takeBack)
        return (0..<rows.count).map(rows.values)
    }

    private func tried(
        _ sql: String, _ ending: PostgresStatement
    ) throws(PostgresError) -> PostgresRows {
        do {
            return try connection.run(
                [Self.begin, PostgresStatement(sql), ending], interruption: interruption)[1]
        } catch {
            // A lost connection has no transaction any more.
            if !error.isDisconnection { _ = try connection.run([Self.takeBack]) }
            throw error
        }
    }

    // MARK: Rejected rows

    /// The row with the least key for which a statement fails, and the error; nil if there is none.
    ///
    /// - Parameters:
    ///   - source: The table expression with the rows, as in FROM.
    ///   - statement: Returns the statement for the rows that meet a condition.
    func firstRefused(
        of source: String, _ statement: (_ condition: String) -> String
    ) -> (key: Int64, error: PostgresError)? {
        let query = "SELECT min(\"_id\") - 1, max(\"_id\") FROM \(source)"
        guard let bounds = (try? found(query))?.first, case .integer(var good) = bounds[0],
            case .integer(var bad) = bounds[1]
        else { return nil }
        func failure(after first: Int64, upTo last: Int64) -> PostgresError? {
            do {
                _ = try found(statement("\"_id\" > \(first) AND \"_id\" <= \(last)"))
                return nil
            } catch {
                return error
            }
        }
        // If the statement fails without rows, no row is the reason.
        guard failure(after: bad, upTo: bad) == nil else { return nil }
        // A bisection: the rejected row is in one of the two halves of the remaining rows.
        while bad - good > 1 {
            let middle = good + (bad - good) / 2
            guard let error = failure(after: good, upTo: middle) else {
                good = middle
                continue
            }
            guard error.isOfData else { return nil }
            bad = middle
        }
        return failure(after: good, upTo: bad).map { (bad, $0) }
    }

    /// The entity of a row; nil if its table contains rows of one entity only.
    func entity(of key: Int64, in table: String) -> String? {
        let query = """
            SELECT "_entity" FROM \(PostgresName.identifier(table)) WHERE "_id" = \(key)
            """
        return rows(query).first?.first?.text
    }
}

extension PostgresTrial: RefusalSearch {
    func rows(_ query: String) -> [[StoredValue]] {
        (try? found(PostgresName.shortened(query))) ?? []
    }

    func row(_ search: RefusalSQL.Search, of statement: MigrationStatement) -> [StoredValue]? {
        let parts = statement.parts
        guard case .columns(let columns) = search.rest, parts.count > 1 else {
            return rows(search.query).first
        }
        let list = columns.map { SQLText.identifier($0) }.joined(separator: ", ")
        let names = columns.isEmpty ? "" : "(\(list))"
        let source = PostgresName.shortened("(\n\(parts[1])\n) AS _q\(names)")
        let refused = firstRefused(of: source) {
            "\(parts[0])SELECT * FROM \(source) WHERE \($0)"
        }
        return refused.map { refused in
            rows("SELECT * FROM \(source) WHERE \"_id\" = \(refused.key)").first
                ?? [.integer(refused.key)]
        }
    }

    func keyOfChange(_ statement: MigrationStatement) -> Int64? {
        guard case .updateRows(let table, _) = statement.operation else { return nil }
        return firstRefused(of: PostgresName.identifier(table)) {
            RefusalSQL.change(statement, ofRowsWhere: $0) ?? ""
        }?.key
    }
}
