import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumPostgresSQL

/// The steps of stores on a server, if the current version names its engine. They consist of the
/// same operations as the proven steps. The build has no server, so they are proven by the command
/// `cambium migrate verify`.
extension ModelCompiler {
    /// Plans the steps between versions, each of which was proven.
    ///
    /// - Returns: The steps up to the current version; nil if the last one has problems, which are
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
                // If a step is impossible, the steps before it are useless.
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
    /// - Parameter isLast: Whether the new version is the current one.
    /// - Throws: ``MigrationProblems`` with all reasons, if there is no plan.
    package static func serverMigration(
        from old: CheckedModel, to new: CheckedModel, isLast: Bool
    ) throws(MigrationProblems) -> Migration {
        let isShipped = ShippedStep.hasShipped(to: new, isLast: isLast)
        return try PostgresMigration.migration(
            from: old.model,
            to: isShipped ? ShippedStep(from: old.model, to: new.model).target : new.model)
    }
}
