import CambiumMigration
import CambiumModel
import CambiumSQL
import Testing

/// A proof is worth something only if a wrong migration fails it.
@Suite struct MigrationProverTests {
    private let old = TestStore.model(
        "1",
        [
            Entity(
                name: "A", attributes: [TestStore.string("name")],
                relationships: [Relationship(name: "to", destination: "A")])
        ])
    private let new = TestStore.model(
        "2",
        [
            Entity(
                name: "A", attributes: [TestStore.string("title", from: "name")],
                relationships: [Relationship(name: "to", destination: "A")],
                indexes: [Index(elements: [IndexElement(property: "title")])])
        ])

    private func prove(_ change: (String) -> String) throws {
        let good = try Migration(from: old, to: new)
        let steps = good.steps.map { step in
            MigrationStep(
                summary: step.summary, kind: step.kind,
                statements: step.statements.map { .init($0.operation, change($0.sql)) })
        }
        try MigrationProver.prove(
            from: old, to: new,
            migration: Migration(
                from: "1", to: "2", fromHash: good.fromHash, toHash: good.toHash, steps: steps))
    }

    @Test func `the planned migration is proven with rows`() throws {
        let proof = try MigrationProver.prove(
            from: old, to: new, migration: Migration(from: old, to: new))
        #expect(proof.rows == 7 * SampleRows.objectsPerEntity)
        #expect(proof.refusals == 0 && proof.newRows == proof.rows)
    }

    @Test func `changed values are noticed`() {
        #expect(throws: MigrationProver.Failure.self) {
            try prove { $0.replacing("old.\"name\" AS", with: "upper(old.\"name\") AS") }
        }
    }

    @Test func `the error names the attribute whose values have changed`() {
        let error = #expect(throws: MigrationProver.Failure.self) {
            try prove { $0.replacing("old.\"name\" AS", with: "upper(old.\"name\") AS") }
        }
        let start = "The migration from 1 to 2 changes the values of A.title: "
        #expect(error?.description.hasPrefix(start) == true)
    }

    @Test func `lost rows are noticed`() {
        #expect(throws: (any Error).self) {
            try prove { $0.replacing("FROM \"A\" AS old", with: "FROM \"A\" AS old LIMIT 2") }
        }
    }

    @Test func `lost links are noticed`() {
        #expect(throws: MigrationProver.Failure.self) {
            try prove { $0.replacing("old.\"to\"", with: "NULL") }
        }
    }

    @Test func `a table of another form is noticed`() {
        #expect(throws: (any Error).self) {
            try prove { $0.replacing("\"title\" TEXT NOT NULL", with: "\"heading\" TEXT") }
        }
    }

    @Test func `a table that is left over is noticed`() {
        #expect(throws: MigrationProver.Failure.self) {
            try prove { $0.hasPrefix("DROP") ? $0 + "; CREATE TABLE rest (a)" : $0 }
        }
    }

    @Test func `a broken statement is noticed`() {
        #expect(throws: MigrationError.self) { try prove { $0 + " nonsense" } }
    }

    private func product(_ version: String, pattern: String? = nil, rules: [Rule] = []) -> Model {
        TestStore.model(
            version,
            [
                Entity(
                    name: "Product",
                    attributes: [
                        Attribute(
                            name: "sku", type: .string, limits: Limits(pattern: pattern)),
                        Attribute(name: "stock", type: .int32),
                    ], rules: rules)
            ])
    }

    private func isEqual(_ name: String, _ value: Value) -> ModelExpression {
        .comparison(.keyPath(root: .subject, names: [name]), .equal, .literal(value), [])
    }

    private func proof(_ new: Model) throws -> MigrationProver.Proof {
        let old = product("1")
        return try MigrationProver.prove(
            from: old, to: new, migration: Migration(from: old, to: new))
    }

    @Test func `generated values meet new patterns and the constants of new rules`() throws {
        #expect(try proof(product("2", pattern: "[A-Z]{2}-[0-9]+")).rows > 0)
        let condition = ModelExpression.and([
            isEqual("sku", .string("only")), isEqual("stock", .int(4711)),
        ])
        #expect(try proof(product("2", rules: [Rule(name: "one", condition: condition)])).rows > 0)
    }

    @Test func `rows that a step refuses are dropped, and the others prove it`() throws {
        let square = ModelExpression.arithmetic(
            .keyPath(root: .subject, names: ["stock"]), .multiply,
            .keyPath(root: .subject, names: ["stock"]))
        let few = ModelExpression.comparison(square, .less, .literal(.int(900)), [])
        let found = try proof(product("2", rules: [Rule(name: "few", condition: few)]))
        #expect(found.rows > 0)
        let none = ModelExpression.comparison(square, .less, .literal(.int(0)), [])
        let nothing = try proof(product("2", rules: [Rule(name: "none", condition: none)]))
        #expect(nothing.rows == 0 && nothing.refusals == 3 + 2)
    }
}
