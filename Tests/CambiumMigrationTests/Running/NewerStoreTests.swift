import CambiumMigration
import CambiumModel
import CambiumSQLite
import Testing

/// What a version is that has the tables of another one.
struct NewerStoreTests {
    private typealias Store = TestStore

    @Test(arguments: [("2", isKnown: false), ("second", isKnown: true)])
    func `a store of a later version that looks the same is refused all the same`(
        name: String, isKnown: Bool
    ) throws {
        let model = Store.model("1", [Entity(name: "A")])
        let connection = try MigrationProver.makeStore(
            of: Store.model(name, [Entity(name: "A")]), seed: nil)
        let before = try Store.dump(connection)
        let runner = MigrationRunner(model: model)
        if isKnown { runner.laterVersions = [name] }
        // The remedy is another one where the later version is at hand.
        let error: MigrationError =
            isKnown
            ? .noWayBack(store: name, target: "1") : .newerVersion(store: name, program: "1")
        #expect(throws: error) { try runner.open(connection) }
        #expect(throws: error) { try runner.forecast(connection, at: nil) }
        #expect(try Store.dump(connection) == before)
    }

    @Test func `a version that got another name is known by its tables`() throws {
        let connection = try MigrationProver.makeStore(
            of: Store.model("first", [Entity(name: "A")]), seed: nil)
        let runner = MigrationRunner(model: Store.model("one", [Entity(name: "A")]))
        #expect(try runner.open(connection) == .refreshed(backup: nil))
    }
}
