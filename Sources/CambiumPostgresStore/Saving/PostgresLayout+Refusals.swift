import CambiumEngine
import CambiumModel
import CambiumPlan
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

extension PostgresLayout {
    /// The constraint of the model that a row violates.
    func brokenConstraint(_ error: PostgresError) -> ConstraintName? {
        switch error.state {
        case PostgresError.checkViolation, PostgresError.uniqueViolation:
            // The server's names may be shortened.
            return PostgresSchema.constraints(of: self)
                .first { PostgresName.short($0.text) == error.constraint }
        case PostgresError.notNullViolation:
            return Schema(of: model.model).tables
                .first { table in
                    // During a migration, a new table has a temporary name.
                    [table.name, TableCopies.temporaryName(of: table.name)]
                        .contains { PostgresName.short($0) == error.table }
                }?
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

    /// A description of a violation. It is the server's message if no constraint of the model is
    /// violated.
    func violation(of error: PostgresError) -> String {
        brokenConstraint(error)?.violation ?? error.message
    }

    /// The error that a program receives if a save fails.
    func refusal(_ error: any Error) -> any Error {
        if error is SaveConflict {
            return StoreError(
                code: .busy,
                message: "Other transactions have changed what was to be saved, again and again.",
                remedy: "Try again later.", underlying: error)
        }
        return (error as? PostgresError).map { refusal($0) } ?? error
    }

    /// The error that a program receives if the server rejects the written values.
    func refusal(_ error: PostgresError) -> any Error {
        if error.state == PostgresError.foreignKeyViolation {
            return ValidationError.danglingKey(error, hint(of: error))
        }
        if error.state == PostgresError.limitExceeded, error.message.hasPrefix("index row") {
            return tooLong(error)
        }
        if error.state == PostgresError.uniqueViolation, let entity = entity(ofKey: error) {
            return StoreError(
                code: .keyTaken,
                message: "Another row of \(entity) has the key of a new object already: a program "
                    + "that is not Cambium has inserted it, or a policy of the server's hides it.",
                remedy: "Delete the object, and insert it again. Let other programs take keys from "
                    + "the table _keys.",
                underlying: error)
        }
        if error.state == PostgresError.raisedException {
            return StoreError(
                code: .notTrusted, message: error.message,
                remedy: "Change or remove the trigger or function, or save what it lets pass.",
                underlying: error)
        }
        guard let constraint = brokenConstraint(error) else { return error }
        return ValidationError(breaking: constraint, of: model, error, hint(of: error))
    }

    /// A hint about the other row, if the context may not see it.
    private func hint(of error: PostgresError) -> String? {
        error.settings.isEmpty
            ? nil
            : "It may be one that a policy of the server's hides from a context with these "
                + "transactionSettings (\(error.settings.joined(separator: ", "))): such rows count, too."
    }

    /// The name of the root entity with duplicate keys; nil if other values are not unique.
    private func entity(ofKey error: PostgresError) -> String? {
        model.entities.first { entity in
            entity.rootIndex == entity.index
                && PostgresName.short(PostgresSchema.nameOfKey(of: entity.name)) == error.constraint
        }?.name
    }

    /// The error for an index entry that is too long. If it is only a little too long, the server
    /// names the index.
    private func tooLong(_ error: PostgresError) -> ValidationError {
        let constraint = PostgresSchema.constraints(of: self)
            .first { PostgresName.short($0.text) == error.constraint }
        var property: String?
        if case .unique(_, let names) = constraint, names.count == 1 { property = names[0] }
        let index = error.constraint.map { " \($0)" } ?? ""
        return ValidationError(
            code: .tooLong, entityName: constraint?.entity ?? "", objectID: nil,
            property: property, rule: nil,
            message: "A value is too long for the index\(index), whose entries have at most 2,704 "
                + "bytes. Save a shorter one; with a maxLength no longer one is saved.",
            underlying: error)
    }
}
