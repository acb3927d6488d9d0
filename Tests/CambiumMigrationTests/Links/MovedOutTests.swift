import CambiumMigration
import CambiumModel
import CambiumSQL
import Testing

/// Properties of an entity that leaves its hierarchy and declares them itself from now on.
@Suite struct MovedOutTests {
    private typealias Store = TestStore

    private func owner(_ inverse: String) -> Relationship {
        Relationship(name: "owner", destination: "Owner", inverse: inverse, isOptional: true)
    }

    private func ownerEntity(_ name: String, of destination: String) -> Entity {
        Entity(
            name: "Owner",
            relationships: [
                Relationship(
                    name: name, destination: destination, inverse: "owner", isToMany: true)
            ])
    }

    private var old: Model {
        Store.model(
            "1",
            [
                Entity(
                    name: "Base", attributes: [Store.string("name", optional: true)],
                    relationships: [owner("things")]),
                Entity(name: "Leaf", parent: "Base"), ownerEntity("things", of: "Base"),
            ])
    }

    private func new(drops: [(String, String?)]) -> Model {
        Store.model(
            "2",
            [
                Entity(name: "Base"),
                Entity(
                    name: "Leaf", attributes: [Store.string("name", optional: true)],
                    relationships: [owner("leaves")]),
                ownerEntity("leaves", of: "Leaf"),
            ], drops: drops)
    }

    private let rows = """
        INSERT INTO Owner (_id) VALUES (7), (8);
        INSERT INTO Base (_id, _entity, name, owner) VALUES (1, 'Base', 'b', 7), (2, 'Leaf', 'l', 8);
        """

    @Test func `what the others lose it keeps`() throws {
        let drops = [("Base", "name"), ("Base", "owner"), ("Owner", "things")]
        let found = try Store.migrate(
            old, new(drops: drops), rows: rows, query: "SELECT _id, name, owner FROM Leaf")
        #expect(found == [["2", "l", "8"]])
    }

    @Test func `a drop at the entity itself takes it`() throws {
        let drops = [
            ("Base", "name"), ("Leaf", "name"), ("Base", "owner"), ("Leaf", "owner"),
            ("Owner", "things"),
        ]
        let found = try Store.migrate(
            old, new(drops: drops), rows: rows, query: "SELECT _id, name, owner FROM Leaf")
        #expect(found == [["2", "nil", "nil"]])
    }
}
