@testable import Cambium
@testable import CambiumSQLiteStore
import CambiumSQLite
import EverythingModel
import Testing

@Suite(.onSQLite("They are about options of SQLite."))
struct StoreOptionsTests {
    @Test func `pragmas are set on the writer and on every reader`() throws {
        try withStoreFile { path in
            var options = StoreOptions()
            options.pragmas = ["synchronous": "FULL", "cache_size": "-1234"]
            let coordinator = PersistentStoreCoordinator(model: Everything.model)
            try coordinator.addPersistentStore(at: .temporary(path), options: options)
            let store = try #require(coordinator.store(ofRoot: 0) as? SQLiteEngine)
            let query = "SELECT * FROM pragma_synchronous, pragma_cache_size"
            let expected: [[StoredValue]] = [[.integer(2), .integer(-1234)]]
            #expect(try store.writer.withLock { try $0.rows(query) } == expected)
            #expect(try store.withReader { try $0.rows(query) } == expected)
        }
    }

    @Test(arguments: [
        ("foreign_keys", "OFF"), ("journal_mode", "DELETE"), ("cache_size", "1; DROP TABLE Node"),
        ("cache_size = 1; x", "1"), ("", "1"), ("cache_size", ""),
    ])
    func `a pragma that a store relies on, or that is none, is refused`(
        _ name: String, _ value: String
    ) throws {
        var options = StoreOptions()
        options.pragmas = [name: value]
        let error = #expect(throws: StoreLoadingError.self) {
            try PersistentStoreCoordinator(model: Everything.model)
                .addPersistentStore(at: .temporary, options: options)
        }
        #expect(error?.code == .invalidRequest)
    }

    @Test func `a lock that another process holds is waited for as long as the option says`() throws
    {
        try withStoreFile { path in
            var options = StoreOptions()
            options.busyTimeout = .milliseconds(50)
            let coordinator = PersistentStoreCoordinator(model: Everything.model)
            try coordinator.addPersistentStore(at: .temporary(path), options: options)
            let context = coordinator.newContext()
            _ = Node(in: context)
            let other = try Connection(path: path)
            try other.execute("BEGIN IMMEDIATE")
            let start = ContinuousClock.now
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.code == .busy && error?.underlying is SQLiteError)
            #expect(
                error?.message
                    == "Cannot write '\(path.split(separator: "/").last ?? "")': another "
                    + "program is writing it. Close that program, or try again later.")
            #expect(ContinuousClock.now - start < .seconds(5))
            other.rollBack()
            try context.save()
        }
    }

    @Test func `a read-only store is read by all its connections, and never written`() throws {
        try withStoreFile { path in
            do {
                let context = try PersistentContainer(model: Everything.model, at: .temporary(path))
                    .newContext()
                _ = Node(in: context, label: "a")
                try context.save()
            }
            var options = StoreOptions()
            options.isReadOnly = true
            let coordinator = PersistentStoreCoordinator(model: Everything.model)
            let store = try coordinator.addPersistentStore(at: .temporary(path), options: options)
            #expect(store.isReadOnly)
            let context = coordinator.newContext()
            let node = try #require(try context.fetch(Node.fetchRequest()).first)
            node.label = "b"
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.code == .readOnly)
            coordinator.setMetadata(["a": "b"], for: store)
            context.rollback()
            try context.save()
            #expect(try rows("SELECT label FROM Node", in: path) == [[.text("a")]])
        }
    }

    @Test func `statistics and a compact file are made when asked for`() throws {
        try withStoreFile { path in
            do {
                let context = try PersistentContainer(model: Everything.model, at: .temporary(path))
                    .newContext()
                for index in 0..<500 { _ = Node(in: context, label: "\(index)") }
                try context.save()
                for node in try context.fetch(Node.fetchRequest()).dropFirst() {
                    context.delete(node)
                }
                try context.save()
            }
            #expect(try rows("PRAGMA freelist_count", in: path) != [[.integer(0)]])
            var options = StoreOptions()
            options.analyzes = true
            options.vacuums = true
            _ = try PersistentContainer(
                model: Everything.model, at: .temporary(path), options: options)
            #expect(try rows("PRAGMA freelist_count", in: path) == [[.integer(0)]])
            #expect(try !rows("SELECT * FROM sqlite_stat1", in: path).isEmpty)
            // What SQLite gathered is no part of the schema that is compared.
            #expect(
                try PersistentContainer(model: Everything.model, at: .temporary(path)).migration
                    == .current)
        }
    }
}
