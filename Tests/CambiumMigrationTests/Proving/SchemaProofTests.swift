import CambiumMigration
import CambiumModel
import CambiumSQL
import Testing

@Suite struct SchemaProofTests {
    private func model(_ count: Int, _ more: [Entity] = []) -> Model {
        let entities = (0..<count).map { number in
            Entity(
                name: "Thing\(number)", attributes: [TestStore.string("name")],
                relationships: [
                    Relationship(
                        name: "next", destination: "Thing\((number + 1) % count)",
                        inverse: "previous"),
                    Relationship(
                        name: "previous", destination: "Thing\((number + count - 1) % count)",
                        inverse: "next", isToMany: true),
                ],
                indexes: [Index(elements: [IndexElement(property: "name")])])
        }
        return Model(name: "Things", version: "1", entities: entities + more)
    }

    private func prove(_ schema: Schema, of model: Model) throws {
        for part in try SchemaProof.parts(of: schema, model) { try part.run() }
    }

    @Test(arguments: [1, 46, 47, 120])
    func `a schema is made whole or in parts`(count: Int) throws {
        let model = model(count)
        let schema = Schema(of: model)
        #expect(schema.recordCount == count + 5)
        try prove(schema, of: model)
    }

    @Test(arguments: [1, 120]) func `a table that SQLite refuses is found in any part`(
        count: Int
    ) throws {
        // SQLite keeps names that begin so for itself; the compiler refuses them before.
        let model = model(count, [Entity(name: "sqlite_stat9")])
        #expect(throws: (any Error).self) {
            try prove(Schema(of: model), of: model)
        }
    }

    @Test func `two tables of one name in different parts are found`() throws {
        let model = model(120, [Entity(name: "THING0")])
        #expect(throws: MigrationProver.Failure.self) {
            try prove(Schema(of: model), of: model)
        }
    }
}
