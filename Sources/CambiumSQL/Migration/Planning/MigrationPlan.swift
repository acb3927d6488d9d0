import CambiumModel

/// The SQL that makes a store of one version a store of another.
///
/// All old tables stay until the new ones are filled, so that every new value can come from
/// anywhere: first each changed table is made anew beside the old one and filled from old tables,
/// then what is replaced or gone is dropped, the new tables take their names, and indexes are made.
/// Foreign keys must be off meanwhile; whoever runs the steps checks them at the end.
package struct MigrationPlan: Sendable {
    /// The steps in order.
    package let steps: [MigrationStep]
    /// The changes that they carry out.
    package let changes: [ModelChange]
    /// How the history of a store is taken along; nil where nothing in it has another name or meaning
    /// afterwards.
    package let history: MigrationHistory?

    /// Plans a migration.
    ///
    /// - Parameter schemas: The tables of both, where they are laid out already.
    /// - Throws: All reasons why there is none.
    package init(
        from old: Model, to new: Model, schemas: (old: Schema, new: Schema)? = nil
    ) throws(MigrationProblems) {
        try self.init(
            ModelDifference(from: old, to: new),
            schemas: schemas ?? (Schema(of: old), Schema(of: new)))
    }

    /// Plans what a difference asks for.
    ///
    /// - Parameter schemas: The tables of both versions.
    /// - Throws: All reasons why there is no plan.
    package init(
        _ difference: ModelDifference, schemas: (old: Schema, new: Schema)
    ) throws(MigrationProblems) {
        guard difference.problems.isEmpty else {
            throw MigrationProblems(problems: difference.problems)
        }
        changes = difference.changes
        steps =
            MigrationStepBuilder(difference: difference, schemas.old, schemas.new).steps
        history =
            changes.allSatisfy { $0.kind == .additive }
                && steps.allSatisfy { $0.kind == .additive }
            ? nil : HistoryPlanner(difference, schemas.old, schemas.new).history
    }
}
