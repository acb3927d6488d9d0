import CambiumMigration
import CambiumModel
import CambiumSQL
import Testing

@Suite struct ViewMigrationTests {
    private typealias Store = TestStore

    @Test func `views of other programs stay, with their triggers, when a table is made anew`()
        throws
    {
        let old = Store.model(
            "1", [Entity(name: "A", attributes: [Store.string("x", optional: true)])])
        let new = Store.model(
            "2",
            [Entity(name: "A", attributes: [Store.string("y", optional: true, from: "x")])])
        let migration = try Migration(from: old, to: new)
        #expect(migration.steps.flatMap(\.sql).contains { $0.contains("RENAME TO") })
        let connection = try MigrationProver.makeStore(of: old, seed: nil)
        try connection.execute(
            """
            INSERT INTO A (_id, x) VALUES (1, 'a');
            CREATE VIEW keys AS SELECT _id FROM A;
            CREATE VIEW more AS SELECT count(*) AS n FROM keys;
            CREATE TRIGGER gone INSTEAD OF DELETE ON keys BEGIN
                DELETE FROM A WHERE _id = old._id; END;
            """)
        _ = try MigrationRunner(model: new, migrations: [migration]).open(connection)
        #expect(try Store.text(connection.rows("SELECT n FROM more")) == [["1"]])
        try connection.execute("DELETE FROM keys")
        #expect(try Store.text(connection.rows("SELECT n FROM more")) == [["0"]])
    }
}
