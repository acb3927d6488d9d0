import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite

/// Creates a new store: copies, checks and migrates.
final class CoreDataImportRun {
    let store: CoreDataStore
    let layout: CoreDataLayout
    let schema: Schema
    let connection: Connection
    let meter: ImportMeter
    /// The place of the new store; nil means a temporary file, for a plan.
    let place: NewStore?
    var links: LinkCounts

    var model: Model { layout.model }

    init(
        _ store: CoreDataStore, _ layout: CoreDataLayout, _ place: NewStore?, _ meter: ImportMeter
    ) throws {
        self.store = store
        self.layout = layout
        self.meter = meter
        self.place = place
        schema = Schema(of: layout.model)
        links = LinkCounts(layout.model)
        var settings = SourceFile.settings
        settings.pragmas = CoreDataImportSQL.pragmas
        if let place {
            try CoreDataImportError.making { () throws(NewStoreError) in try place.makeFile() }
        }
        // SQLite removes a database without a name when it is closed, even after a crash.
        connection = try Connection(path: place?.unfinished ?? "", settings: settings)
    }

    /// Copies all data.
    func copy(_ report: inout CoreDataImportReport) throws {
        _ = try connection.rows(ObjectCopySQL.attach, [.text(store.file.uri)])
        try connection.asking(every: ImportMeter.instructionsPerTick, meter.tick) {
            try connection.transaction { try copyAll(&report) }
        }
        connection.forgetStatements()
        try connection.execute(ObjectCopySQL.detach)
    }

    // MARK: In one transaction

    private func copyAll(_ report: inout CoreDataImportReport) throws {
        for table in schema.tables { try connection.execute(table.createStatement()) }
        // The last statements insert the metadata of the store. They need only the tables.
        for statement in schema.statements.suffix(schema.recordCount) {
            try connection.execute(statement)
        }
        let tables = try copyObjects(&report)
        let broken = try makeIndexes(tables)
        try countKeys(tables)
        try checkKeys(&report, tables)
        let pairs = try copyLinks(&report)
        try refuseBrokenRules(&report, tables, pairs)
        try refuseDuplicates(&report, broken, tables, pairs)
        try countLinks(&report, tables, pairs)
        try noteInvalidCounts(&report)
        try copyFiles(&report, tables)
        try derive(&report)
        try finishCounts(&report, tables)
        try keepMetadata(&report)
    }

    /// A table of objects, and the statements that copy it.
    struct ObjectTable {
        let object: CoreDataLayout.ObjectSource
        let table: Table
        let sql: ObjectCopySQL
        /// The number of rows, the least key and the greatest key.
        let extent: SourceCounts
        /// Further counts; nil if all rows were copied, because the new store can then be counted
        /// instead.
        var counts: SourceCounts?

        /// The name of the entity with a number; of another one that of the root entity.
        func name(ofNumber number: StoredValue?) -> String {
            object.entities.first { .integer($0.number) == number }?.entity.name ?? object.root.name
        }

        mutating func countSource(_ connection: Connection) throws(SQLiteError) {
            counts = SourceCounts(object, try connection.rows(sql.counts))
        }
    }

    // MARK: Migration

    /// Migrates the new store to the requested version, or to the last version that the steps
    /// reach.
    ///
    /// - Parameter identities: Receives the old and the new key of each object.
    func migrate(
        _ report: inout CoreDataImportReport, along migrationPath: StoreMigrationPath,
        identities: ((ImportedKey) throws -> Void)?
    ) throws {
        for pragma in CoreDataImportSQL.pragmasOfMigration { try connection.execute(pragma) }
        // Lost objects are found step by step.
        var trace: IdentityTrace?
        if identities != nil || migrationPath.steps.contains(where: \.losesData) {
            trace = try IdentityTrace(layout.objects.map(\.root), layout.model, connection)
        }
        var losses = MigrationLosses(objects: report.entities.reduce(0) { $0 + $1.written })
        let (taken, blocker) = try take(migrationPath, &trace, &losses)
        if let place, taken > 0 {
            // No row references the files of deleted values.
            let sweep = ExternalSweep(place.files, model: migrationPath.models[taken - 1])
            if try place.files.announce() != nil { try sweep.run(connection) }
        }
        report.migration = losses.report(
            of: migrationPath, taken: taken, blocker: blocker ?? migrationPath.blocker)
        report.objects = losses.objects
        report.version = taken > 0 ? migrationPath.models[taken - 1].version : layout.model.version
        guard let trace, let identities else { return }
        try trace.report(to: identities)
        for row in report.refusedRows {
            try identities(
                ImportedKey(oldEntity: row.entity, oldKey: row.id, newEntity: nil, newKey: nil))
        }
    }

    private static let migrationStart = 0.75

    /// Runs the steps: all at once, or one by one if one of them fails, so that the store gets as
    /// new a version as possible.
    private func take(
        _ migrationPath: StoreMigrationPath, _ trace: inout IdentityTrace?,
        _ losses: inout MigrationLosses
    ) throws -> (taken: Int, blocker: String?) {
        guard !migrationPath.steps.isEmpty else { return (0, nil) }
        try meter.begin(
            .migrating, "Migrate to \(migrationPath.last.version)", at: Self.migrationStart,
            share: 1 - Self.migrationStart, rows: 1)
        if trace == nil {
            do {
                try run(migrationPath.steps, to: migrationPath.last)
                return (migrationPath.steps.count, nil)
            } catch let error as MigrationError where error != .cancelled {}
        }
        for (index, step) in migrationPath.steps.enumerated() {
            let (old, new) = (
                index > 0 ? migrationPath.models[index - 1] : migrationPath.first,
                migrationPath.models[index]
            )
            do {
                let count = step.losesData ? StepLosses(from: old, to: new, connection) : nil
                try trace?.prepare(for: new)
                try run([step], to: new, watchedBy: count)
                if let names = trace?.oldNames { count?.names(by: names) }
                try trace?.follow(new)
                guard let count else { continue }
                try losses.add(count, trace?.deletedObjects() ?? [])
            } catch let error as MigrationError where error != .cancelled {
                return (index, "\(error)")
            }
        }
        return (migrationPath.steps.count, nil)
    }

    private func run(
        _ steps: [Migration], to model: Model, watchedBy count: StepLosses? = nil
    ) throws {
        let runner = MigrationRunner(model: model, migrations: steps)
        runner.isCancelled = meter.isCancelled
        runner.watch = count?.watch
        let meter = meter
        runner.progress = { meter.reportMigration($0.fraction, $0.summary) }
        do {
            _ = try runner.open(connection)
        } catch MigrationError.cancelled {
            throw CoreDataImportError.cancelled
        }
    }
}
