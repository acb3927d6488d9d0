/// The table of large values. Each has a name, and the row holds the name instead of the value.
package struct PostgresExternal: Sendable {
    package static let name = "_external"

    /// The table, with the schema.
    package let table: String

    /// The statements that create the table. Large values are mostly compressed already.
    package var statements: [String] {
        [
            "CREATE TABLE \(table) (\"name\" bytea PRIMARY KEY, \"data\" bytea NOT NULL)",
            "ALTER TABLE \(table) ALTER COLUMN \"data\" SET STORAGE EXTERNAL",
        ]
    }
}
