import CambiumEngine
import CambiumModel
import CambiumRecords
import CambiumSQL

extension PostgresLayout {
    /// The error that a program sees where the server refuses what is written.
    func refusal(_ error: PostgresError) -> any Error {
        if error.state == PostgresError.foreignKeyViolation {
            return ValidationError.danglingKey(error)
        }
        guard let constraint = brokenConstraint(error) else { return error }
        return ValidationError(breaking: constraint, of: model, error)
    }

    private func brokenConstraint(_ error: PostgresError) -> ConstraintName? {
        switch error.state {
        case PostgresError.checkViolation, PostgresError.uniqueViolation:
            // The server says a name as it keeps it, which may be a short form.
            return PostgresSchema.constraints(of: model.model)
                .first { PostgresName.short($0.text) == error.constraint }
        case PostgresError.notNullViolation:
            return Schema(of: model.model).tables
                .first { PostgresName.short($0.name) == error.table }?
                .columns.first { PostgresName.short($0.name) == error.column }
                .flatMap { column in
                    switch column.content {
                    case .attribute(let entity, let name),
                        .key(let entity, let name):
                        .property(entity: entity, property: name, .required)
                    default: nil
                    }
                }
        default: return nil
        }
    }
}
