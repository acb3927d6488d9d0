/// The table of large values: each has a name, which the row holds in its place.
package struct PostgresExternal: Sendable {
    package static let name = "_external"

    /// The table, with the schema.
    package let table: String

    /// What makes the table. Large values are mostly compressed already.
    package var statements: [String] {
        [
            "CREATE TABLE \(table) (\"name\" bytea PRIMARY KEY, \"data\" bytea NOT NULL)",
            "ALTER TABLE \(table) ALTER COLUMN \"data\" SET STORAGE EXTERNAL",
        ]
    }
}
