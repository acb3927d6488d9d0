import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumSQL
import Testing

@Suite struct ProofScopeTests {
    /// A row of entities, each of which leads to the next; `B` has another attribute in version 2.
    private func model(_ version: String, isRequired: Bool = false) -> Model {
        let names = ["A", "B", "C", "D", "E"]
        let entities = zip(names, names.dropFirst() + ["E"]).map { name, next in
            let more =
                version == "2" && name == "B" ? [TestStore.string("more", optional: true)] : []
            return Entity(
                name: name, attributes: [TestStore.string("name")] + more,
                relationships: [
                    Relationship(name: "to", destination: next, isOptional: !isRequired)
                ])
        }
        return TestStore.model(version, entities)
    }

    private func scope(_ operations: [SchemaOperation], isRequired: Bool = false) -> [String] {
        let scope = ProofScope(
            of: operations, from: Schema(of: model("1", isRequired: isRequired)),
            to: Schema(of: model("2", isRequired: isRequired)))
        #expect(scope.old.tables.map(\.name) == scope.new.tables.map(\.name))
        return scope.old.tables.filter { $0.content != .system }.map(\.name)
    }

    @Test func `a changed table comes with those that lead to it and that it leads to`() {
        #expect(scope([]) == ["A", "B", "C"])
    }

    @Test func `a table that is written or read belongs to it`() {
        #expect(scope([.deleteRows("E")]) == ["A", "B", "C", "D", "E"])
        #expect(scope([.updateRows("B", from: ["D"])]) == ["A", "B", "C", "D", "E"])
    }

    @Test func `what objects of it require belongs to it`() {
        #expect(scope([], isRequired: true) == ["A", "B", "C", "D", "E"])
    }

    @Test(arguments: zip([false, true], [3, 5]))
    func `a brief proof has all objects of its part`(isRequired: Bool, tables: Int) throws {
        let (old, new) = (model("1", isRequired: isRequired), model("2", isRequired: isRequired))
        let proof = try MigrationProver.prove(
            from: old, to: new, migration: Migration(from: old, to: new), seeds: 0..<1,
            isBrief: true)
        #expect(proof.scarce == [])
        // Ordinary rows, and four times as many extremes.
        #expect(proof.rows == tables * 5 * SampleRows.objectsPerEntity)
    }

    @Test func `a brief proof has rows in the tables of its part only`() throws {
        let (old, new) = (model("1"), model("2"))
        let migration = try Migration(from: old, to: new)
        func rows(isBrief: Bool) throws -> Int {
            try MigrationProver.prove(
                from: old, to: new, migration: migration, seeds: 0..<1, isBrief: isBrief
            ).rows
        }
        let brief = try rows(isBrief: true)
        #expect(brief > 0)
        // Ordinary rows, and four times as many extremes.
        #expect(brief <= 3 * 5 * SampleRows.objectsPerEntity)
        #expect(try rows(isBrief: false) > brief)
    }

    @Test func `a brief proof finds what is lost in a table that does not change`() throws {
        let (old, new) = (model("1"), model("2"))
        let good = try Migration(from: old, to: new)
        let bad = MigrationStep(
            summary: "Lose a name", kind: .additive,
            statements: [.init(.updateRows("E"), "UPDATE \"E\" SET \"name\" = 'x'")])
        #expect(throws: MigrationProver.Failure.self) {
            try MigrationProver.prove(
                from: old, to: new,
                migration: Migration(
                    from: "1", to: "2", fromHash: good.fromHash, toHash: good.toHash,
                    steps: good.steps + [bad]),
                seeds: 0..<1, isBrief: true)
        }
    }
}
