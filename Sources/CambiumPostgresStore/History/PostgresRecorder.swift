import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// Makes the statements of one transaction note their changes in the history. A statement becomes
/// part of a larger one, which returns the same number of rows.
struct PostgresRecorder {
    let recording: PostgresRecording
    /// The id of the transaction, which the rows of its changes have.
    let transaction: Int64

    var layout: PostgresLayout { recording.layout }

    // MARK: Rows

    /// - Parameter statement: `INSERT INTO …` for a table of objects.
    func inserting(
        _ statement: PostgresStatement, _ entity: EntityDescription
    ) -> PostgresStatement {
        noting(
            PostgresStatement("\(statement.sql) RETURNING *", statement.parameters),
            insertionOf: entity) ?? statement
    }

    /// Notes rows that were inserted without a statement; nil if the history does not record them.
    func copied(_ keys: [Int64], _ entity: EntityDescription) -> PostgresStatement? {
        var parameters = PostgresParameters()
        parameters.appendArray(of: keys)
        return noting(
            PostgresStatement(
                """
                SELECT * FROM \(layout.table(of: entity.entity)) WHERE "_id" = ANY($1) \
                ORDER BY "_id"
                """, parameters), insertionOf: entity)
    }

    private func noting(
        _ rows: PostgresStatement, insertionOf entity: EntityDescription
    ) -> PostgresStatement? {
        guard recording.objects(entity) != nil else { return nil }
        return noting(rows, as: .new) { recording.insertions($0, of: entity) }
    }

    /// - Parameters:
    ///   - statement: `UPDATE … AS t` for a table of objects.
    ///   - table: That table, or a temporary one with the same columns.
    func updating(
        _ statement: PostgresStatement, _ entity: EntityDescription, in table: String
    ) -> PostgresStatement {
        guard recording.objects(entity) != nil else { return statement }
        return noting(statement, as: .new, returning: "t.*") {
            recording.updates($0, of: entity, from: table)
        }
    }

    /// - Parameter statement: `DELETE FROM … AS t` for a table of objects.
    func deleting(
        _ statement: PostgresStatement, _ entity: EntityDescription
    ) -> PostgresStatement {
        guard recording.objects(entity) != nil else { return statement }
        return noting(statement, as: .old, returning: "t.*") {
            recording.deletions($0, of: entity)
        }
    }

    // MARK: Links

    /// - Parameters:
    ///   - statement: A statement that inserts pairs into a join table or deletes them.
    ///   - table: The table, with the schema.
    func linking(_ statement: PostgresStatement, _ table: String) -> PostgresStatement {
        let ends = recording.ends(table)
        let list = ends.map { PostgresName.identifier($0.column) }.joined(separator: ", ")
        guard !ends.isEmpty else { return statement }
        return noting(statement, as: .new, returning: list) { [recording.links($0, table)] }
    }

    /// Notes that the lists of some owners were reordered.
    func ordering(
        _ owners: Set<Int64>, _ relationship: RelationshipDescription, of owner: EntityDescription
    ) -> PostgresStatement {
        var parameters = PostgresParameters()
        parameters.appendArray(of: owners.sorted())
        parameters.append(.integer(transaction), as: .bigint)
        return PostgresStatement(
            recording.orders("$2", "$1", relationship, of: owner), parameters)
    }

    // MARK: Statements

    private func noting(
        _ statement: PostgresStatement, as version: PostgresRecording.Version,
        returning list: String, _ notes: (_ id: String) -> [String]
    ) -> PostgresStatement {
        noting(
            PostgresStatement("\(statement.sql) RETURNING \(list)", statement.parameters),
            as: version, notes)
    }

    /// Combines a statement with the statements that note its changes.
    ///
    /// - Parameters:
    ///   - statement: A statement that returns rows.
    ///   - version: Whether these rows are the old or the new ones.
    ///   - notes: Returns the noting statements for the parameter that is the transaction's id. The
    ///     count of the last one is the count of the rows.
    private func noting(
        _ statement: PostgresStatement, as version: PostgresRecording.Version,
        _ notes: (_ id: String) -> [String]
    ) -> PostgresStatement {
        var parameters = statement.parameters
        parameters.append(.integer(transaction), as: .bigint)
        let notes = notes("$\(parameters.count)")
        let parts =
            ["\(version.rawValue) AS (\(statement.sql))"]
            + notes.dropLast().enumerated().map { number, note in "a\(number) AS (\(note))" }
        return PostgresStatement(
            "WITH \(parts.joined(separator: ", ")) \(notes.last ?? "")", parameters)
    }
}
