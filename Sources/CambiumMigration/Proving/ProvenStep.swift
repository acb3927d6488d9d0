import CambiumPlan
import CambiumSQL
import CambiumSQLite

/// A migration from one version to the next, and its expected result, computed once for all runs.
final class ProvenStep {
    private let name: String
    private let store: SampleStore
    private let tables: [Table]
    private let runner: MigrationRunner
    private let newCatalogue: Catalogue
    private let carried: [RowExpectation.Carried]
    private let staleCounts: [(name: String, query: String)]
    private let newObjectCounts: [(name: String, query: String)]
    private let halfLinkCounts: [(name: String, query: String)]
    private let freeKeyCounts: [(name: String, query: String)]
    private let objectCounts: [(name: String, query: String)]
    private let reducedEntities: Set<String>
    private let newTables: [Table]
    private let isReplacement: Bool

    init(
        _ match: ModelMatch, _ oldSchema: Schema, _ newSchema: Schema, _ migration: Migration,
        _ stepped: SteppedProof? = nil
    ) {
        let (old, new) = (match.old, match.new)
        name = "migration from \(old.version) to \(new.version)"
        store = SampleStore(of: old, oldSchema)
        tables = oldSchema.tables.filter { $0.content != .system }
        let runner = MigrationRunner(model: new, schema: newSchema, migrations: [migration])
        // Differences are found here, and reported differently.
        runner.driftPolicy = .report
        runner.refuseRest = { names in
            throw MigrationProver.Failure(
                description: "The migration leaves something to be done about "
                    + names.joined(separator: ", "))
        }
        runner.code = stepped?.code ?? []
        self.runner = runner
        isReplacement = stepped?.isReplacement ?? false
        newCatalogue = Catalogue(of: newSchema)
        let expectation = RowExpectation(match)
        // The values that the program writes cannot be predicted.
        let written = stepped?.writtenTables ?? []
        carried = expectation.carried(into: newSchema, except: written)
        staleCounts = expectation.staleCounts
        newObjectCounts = expectation.newObjectCounts(in: newSchema, except: written)
        halfLinkCounts = expectation.halfLinkCounts(in: newSchema, except: written)
        freeKeyCounts = RowExpectation.freeKeyCounts(in: newSchema)
        objectCounts = expectation.objectCounts(
            in: migration.touchedTables.intersection(newSchema.tables.map(\.name)),
            except: isReplacement ? [] : written)
        reducedEntities = expectation.reducedEntities
        newTables = newSchema.tables.filter { $0.content != .system }
    }

    /// The results of the step before it has run: no objects were counted.
    var proof: MigrationProver.Proof {
        MigrationProver.Proof(entities: objectCounts.map(\.name), reduced: reducedEntities)
    }

    /// Whether a store with the rows can be migrated, well or not.
    func accepts(_ rows: [AcceptableRows.Candidate]) throws -> Bool {
        do {
            _ = try migrate(try store.make(with: rows))
            return true
        } catch MigrationError.refused {
            return false
        }
    }

    /// A store with the rows; nil if SQLite itself cannot compute their derived values.
    func makeStore(with rows: [AcceptableRows.Candidate]) -> Connection? {
        try? store.make(with: rows)
    }

    /// Migrates a store with the rows, and compares the result with the original.
    func run(over rows: [AcceptableRows.Candidate]) throws -> MigrationProver.Run {
        try run(on: try store.make(with: rows))
    }

    /// Migrates a store that was created for it, and compares the result with the original.
    func run(on connection: Connection) throws -> MigrationProver.Run {
        let before = try carried.map { try connection.rows($0.oldQuery) }
        let oldCount = try oldCount(in: connection)
        _ = try migrate(connection)
        try requireNewForm(connection)
        for (carried, rows) in zip(carried, before) {
            if let lost = carried.difference(rows, try connection.rows(carried.newQuery)) {
                throw failure("The \(name) changes \(lost)")
            }
        }
        try requireNone(staleCounts, in: connection) {
            "After the \(name) \($0) does not have the values that are derived for it"
        }
        try requireNone(newObjectCounts, in: connection) { "The \(name) makes objects of \($0)" }
        try requireNone(halfLinkCounts, in: connection) {
            "After the \(name) links of the one-to-one \($0) are at one of their ends alone"
        }
        try requireNone(freeKeyCounts, in: connection) {
            "After the \(name) keys of \($0) can be given a second time"
        }
        return try seen(in: connection, rows: oldCount)
    }

    /// The number of rows in a store that is not migrated yet.
    func oldCount(in connection: Connection) throws -> Int { try count(of: tables, in: connection) }

    /// The content of a migrated store.
    func seen(in connection: Connection, rows: Int) throws -> MigrationProver.Run {
        MigrationProver.Run(
            rows: rows, newRows: try count(of: newTables, in: connection),
            objects: try objectCounts.map { ($0.name, try connection.number($0.query)) })
    }

    private func migrate(_ connection: Connection) throws -> MigrationOutcome {
        do {
            return try runner.open(connection)
        } catch let error as MigrationStepError where isReplacement {
            // Sample values ignore conditions on several values.
            throw MigrationError.refused(
                MigrationRefusal(step: error.step, reason: error.description))
        }
    }

    /// Checks the form of the store, independent of its rows: it is consistent, and has the schema
    /// of a new store.
    private func requireNewForm(_ connection: Connection) throws {
        let differences = Catalogue(rows: try connection.rows(Catalogue.query))
            .differences(from: newCatalogue)
        guard differences.isEmpty else {
            throw failure(
                "After the \(name) these differ from a fresh store: "
                    + differences.joined(separator: ", "))
        }
        guard try runner.open(connection) == .current else {
            throw failure("After the \(name) the store does not have the new version")
        }
        let broken = try connection.rows(MigrationSQL.foreignKeyCheck)
        if let table = broken.first?.first?.text {
            throw failure("After the \(name) links of \(table) dangle")
        }
        let integrity = try connection.rows(MigrationSQL.integrityCheck)
        guard integrity == [[.text("ok")]] else {
            let words = integrity.compactMap { $0.first?.text }
            throw failure(
                "After the \(name) the store is damaged: \(words.joined(separator: "; "))")
        }
    }

    private func requireNone(
        _ counts: [(name: String, query: String)], in connection: Connection,
        _ description: (String) -> String
    ) throws {
        for (name, query) in counts where try connection.rows(query) != [[.integer(0)]] {
            throw failure(description(name))
        }
    }

    private func count(of tables: [Table], in connection: Connection) throws -> Int {
        try tables.reduce(0) { $0 + (try connection.number(MigrationSQL.count(of: $1))) }
    }

    private func failure(_ description: String) -> MigrationProver.Failure {
        MigrationProver.Failure(description: description)
    }
}

extension Migration {
    /// The tables that it reads or writes, by the names that they have afterwards.
    fileprivate var touchedTables: Set<String> {
        var names = Set(steps.flatMap(\.tables))
        for case .createIndex(_, let table, _) in operations {
            // If columns become unique, the rows of the table are read even if no step mentions the
            // table.
            names.insert(table)
        }
        return names
    }
}
