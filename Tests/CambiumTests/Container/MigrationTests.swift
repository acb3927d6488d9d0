import Cambium
import FirstPackagesModel
import PackagesModel
import ShopModel
import Testing

/// A store of an earlier version is migrated when it is opened.
struct MigrationTests {
    /// A store of version 1 with a package.
    private func makeFirstStore(at path: String) throws {
        let container = try PersistentContainer(
            model: FirstPackagesModel.Packages.model, at: .temporary(path))
        let context = container.newContext()
        _ = FirstPackagesModel.Package(
            in: context, name: "bash", version: "5.2-1", architecture: "amd64",
            sectionName: "shells", title: "GNU Bourne Again SHell", size: 7000, note: "mine")
        try context.save()
    }

    @Test func `two versions are crossed in one step, and what people added is kept`() throws {
        try withStoreFile { path in
            try makeFirstStore(at: path)
            let container = try PersistentContainer(
                model: PackagesModel.Packages.model, at: .temporary(path))
            guard case .migrated(let from, let to, let steps, let backup) = container.migration
            else {
                Issue.record("The store was not migrated: \(container.migration)")
                return
            }
            #expect(from == "1" && to == "3")
            #expect(!steps.isEmpty)
            #expect(
                backup.map { !StoreKind.isSQLite || FileManager.default.fileExists(atPath: $0) }
                    == true)
            let context = container.newContext()
            let package = try #require(
                try context.fetch(PackagesModel.Package.fetchRequest()).first)
            #expect(package.name == "bash")
            #expect(package.summary == "GNU Bourne Again SHell")
            #expect(package.installedSize == 7000)
            #expect(package.note == "mine")
            #expect(package.priority == .optional)
            #expect(package.source == "bash")
            package.section = Section(in: context, name: "shells")
            try context.save()
        }
    }

    @Test(.onSQLite("PostgresProof compares the tables of a server."))
    func `a migrated store has the schema of a new one`() throws {
        try withStoreFile { path in
            try makeFirstStore(at: path)
            _ = try PersistentContainer(model: PackagesModel.Packages.model, at: .temporary(path))
            try withStoreFile { fresh in
                _ = try PersistentContainer(model: PackagesModel.Packages.model, at: .file(fresh))
                let query =
                    "SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite%' "
                    + "ORDER BY type, name"
                #expect(try rows(query, in: path) == rows(query, in: fresh))
            }
            let again = try PersistentContainer(
                model: PackagesModel.Packages.model, at: .temporary(path))
            #expect(again.migration == .current)
        }
    }

    @Test func `a store of a later version is refused and left alone`() throws {
        try withStoreFile { path in
            _ = try PersistentContainer(model: PackagesModel.Packages.model, at: .temporary(path))
            let before = try rows("SELECT * FROM _metadata ORDER BY name", in: path)
            let error = expectOpening(throws: MigrationError.self) {
                try PersistentContainer(
                    model: FirstPackagesModel.Packages.model, at: .temporary(path))
            }
            #expect(error == .newerVersion(store: "3", program: "1"))
            #expect(try rows("SELECT * FROM _metadata ORDER BY name", in: path) == before)
        }
    }

    @Test func `a store of another model is refused`() throws {
        try withStoreFile { path in
            _ = try PersistentContainer(model: Shop.model, at: .temporary(path))
            let error = expectOpening(throws: MigrationError.self) {
                try PersistentContainer(model: PackagesModel.Packages.model, at: .temporary(path))
            }
            #expect(error == .otherModel(store: "Shop", program: "Packages"))
        }
    }

    @Test(.onSQLite("A schema of another program may get a store."))
    func `a database of another program is refused`() throws {
        try withStoreFile { path in
            try execute("CREATE TABLE other (a)", in: path)
            let before = try Data(contentsOf: URL(filePath: path))
            let error = expectOpening(throws: MigrationError.self) {
                try PersistentContainer(model: Shop.model, at: .temporary(path))
            }
            #expect(error == .notAStore)
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
        }
    }

    @Test(.onSQLite("It is about files."))
    func `a file that is no database is refused`() throws {
        try withStoreFile { path in
            try String(repeating: "This is text. ", count: 100)
                .write(toFile: path, atomically: true, encoding: .utf8)
            let error = expectOpening(throws: StoreError.self) {
                try PersistentContainer(model: Shop.model, at: .temporary(path))
            }
            #expect(error?.code == .corrupt && error?.underlying is SQLiteError)
            #expect(error?.message.hasPrefix("Cannot open '") == true)
            #expect(error?.message.contains("the file is not an SQLite database. Give") == true)
        }
    }

    @Test func `the progress of a migration is told`() throws {
        try withStoreFile { path in
            try makeFirstStore(at: path)
            let log = Log()
            var options = StoreOptions()
            options.migrationProgress = { log.append($0.summary) }
            _ = try PersistentContainer(
                model: PackagesModel.Packages.model, at: .temporary(path), options: options)
            #expect(!log.entries.isEmpty)
        }
    }

    @Test(.onSQLite("A server lets nobody write what the model forbids."))
    func `a migration that fails is told by a code, and leaves the store as it was`() throws {
        try withStoreFile { path in
            try makeFirstStore(at: path)
            // Another program has written what the model forbids.
            try execute(
                "PRAGMA ignore_check_constraints = 1; UPDATE Package SET name = 'x'", in: path)
            let before = try rows("SELECT * FROM Package", in: path)
            let error = #expect(throws: StoreLoadingError.self) {
                try PersistentStoreCoordinator(model: PackagesModel.Packages.model)
                    .addPersistentStore(
                        with: StoreDescription(location: .file(path)))
            }
            #expect(error?.code == .migrationFailed)
            #expect(error?.coreDataCode == 134111)
            #expect(try rows("SELECT * FROM Package", in: path) == before)
        }
    }
}
