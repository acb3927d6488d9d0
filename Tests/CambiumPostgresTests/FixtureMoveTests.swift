import CambiumEngine
import CambiumModel
import CambiumPostgres
import CambiumSQL
import CambiumSQLite
import Foundation
import Testing

@testable import CambiumMigration

/// Stores of all models that tests have, with random objects, moved to a server and back.
struct FixtureMoveTests {
    @Test(arguments: FixtureModel.some, PostgresServer.some())
    func `a store of any model comes back from a server as it was`(
        _ fixture: FixtureModel, _ server: PostgresServer
    ) throws {
        let versions = fixture.versions()
        let last = try #require(versions.last)
        try forEachSeed(share: 1 / Double(FixtureModel.some.count), for: 1) { seed in
            for version in versions where Self.fits(version) {
                try move(Self.store(of: version, seed), of: version, server)
                try move(
                    Self.store(of: version, seed, .extremes), of: version, server,
                    mayBeRefused: true)
            }
            if let migrated = try Self.migratedStore(of: versions, seed) {
                try move(migrated, of: last, server)
            }
        }
    }

    /// Whether a server can have the tables: those of SQLite may have more columns.
    private static func fits(_ model: Model) -> Bool {
        Schema(of: model).tables.allSatisfy { $0.columns.count <= 1600 }
    }

    private static func store(
        of model: Model, _ seed: UInt64, _ content: SampleRows.Content = .ordinary
    ) throws -> Connection {
        try MigrationProver.makeStore(
            of: model, with: SampleRows(of: model, seed: seed, content: content))
    }

    /// A store of the first version, migrated to the last one; nil if there is no way, or if its
    /// objects do not fit.
    private static func migratedStore(of versions: [Model], _ seed: UInt64) throws -> Connection? {
        let steps = Array(zip(versions, versions.dropFirst()))
        guard !steps.isEmpty, let migrations = try? steps.map({ try Migration(from: $0, to: $1) })
        else { return nil }
        let runner = MigrationRunner(
            model: versions[versions.count - 1],
            schema: Schema(of: versions[versions.count - 1]), migrations: migrations)
        runner.code = zip(migrations, steps).flatMap { $0.replacementSteps(from: $1.0, to: $1.1) }
        let store = try store(of: versions[0], seed)
        do {
            _ = try runner.open(store)
        } catch is MigrationError {
            return nil
        } catch is MigrationStepError {
            return nil
        }
        return store
    }

    /// - Parameter mayBeRefused: Whether there may be values that a server cannot hold. They are
    ///   named.
    private func move(
        _ store: Connection, of model: Model, _ server: PostgresServer, mayBeRefused: Bool = false
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let schema = PostgresServer.newSchema
        defer {
            try? FileManager.default.removeItem(at: folder)
            try? server.drop(schema)
        }
        let path = folder.appending(path: "store.sqlite").path()
        try store.execute("VACUUM INTO '\(path)'")
        let container = try PersistentContainer(model: CompiledModel(model), at: .file(path))
        let coordinator = container.coordinator
        var reports: [MoveReport] = []
        for location in [
            StoreLocation.postgres(server.url, schema: schema), .file(path + ".back"),
        ] {
            let current = try #require(coordinator.persistentStores.first)
            do {
                let moved = try coordinator.migratePersistentStore(current, to: location)
                reports.append(try #require(moved.moveReport))
                #expect(try moved.differences() == [])
            } catch  where mayBeRefused && reports.isEmpty && error.isOfValues {
                return
            }
        }
        #expect(reports[0].tables.map(\.rowCount) == reports[1].tables.map(\.rowCount))
        let rounds = reports[0].roundedDates > 0
        let before = try StoreDump(path, roundsNumbers: rounds)
        let after = try StoreDump(path + ".back", roundsNumbers: rounds)
        #expect(after.schema == before.schema, "\(model.name) \(model.version)")
        #expect(after.rows == before.rows, "\(model.name) \(model.version)")
        #expect(after.largeValues == before.largeValues)
    }
}

extension Error {
    fileprivate var isOfValues: Bool {
        let reason = (self as? StoreLoadingError)?.underlying
        return reason is ValidationError || reason is ValidationErrors
    }
}
