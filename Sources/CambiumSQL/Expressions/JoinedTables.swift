import CambiumModel

/// The tables that to-one paths from a statement's rows lead through, each joined once however many
/// parts of the statement look at it.
///
/// A join by key adds no rows and takes none away. Where the condition wants a value of the joined
/// table, SQLite may also start there, with an index of that table.
package struct JoinedTables: Sendable {
    private struct Join: Sendable {
        let table: String
        /// The column that holds the key.
        let column: String
        let alias: String
    }

    /// SQLite joins at most 64 tables; what stands around has some too.
    private static let maximum = 32

    private var joins: [Join] = []

    package init() {}

    /// The name of the table to which a column leads; nil where there are too many.
    mutating func alias(of table: String, by column: String) -> String? {
        if let known = joins.first(where: { $0.column == column }) { return known.alias }
        guard joins.count < Self.maximum else { return nil }
        let alias = "_j\(joins.count + 1)"
        joins.append(Join(table: table, column: column, alias: alias))
        return alias
    }

    /// What follows the first table in FROM.
    package var sql: String {
        joins.map { join in
            " LEFT JOIN \(join.table) AS \(SQLText.identifier(join.alias)) ON "
                + SQLText.column(SystemColumn.key, of: join.alias) + " = " + join.column
        }.joined()
    }
}
