import CambiumEngine
import CambiumModel
import CambiumRecords

/// The table of large values: each has a name, which the row holds in its place.
struct PostgresExternal: Sendable {
    /// The table, with the schema.
    let table: String

    /// The greatest number of bytes that a value may have: the server holds a field, and a message with
    /// what is around it, in 1 GiB.
    static let largestValue = 1 << 30 - 1 << 16

    /// What makes the table. Large values are mostly compressed already.
    var statements: [String] {
        [
            "CREATE TABLE \(table) (\"name\" bytea PRIMARY KEY, \"data\" bytea NOT NULL)",
            "ALTER TABLE \(table) ALTER COLUMN \"data\" SET STORAGE EXTERNAL",
        ]
    }

    /// Reads a value.
    ///
    /// - Throws: ``StoreError`` where it was removed.
    func read(_ name: String, _ connection: PostgresConnection) throws -> Data {
        var parameters = PostgresParameters()
        parameters.append(.blob(Data(name.utf8)), as: .bytea)
        let rows = try connection.run(
            "SELECT \"data\" FROM \(table) WHERE \"name\" = $1", parameters)
        guard rows.count == 1 else {
            throw StoreError(
                code: .missingFile, message: "The store has no large value named \(name).",
                remedy: "Refresh the object: somebody may have set another value.")
        }
        return Data(rows.bytes(0, 0))
    }
}
