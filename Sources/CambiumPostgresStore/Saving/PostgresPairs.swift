import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// The table of the pairs of a relationship.
struct PostgresPairs {
    let table: String
    let source: String
    let destination: String

    /// - Parameter relationship: Either side of the relationship. The result is nil if it has no
    ///   pairs.
    init?(_ relationship: RelationshipDescription, _ layout: PostgresLayout) {
        let model = layout.model
        guard
            let owner = model.owner(of: relationship),
            case .joinTable(let name, let source, let destination) = model.model.storage(
                of: relationship.relationship, of: owner.entity)
        else { return nil }
        table = layout.qualified(name)
        self.source = PostgresName.identifier(source)
        self.destination = PostgresName.identifier(destination)
    }

    // MARK: Statements

    /// The statement that deletes all pairs of rows.
    ///
    /// - Parameter isSource: Whether the rows are the sources.
    func delete(
        of rows: PendingArrays, isSource: Bool, _ recorder: PostgresRecorder?
    ) -> PostgresStatement {
        recorded(
            PostgresStatement(
                "DELETE FROM \(table) WHERE \(isSource ? source : destination) = ANY($1)",
                rows.parameters), recorder)
    }

    /// The statement that deletes some pairs.
    func delete(
        _ links: [(source: Int64, destination: Int64)], _ recorder: PostgresRecorder?
    ) -> PostgresStatement {
        let pending = PendingArrays(links)
        let statement = PostgresStatement(
            """
            DELETE FROM \(table) AS t USING \(pending.source) \
            WHERE t.\(source) = p."key" AND t.\(destination) = p."other"
            """, pending.parameters)
        return recorded(statement, recorder)
    }

    /// The statement that inserts pairs.
    func insert(
        _ links: [(source: Int64, destination: Int64)], _ recorder: PostgresRecorder?
    ) -> PostgresStatement {
        let pending = PendingArrays(links)
        // An existing pair stays: another save has added it too. It is locked, so that it is not
        // deleted before the commit. Either both directions of a pair exist, or neither does.
        let lock = "DO UPDATE SET \(source) = t.\(source) WHERE false"
        let statement = PostgresStatement(
            """
            INSERT INTO \(table) AS t (\(source), \(destination)) \
            SELECT DISTINCT p."key", p."other" FROM \(pending.source) ORDER BY 1, 2 \
            ON CONFLICT (\(source), \(destination)) \(lock)
            """, pending.parameters)
        return recorded(statement, recorder)
    }

    private func recorded(
        _ statement: PostgresStatement, _ recorder: PostgresRecorder?
    ) -> PostgresStatement {
        recorder.map { $0.linking(statement, table) } ?? statement
    }
}
