import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite

extension AdoptionRun {
    /// Brings the new store to the version that was asked for, or as far as the steps lead.
    func migrate(_ report: inout CoreDataImportReport) throws {
        let way = knownWay ?? adoption.ways(from: [layout.model])[0]
        for pragma in AdoptionSQL.pragmasOfMigration { try connection.execute(pragma) }
        // Who loses something is found step by step.
        var trace: IdentityTrace?
        if adoption.identities != nil || way.steps.contains(where: \.losesData) {
            trace = try IdentityTrace(layout.objects.map(\.root), layout.model, connection)
        }
        var tolls = MigrationTolls(objects: report.entities.reduce(0) { $0 + $1.written })
        let (taken, obstacle) = try take(way, &trace, &tolls)
        if let place, taken > 0 {
            // Nothing leads to the files of what the steps took.
            let sweep = ExternalSweep(place.files, model: way.models[taken - 1])
            if try place.files.announce() != nil { try sweep.run(connection) }
        }
        report.migration = way.count(of: taken, tolls, obstacle: obstacle ?? way.obstacle)
        report.objects = tolls.objects
        report.version = taken > 0 ? way.models[taken - 1].version : layout.model.version
        guard let trace, let identities = adoption.identities else { return }
        try trace.tell(identities)
        for row in report.refusedRows {
            try identities(
                CoreDataImporter.Identity(
                    oldEntity: row.entity, oldKey: row.id, newEntity: nil, newKey: nil))
        }
    }

    private static let migrationStart = 0.75

    /// Takes the steps: all at once, and one by one where one of them cannot be taken, so that the
    /// store is as new as it can be.
    private func take(
        _ way: MigrationWay, _ trace: inout IdentityTrace?, _ tolls: inout MigrationTolls
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
            let (old, new) = (index > 0 ? way.models[index - 1] : way.first, way.models[index])
            do {
                let count = step.losesData ? StepCount(from: old, to: new, connection) : nil
                try trace?.prepare(for: new)
                try run([step], to: new, watchedBy: count)
                if let names = trace?.oldNames { count?.names(by: names) }
                try trace?.follow(new)
                guard let count else { continue }
                try tolls.take(count, trace?.gone() ?? [])
            } catch let error as MigrationError where error != .cancelled {
                return (index, "\(error)")
            }
        }
        return (way.steps.count, nil)
    }

    private func run(
        _ steps: [Migration], to model: Model, watchedBy count: StepCount? = nil
    ) throws {
        var runner = MigrationRunner(model: model, migrations: steps)
        runner.isCancelled = adoption.isCancelled
        runner.watch = count?.watch
        let meter = meter
        runner.progress = { meter.migrates($0.fraction, $0.summary) }
        do {
            _ = try runner.open(connection)
        } catch MigrationError.cancelled {
            throw CoreDataImportError.cancelled
        }
    }
}
