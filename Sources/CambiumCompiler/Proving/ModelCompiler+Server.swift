import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumPostgresSQL

/// The steps of stores on a server, where the current version names its engine. They are made of the
/// same operations as those that were proven. The build has no server, so that the command
/// `cambium migrate verify` proves them.
extension ModelCompiler {
    /// Plans the steps between versions, each of which was proven.
    ///
    /// - Returns: Those that lead to the current version; nil where the last one has problems, which are
    ///   reported.
    func serverMigrations(between versions: [CheckedModel]) -> [Migration]? {
        guard let current = versions.last, current.engines.contains(.postgres) else { return [] }
        let steps = zip(versions, versions.dropFirst()).map { (old: $0, new: $1) }
        let plans = steps.indices.map { $0 }.concurrentMap { index in
            Result { () throws(MigrationProblems) in
                try Self.serverMigration(
                    from: steps[index].old, to: steps[index].new, isLast: index == steps.count - 1)
            }
        }
        var migrations: [Migration] = []
        for (step, plan) in zip(steps, plans) {
            switch plan {
            case .success(let migration): migrations.append(migration)
            case .failure(let error) where step.new === current:
                for problem in error.problems {
                    report(problem, from: step.old, to: step.new, on: "PostgreSQL")
                }
                return nil
            case .failure(let error):
                // Nothing leads from before a step that cannot be taken.
                migrations = []
                report(
                    .brokenChain,
                    """
                    Stores of version '\(step.old.model.version)' and before cannot be migrated on \
                    PostgreSQL
                    """,
                    at: step.new.position(ofEntity: nil), notes: error.problems.map(\.message))
            }
        }
        return migrations
    }

    /// Plans the step from one version to the next.
    ///
    /// - Parameter isLast: Whether it leads to the current version.
    /// - Throws: ``MigrationProblems``, all reasons why there is none.
    package static func serverMigration(
        from old: CheckedModel, to new: CheckedModel, isLast: Bool
    ) throws(MigrationProblems) -> Migration {
        let isShipped = ShippedStep.hasShipped(to: new, isLast: isLast)
        return try PostgresMigration.migration(
            from: old.model,
            to: isShipped ? ShippedStep(from: old.model, to: new.model).target : new.model)
    }
}
