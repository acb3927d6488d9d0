import Cambium
import ShopModel
import Testing

/// What becomes of a store that another program has changed.
@Suite(.onSQLite("DriftTests are about tables on a server."))
struct DriftPolicyTests {
    private func withChangedStore(_ body: (_ path: String) throws -> Void) throws {
        try withStoreFile { path in
            _ = try PersistentContainer(model: Shop.model, at: .temporary(path))
            try execute("ALTER TABLE Product ADD COLUMN theirs TEXT", in: path)
            try execute("CREATE TABLE their_own (a)", in: path)
            try body(path)
        }
    }

    private func options(_ policy: DriftPolicy, isReadOnly: Bool = false) -> StoreOptions {
        var options = StoreOptions()
        options.driftPolicy = policy
        options.isReadOnly = isReadOnly
        return options
    }

    @Test func `the store is refused, with the name of what differs`() throws {
        try withChangedStore { path in
            let coordinator = PersistentStoreCoordinator(model: Shop.model)
            let error = #expect(throws: StoreLoadingError.self) {
                try coordinator.addPersistentStore(
                    with: StoreDescription(location: .file(path)))
            }
            #expect(error?.code == .storeDiffers)
            #expect(error?.coreDataCode == 134020)
            #expect("\(error as Any)".contains("Product (changed: "))
            #expect(!"\(error as Any)".contains("their_own"))
        }
    }

    @Test(arguments: [false, true])
    func `the store is opened as it is, and tells what differs`(isReadOnly: Bool) throws {
        try withChangedStore { path in
            let container = try PersistentContainer(
                model: Shop.model, at: .temporary(path),
                // One that is not to be written is not repaired either.
                options: options(isReadOnly ? .repair : .report, isReadOnly: isReadOnly))
            let store = try #require(container.coordinator.persistentStores.first)
            #expect(store.migration == .current)
            #expect(try store.differences().map(\.name) == ["Product", "their_own"])
            #expect(try store.differences().map(\.kind) == [.changed, .external])
        }
    }

    @Test func `the store is repaired, and what is not the model's stays`() throws {
        try withChangedStore { path in
            let container = try PersistentContainer(
                model: Shop.model, at: .temporary(path), options: options(.repair))
            let store = try #require(container.coordinator.persistentStores.first)
            guard case .refreshed = store.migration else {
                Issue.record("\(String(describing: store.migration))")
                return
            }
            #expect(try store.differences().map(\.name) == ["their_own"])
            let version = try #require(
                try rows("SELECT value FROM _metadata WHERE name = 'version'", in: path)
                    .first?.first)
            guard case .text(let version) = version else { return }
            #expect(
                try rows(
                    "SELECT count(*) FROM pragma_table_info('Product') WHERE name = 'theirs'",
                    in: "\(path).backup-\(version)") == [[.integer(1)]])
        }
    }

    @Test func `stores in memory and of other types have nothing to differ`() throws {
        for kind in [StoreKind.memory, .dictionary] {
            try withContainer(Shop.model, on: kind) { container in
                let store = try #require(container.coordinator.persistentStores.first)
                #expect(try store.differences().isEmpty)
            }
        }
    }
}
