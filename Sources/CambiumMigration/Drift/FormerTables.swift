import CambiumModel
import CambiumPlan
import CambiumSQL
import CambiumSQLite

/// What a chain tells about the tables of a version of which no more than fingerprints are known: the
/// statements that lead to it have made some of them, and those that lead on read columns of others.
struct FormerTables {
    /// The statements that would make them, by their names.
    let statements: [String: String]
    /// What is done afterwards.
    let later: [SchemaOperation]

    /// Makes the tables without rows, as the chain has made them.
    ///
    /// - Parameters:
    ///   - earlier: The statements that lead to the version.
    ///   - later: What leads on.
    ///   - expected: The fingerprints of its tables: what is not the same is not told.
    init(
        after earlier: [MigrationStatement], before later: [SchemaOperation],
        _ expected: [String: String]
    ) {
        self.later = later
        var rows: [[StoredValue]] = []
        if let connection = try? Connection(path: ":memory:") {
            for statement in earlier {
                switch statement.operation {
                case .createTable, .addColumn, .renameTable, .dropTable:
                    // What was there before the chain is not there.
                    try? connection.execute(statement.sql)
                default: continue
                }
            }
            rows = (try? connection.rows(Catalogue.query)) ?? []
        }
        let fingerprints = Catalogue(rows: rows).fingerprints
        statements = rows.reduce(into: [:]) { statements, row in
            if case .text(let name)? = row.first, case .text(let sql)? = row.last,
                fingerprints[name] == expected[name]
            {
                statements[name] = sql
            }
        }
    }
}
