import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite

extension AdoptionRun {
    /// Brings the new store to the version that was asked for, or as far as the steps lead.
    func migrate(_ report: inout AdoptionReport) throws {
        let way = adoption.way(from: layout.model)
        for pragma in AdoptionSQL.pragmasOfMigration { try connection.execute(pragma) }
        var trace = try adoption.identities.map { _ in
            try IdentityTrace(layout.objects.map(\.root), layout.model, connection)
        }
        let (taken, obstacle) = try take(way, &trace)
        report.migration = way.count(of: taken, obstacle: obstacle ?? way.obstacle)
        report.version = taken > 0 ? way.models[taken - 1].version : layout.model.version
        if let trace, let identities = adoption.identities { try trace.tell(identities) }
    }

    private static let migrationStart = 0.75

    /// Takes the steps: all at once, and one by one where one of them cannot be taken, so that the
    /// store is as new as it can be.
    private func take(
        _ way: MigrationWay, _ trace: inout IdentityTrace?
    ) throws -> (taken: Int, obstacle: String?) {
        guard !way.steps.isEmpty else { return (0, nil) }
        try meter.begins(
            .migrating, "Migrate to \(way.last.version)", at: Self.migrationStart,
            share: 1 - Self.migrationStart, rows: 1)
        if trace == nil {
            do {
                try run(way.steps, to: way.last)
                return (way.steps.count, nil)
            } catch let error as MigrationError where error != .cancelled {}
        }
        for (index, step) in way.steps.enumerated() {
            do {
                try trace?.prepare(for: way.models[index])
                try run([step], to: way.models[index])
                try trace?.follow(way.models[index])
            } catch let error as MigrationError where error != .cancelled {
                return (index, "\(error)")
            }
        }
        return (way.steps.count, nil)
    }

    private func run(_ steps: [Migration], to model: Model) throws {
        var runner = MigrationRunner(model: model, migrations: steps)
        runner.isCancelled = adoption.isCancelled
        let meter = meter
        runner.progress = { meter.migrates($0.fraction, $0.summary) }
        do {
            _ = try runner.open(connection)
        } catch MigrationError.cancelled {
            throw AdoptionError.cancelled
        }
    }
}
