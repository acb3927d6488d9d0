import Cambium
import FirstPackagesModel
import PackagesModel
import Testing

/// Opening a store beside everybody else, with a look at what it will take.
struct OpeningTests {
    private let model = PackagesModel.Packages.model

    /// A store of version 1 with packages.
    private func makeFirstStore(at path: String, packages: Int = 1) throws {
        let container = try PersistentContainer(
            model: FirstPackagesModel.Packages.model, at: .temporary(path))
        let context = container.newContext()
        for number in 0..<packages {
            _ = FirstPackagesModel.Package(
                in: context, name: "package\(number)", version: "1", architecture: "all",
                sectionName: "misc", title: "A package", size: 1, note: "mine")
        }
        try context.save()
    }

    @Test @MainActor func `a store is migrated beside the main actor, with progress`()
        async throws
    {
        let path = try makeStorePath()
        defer { removeStore(path) }
        try makeFirstStore(at: path)
        let log = Log()
        let container = try await PersistentContainer.open(model: model, at: .temporary(path)) {
            progress in
            log.append("\(progress.fraction)")
        }
        guard case .migrated("1", "3", _, _) = container.migration else {
            Issue.record("\(container.migration)")
            return
        }
        let seen = log.entries.compactMap(Double.init)
        #expect(!seen.isEmpty && seen == seen.sorted())
        #expect(try container.viewContext.count(for: PackagesModel.Package.fetchRequest()) == 1)
    }

    @Test func `the options' own listener hears of it too`() async throws {
        let path = try makeStorePath()
        defer { removeStore(path) }
        try makeFirstStore(at: path)
        let (own, other) = (Log(), Log())
        var options = StoreOptions()
        options.migrationProgress = { own.append($0.summary) }
        _ = try await PersistentContainer.open(model: model, at: .temporary(path), options: options)
        {
            other.append($0.summary)
        }
        #expect(own.entries == other.entries && !own.entries.isEmpty)
    }

    @Test func `a cancelled task leaves the store as it was`() async throws {
        let path = try makeStorePath()
        defer { removeStore(path) }
        try makeFirstStore(at: path)
        let before = try rows("SELECT * FROM \"Package\"", in: path)
        let (begun, isCancelled, model) = (Log(), Log(), model)
        let opening = Task {
            try await PersistentContainer.open(model: model, at: .temporary(path)) { _ in
                begun.append("begun")
                // Nobody goes on before somebody has cancelled.
                while isCancelled.entries.isEmpty {}
            }
        }
        while begun.entries.isEmpty { await Task.yield() }
        opening.cancel()
        isCancelled.append("cancelled")
        let error = await #expect(throws: StoreLoadingError.self) { _ = try await opening.value }
        #expect(error?.code == .cancelled && error?.underlying as? MigrationError == .cancelled)
        #expect(try rows("SELECT * FROM \"Package\"", in: path) == before)
        #expect(!FileManager.default.fileExists(atPath: path + ".backup-1"))
    }

    @Test(.onSQLite("A schema of another program may get a store."))
    func `an error of opening names the store, in each way of opening`() async throws {
        let path = try makeStorePath()
        defer { removeStore(path) }
        try execute("CREATE TABLE other (a)", in: path)
        let error = await #expect(throws: StoreLoadingError.self) {
            try await PersistentContainer.open(model: model, at: .temporary(path))
        }
        #expect(error?.code == .notAStore && error?.store.location == .file(path))
        #expect(error?.underlying as? MigrationError == .notAStore)
        #expect(throws: StoreLoadingError.self) {
            try PersistentContainer(model: model, at: .temporary(path))
        }
        #expect(throws: StoreLoadingError.self) {
            try PersistentContainer.migrationForecast(model: model, at: path)
        }
    }

    @Test(.onSQLite("ServerForecastTests look at those of servers."))
    func `a migration is foretold, and then is what was foretold`() throws {
        try withStoreFile { path in
            #expect(try PersistentContainer.migrationForecast(model: model, at: path) == nil)
            try makeFirstStore(at: path, packages: 20)
            let forecast = try #require(
                try PersistentContainer.migrationForecast(model: model, at: path))
            #expect(forecast.from == "1" && forecast.to == "3")
            #expect(forecast.rows >= 20)
            #expect(forecast.bytesNeeded > 0 && forecast.freeSpace != nil)
            #expect(forecast.locks.isEmpty && forecast.rewrittenTables == ["Package"])
            let sameForecast = try #require(
                try PersistentContainer.migrationForecast(model: model, at: .file(path)))
            // Not the free room: others write to the disk meanwhile.
            #expect(sameForecast.steps == forecast.steps && sameForecast.rows == forecast.rows)
            #expect(sameForecast.bytesNeeded == forecast.bytesNeeded)
            #expect(try PersistentContainer.migrationForecast(model: model, at: .memory) == nil)
            let container = try PersistentContainer(model: model, at: .temporary(path))
            guard case .migrated(_, _, let steps, let backup) = container.migration else {
                Issue.record("\(container.migration)")
                return
            }
            #expect(steps.map(\.summary) == forecast.steps.map(\.summary))
            #expect((backup != nil) == forecast.makesBackup)
            #expect(try PersistentContainer.migrationForecast(model: model, at: path) == nil)
        }
    }

    @Test(.onSQLite("A server copies tables, and no file."))
    func `the copy of a migration can be put back`() throws {
        try withStoreFile { path in
            try makeFirstStore(at: path)
            let before = try rows("SELECT * FROM \"Package\"", in: path)
            let container = try PersistentContainer(model: model, at: .temporary(path))
            guard case .migrated(_, _, _, let backup?) = container.migration else {
                Issue.record("\(container.migration)")
                return
            }
            let store = try #require(container.coordinator.persistentStores.first)
            try container.coordinator.remove(store)
            try PersistentStoreCoordinator.replacePersistentStore(
                at: path, withStoreFrom: backup)
            #expect(try rows("SELECT * FROM \"Package\"", in: path) == before)
        }
    }
}
