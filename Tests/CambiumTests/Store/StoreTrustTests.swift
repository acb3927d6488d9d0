import Cambium
import CambiumSQLite
import EverythingModel
import Testing

/// What of a store's file is trusted.
@Suite(.onSQLite("They are about what lies in a file."))
struct StoreTrustTests {
    private func options(
        _ trust: StoreTrust, _ history: HistoryTracking = .asStored
    ) -> StoreOptions {
        var options = StoreOptions()
        options.trust = trust
        options.history = history
        return options
    }

    private func open(_ path: String, _ options: StoreOptions) throws -> PersistentStoreCoordinator
    {
        let coordinator = PersistentStoreCoordinator(model: Everything.model)
        try coordinator.addPersistentStore(
            with: StoreDescription(location: .file(path), options: options))
        return coordinator
    }

    private func withStore(
        _ sql: String, _ body: (String) throws -> Void
    ) throws {
        try withStoreFile { path in
            _ = try open(path, options(.schemaOnly))
            if !sql.isEmpty { try execute(sql, in: path) }
            try body(path)
        }
    }

    private func expectRefusal(
        of name: String, _ path: String, _ options: StoreOptions
    ) throws {
        let error = #expect(throws: StoreLoadingError.self) { try open(path, options) }
        #expect(error?.code == .storeDiffers)
        #expect("\(error as Any)".contains("\(name) is not part of the model"))
    }

    @Test(arguments: [
        "CREATE TRIGGER mine AFTER INSERT ON Node BEGIN SELECT 1; END",
        "CREATE VIEW mine AS SELECT 1", "CREATE TABLE mine (a)",
        "CREATE INDEX mine ON Node (label || 'x')",
    ])
    func `what others have added is refused without trust, and left alone with it`(
        _ sql: String
    ) throws {
        try withStore(sql) { path in
            try expectRefusal(of: "mine", path, options(.schemaOnly))
            _ = try open(path, StoreOptions())
            _ = try open(path, options(.externalObjects))
        }
    }

    @Test func `a store without trust keeps a history as any other`() throws {
        try withStore("") { path in
            for history in [HistoryTracking.asStored, .properties, .asStored, .off, .asStored] {
                let coordinator = try open(path, options(.schemaOnly, history))
                let context = coordinator.newContext()
                _ = Node(in: context, label: "a")
                try context.save()
            }
        }
    }

    @Test(arguments: [HistoryTracking.asStored, .properties])
    func `a trigger that calls itself one of the history's is not believed`(
        _ history: HistoryTracking
    ) throws {
        let trigger = "CREATE TRIGGER \"_history.mine\" AFTER INSERT ON Node BEGIN SELECT 1; END"
        try withStore(trigger) { path in
            if history == .asStored {
                try expectRefusal(of: "_history.mine", path, options(.schemaOnly, history))
            } else {
                // The history writes its own triggers.
                _ = try open(path, options(.schemaOnly, history))
                let names = try rows(
                    "SELECT name FROM sqlite_schema WHERE name = '_history.mine'", in: path)
                #expect(names.isEmpty)
            }
        }
    }

    @Test func `a changed index is not left without trust`() throws {
        try withStore("") { path in
            let index = try #require(
                try rows(
                    "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL LIMIT 1",
                    in: path
                ).first?.first)
            guard case .text(let name) = index else { return }
            try execute("DROP INDEX \"\(name)\"", in: path)
            var options = options(.schemaOnly)
            options.driftPolicy = .report
            #expect(throws: StoreLoadingError.self) { try open(path, options) }
            options.trust = .externalObjects
            _ = try open(path, options)
        }
    }

    @Test func `a store of endless metadata is refused in few words`() throws {
        try withStore("UPDATE _metadata SET value = hex(zeroblob(2000000)) WHERE name = 'version'")
        {
            path in
            let error = #expect(throws: StoreLoadingError.self) { try open(path, StoreOptions()) }
            #expect("\(error as Any)".utf8.count < 2_000)
            #expect(throws: StoreLoadingError.self) {
                try PersistentStoreCoordinator.metadata(ofStoreAt: .file(path))
            }
        }
    }
}
