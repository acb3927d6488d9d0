import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords

extension PostgresExternal {
    /// The greatest number of bytes that a value may have. The server limits a field, and a message
    /// with its overhead, to 1 GiB.
    static let largestValue = 1 << 30 - 1 << 16

    /// Reads a value.
    ///
    /// - Throws: ``StoreError`` if it was removed.
    func read(_ name: String, _ connection: PostgresConnection) throws -> Data {
        let rows = try connection.run([selection(of: name)])[0]
        guard rows.count == 1 else {
            throw StoreError(
                code: .missingFile, message: "The store has no large value named \(name).",
                remedy: "Refresh the object: another context may have set another value.")
        }
        return Data(rows.bytes(0, 0))
    }

    /// The statement that reads a value.
    func selection(of name: String) -> PostgresStatement {
        var parameters = PostgresParameters()
        parameters.append(.blob(Data(name.utf8)), as: .bytea)
        return PostgresStatement("SELECT \"data\" FROM \(table) WHERE \"name\" = $1", parameters)
    }
}
