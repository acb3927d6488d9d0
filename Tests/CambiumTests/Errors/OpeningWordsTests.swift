import Foundation
import ShopModel
import Testing

@testable import Cambium
@testable import CambiumEngine
@testable import CambiumSQLiteStore
@testable import CambiumSQLite

/// What people are told where a store cannot be opened: which file, why, and what helps.
@Suite(.onSQLite("They are about damaged files and migrations."))
struct OpeningWordsTests {
    /// Opens a file as a store of the shop, and gives what is said of that.
    private func words(
        of path: String, _ options: StoreOptions = StoreOptions()
    ) throws -> (description: String, remedy: String) {
        let error = try #require(
            #expect(throws: StoreLoadingError.self) {
                try PersistentContainer(model: Shop.model, at: .temporary(path), options: options)
            })
        let name = URL(filePath: path).lastPathComponent
        let description = (error as any Error).localizedDescription
        #expect(description.contains(name))
        let remedy = try #require(error.recoverySuggestion, "\(error)")
        #expect(!description.contains(remedy) && error.failureReason?.isEmpty == false)
        return (description, remedy)
    }

    @Test func `text and random bytes`() throws {
        try withStoreFile { path in
            try String(repeating: "This is text. ", count: 100)
                .write(toFile: path, atomically: true, encoding: .utf8)
            let name = URL(filePath: path).lastPathComponent
            let (text, remedy) = try words(of: path)
            #expect(text == "Cannot open '\(name)': the file is not an SQLite database.")
            #expect(remedy == "Give the path of a store, or of a file that does not exist yet.")
            var generator = SeededGenerator(seed: 7)
            let bytes = (0..<5_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
            try Data(bytes).write(to: URL(filePath: path))
            try #expect(words(of: path) == (text, remedy))
        }
    }

    @Test func `a database of another program, and a store of another model`() throws {
        try withStoreFile { path in
            try execute("CREATE TABLE other (a)", in: path)
            let name = URL(filePath: path).lastPathComponent
            let (text, remedy) = try words(of: path)
            #expect(text.hasPrefix("Cannot open '\(name)'. The file is an SQLite database, but no"))
            #expect(remedy == "Open another file, or a new one.")
        }
        try withStoreFile { path in
            _ = try PersistentContainer(model: Shop.model, at: .temporary(path))
            try execute("UPDATE _metadata SET value = 'Bank' WHERE name = 'model'", in: path)
            let (text, remedy) = try words(of: path)
            #expect(text.contains("'. The store belongs to the model Bank, but the program opens"))
            #expect(remedy == "Open the program's own store, or a new one.")
        }
    }

    @Test func `a broken schema, and a damaged page`() throws {
        try withStoreFile { path in
            _ = try PersistentContainer(model: Shop.model, at: .temporary(path))
            try execute("PRAGMA wal_checkpoint(TRUNCATE)", in: path)
            var content = try Data(contentsOf: URL(filePath: path))
            let place = try #require(content.range(of: Data("CREATE TABLE".utf8)))
            content.replaceSubrange(place, with: Data("CREATE TABL!".utf8))
            try content.write(to: URL(filePath: path))
            let (text, remedy) = try words(of: path)
            #expect(text.contains("the file is damaged"))
            #expect(remedy.contains("Put a copy from before in its place") && remedy.contains(path))
        }
        try withStoreFile { path in
            _ = try PersistentContainer(model: Shop.model, at: .temporary(path))
            try execute("PRAGMA wal_checkpoint(TRUNCATE)", in: path)
            let file = try FileHandle(forWritingTo: URL(filePath: path))
            try file.seek(toOffset: 100)
            try file.write(contentsOf: Data(repeating: 0xA5, count: 4_000))
            try file.close()
            let (text, remedy) = try words(of: path)
            #expect(text.contains("the file is damaged"))
            #expect(remedy.contains("Put a copy from before in its place"))
        }
    }

    @Test func `a newer version, and a newer file format`() throws {
        try withStoreFile { path in
            _ = try PersistentContainer(model: Shop.model, at: .temporary(path))
            try execute(
                """
                UPDATE _metadata SET value = '9' WHERE name = 'version';
                UPDATE _metadata SET value = 'x' WHERE name = 'versionHash';
                """, in: path)
            let (text, remedy) = try words(of: path)
            #expect(text.contains("'. The store was written by version 9 of the model"))
            #expect(remedy.contains("update") || remedy.contains("Update"))
        }
    }

    @Test func `a lock of another process`() throws {
        try withStoreFile { path in
            _ = try PersistentContainer(model: Shop.model, at: .temporary(path))
            let other = try Connection(path: path)
            try other.execute("PRAGMA journal_mode = DELETE")
            try other.execute("BEGIN EXCLUSIVE")
            var options = StoreOptions()
            options.busyTimeout = .milliseconds(10)
            let (text, remedy) = try words(of: path, options)
            #expect(text.hasSuffix("': another program is writing it."))
            #expect(remedy == "Close that program, or try again later.")
            other.rollBack()
        }
    }

    @Test func `a full disk`() throws {
        try withStoreFile { path in
            var options = StoreOptions()
            options.pragmas = ["max_page_count": "100"]
            let container = try PersistentContainer(
                model: Shop.model, at: .temporary(path), options: options)
            let context = container.newContext()
            for number in 0..<200 {
                let product = Product(in: context, sku: "AB-\(number)", kind: .toy, price: 1)
                product.title = String(repeating: "x", count: 5_000)
            }
            let error = try #require(#expect(throws: StoreError.self) { try context.save() })
            #expect(error.code == .inaccessible && context.insertedObjects.count == 200)
            let name = URL(filePath: path).lastPathComponent
            #expect(error.errorDescription == "Cannot write '\(name)': the disk is full.")
            #expect(error.recoverySuggestion?.hasSuffix("Make room, and try again.") == true)
        }
    }

    #if os(Linux)
        @Test func `a folder where nobody may create a file`() throws {
            let (text, remedy) = try words(of: "/proc/store.sqlite")
            #expect(text.hasPrefix("The store /proc/store.sqlite cannot be created: the program"))
            #expect(remedy == "Choose another folder, or let the program write there.")
        }
    #endif

    @Test func `a file without permission`() throws {
        try withStoreFile { path in
            try "".write(toFile: path, atomically: true, encoding: .utf8)
            for (isReadOnly, right) in [(true, "read the file"), (false, "read and write")] {
                let error = try #require(
                    StoreError(
                        opening: path, isReadOnly: isReadOnly,
                        SQLiteError(code: 14, message: "unable to open database file")))
                #expect(error.code == .cannotOpen)
                #expect(error.errorDescription == "The store \(path) cannot be opened.")
                let remedy = error.recoverySuggestion
                #expect(remedy?.hasPrefix("See that the program may \(right)") == true)
            }
        }
    }

    @Test func `a trigger of another program that only that program may run`() throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Shop.model, at: .temporary(path))
            let context = container.newContext()
            try execute(
                """
                CREATE TRIGGER theirs AFTER INSERT ON Product
                BEGIN SELECT load_extension('theirs'); END
                """, in: path)
            _ = Product(in: context, sku: "AB-1", kind: .toy, price: 1)
            let error = try #require(#expect(throws: StoreError.self) { try context.save() })
            #expect(error.code == .notTrusted)
            let name = URL(filePath: path).lastPathComponent
            let text = error.errorDescription
            #expect(text?.hasPrefix("Cannot write '\(name)': a trigger or view of another") == true)
            #expect(error.recoverySuggestion?.hasPrefix("Remove the trigger or view") == true)
        }
    }

    @Test func `a store in memory is named by its kind`() throws {
        var options = StoreOptions()
        options.pragmas = ["journal_mode": "off"]
        let error = try #require(
            #expect(throws: StoreLoadingError.self) {
                try PersistentContainer(model: Shop.model, at: .temporary, options: options)
            })
        #expect(error.errorDescription?.hasPrefix("Cannot open SQLite store memory. ") == true)
    }

    @Test func `files that are not open for objects are named too`() throws {
        try withStoreFile { path in
            try String(repeating: "no store ", count: 200)
                .write(toFile: path, atomically: true, encoding: .utf8)
            let name = URL(filePath: path).lastPathComponent
            let missing = path + ".missing"
            typealias Coordinator = PersistentStoreCoordinator
            func expect(
                _ operation: String, _ name: String,
                sourceLocation: SourceLocation = #_sourceLocation, _ call: () throws -> Void
            ) {
                let error = #expect(throws: (any Error).self, sourceLocation: sourceLocation) {
                    try call()
                }
                let words = error?.localizedDescription ?? ""
                #expect(
                    words.hasPrefix("Cannot \(operation) '\(name)': "), "\(words)",
                    sourceLocation: sourceLocation)
            }
            expect("open", name) {
                try Coordinator.replacePersistentStore(at: missing, withStoreFrom: path)
            }
            expect("open", "\(name).missing") {
                try Coordinator.replacePersistentStore(at: path, withStoreFrom: missing)
            }
            expect("open", name) { _ = try Coordinator.metadata(ofStoreAt: .file(path)) }
            expect("open", name) {
                _ = try PersistentContainer.migrationForecast(model: Shop.model, at: path)
            }
        }
    }
}
