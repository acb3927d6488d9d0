import CambiumEngine
import CambiumPostgresSQL

/// The rows of a request whose condition is evaluated in memory. They are read in pages, in a
/// transaction. Of the rows that were read, only the last page is kept.
struct PostgresPages {
    let request: RowRequest
    let layout: PostgresLayout
    let connection: PostgresConnection

    private static let cursor = "\"_pages\""
    private static let rowsAtOnce = 2_000

    /// Delivers the rows that meet the condition, in the order of the statement.
    ///
    /// - Parameters:
    ///   - select: The statement for all rows of the request, or for the rows in doubt.
    ///   - receive: Returns whether more rows are needed. The related objects of a row are known only
    ///     until then.
    func read(
        _ select: PostgresSelect, _ receive: (PostgresSubject) throws -> Bool
    ) throws {
        let statement = select.statement
        var opening = [
            PostgresStatement(
                "DECLARE \(Self.cursor) NO SCROLL CURSOR FOR \(statement.sql)",
                statement.parameters)
        ]
        let next = PostgresStatement("FETCH \(Self.rowsAtOnce) FROM \(Self.cursor)")
        do {
            var isEnough = false
            while !isEnough {
                let results = try connection.run(
                    opening + [next], interruption: request.interruption)
                opening = []
                guard let rows = results.last else { break }
                let snapshot = PostgresSnapshot(layout, connection)
                let found = try snapshot.met(by: request, select, rows)
                if let failure = snapshot.failure { throw failure }
                isEnough =
                    try found.contains { try !receive($0) } || rows.count < Self.rowsAtOnce
            }
        } catch {
            // If the error has ended the transaction, the cursor is closed already.
            _ = try? connection.run("CLOSE \(Self.cursor)")
            throw error
        }
        _ = try connection.run("CLOSE \(Self.cursor)")
    }
}
