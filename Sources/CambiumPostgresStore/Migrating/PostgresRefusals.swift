import CambiumMigration
import CambiumModel
import CambiumPostgresSQL
import CambiumSQL

/// Describes the rows for which a statement of a migration or of a repair fails, in the transaction
/// of that statement.
struct PostgresRefusals {
    let derivations: PostgresDerivations
    /// All statements of the migration or of the repair.
    let statements: [MigrationStatement]
    let trial: PostgresTrial

    private var layout: PostgresLayout { derivations.layout }

    /// The error that names the violated constraint and the rows; nil if the server's error is not
    /// about rows.
    func error(
        _ error: PostgresError, by statement: MigrationStatement, of step: String
    ) -> MigrationError? {
        if error.state == PostgresError.foreignKeyViolation { return brokenLinks(statement) }
        guard error.isOfData else { return nil }
        var reason = layout.violation(of: error)
        // The statement names the reason itself.
        if case .checkRows = statement.operation, let words = error.constraint { reason = words }
        return .refused(
            RefusedRows(layout.model.model, in: statements, of: trial)
                .refusal(by: statement, of: step, layout.brokenConstraint(error), reason: reason))
    }

    /// The error for dangling references, if a statement cannot add a foreign key.
    private func brokenLinks(_ statement: MigrationStatement) -> MigrationError {
        let schema = PostgresSchema(of: derivations)
        guard case .addForeignKey(let name, let table) = statement.operation,
            let key = schema.links
                .first(where: { PostgresName.short($0.key.name) == PostgresName.short(name) })?.key
        else { return .brokenLinks(table: "", count: 1, object: nil) }
        let isOfObjects = schema.tables.contains { table in
            table.name == key.table && table.columns.contains { $0.name == SystemColumn.key }
        }
        let column = SQLText.identifier(key.column)
        let row = trial.rows(
            """
            SELECT count(*), min(\(isOfObjects ? "t.\"_id\"" : "NULL::bigint")) \
            FROM \(SQLText.identifier(key.table)) AS t \
            WHERE t.\(column) IS NOT NULL AND NOT EXISTS (SELECT \
            FROM \(SQLText.identifier(key.destination)) AS d WHERE d."_id" = t.\(column))
            """
        ).first
        return .brokenLinks(
            table: table, count: Int(row?[0].integer ?? 1), object: row?[1].integer)
    }
}
