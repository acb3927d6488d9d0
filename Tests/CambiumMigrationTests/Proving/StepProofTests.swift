@_spi(Generated) import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumSQL
import Testing

@testable import MigrationTestSupport

/// The proof of migrations in which the program does steps of its own.
struct StepProofTests {
    private typealias Sample = StepSample

    private func prove(
        _ body: (@Sendable (StepSample.Context) throws -> Void)?
    ) throws -> MigrationProver.Proof {
        try MigrationProver.prove(
            from: Sample.first, to: Sample.second, migration: Sample.migration(),
            code: body.map { [CodeStep("settle", from: Sample.V1.self, to: Sample.V2.self, $0)] })
    }

    @Test func `the compiler proves all that is around a step`() throws {
        let proof = try prove(nil)
        #expect(proof.rows > 0)
    }

    @Test func `the compiler knows what a step has to fill`() throws {
        let coverage = try #require(
            StepCoverage(ModelDifference(from: Sample.first, to: Sample.second)))
        #expect(coverage.supplied.map(\.name) == ["Person.firstName", "Person.home"])
        #expect(coverage.roots == ["Person", "Place"])
    }

    @Test func `a step of class needs code makes a backup`() throws {
        let migration = try Sample.migration()
        #expect(migration.kind == .needsCode && migration.losesData)
        #expect(migration.codeSteps == ["settle"])
    }

    @Test func `a right step is proven`() throws {
        #expect(try prove(Sample.settle).rows > 0)
    }

    @Test func `a step that forgets rows is found`() {
        #expect(throws: MigrationStepError.self) {
            _ = try prove { context in
                let place = try context.insert(Sample.V2.PlaceRow(name: "c"))
                try context.forEach(Sample.V1.PersonRow.self) { old in
                    guard old.city != nil else { return }
                    try context.update(old.rowID, as: Sample.V2.PersonRow.self) {
                        $0.firstName = "x"
                        $0.home = place
                    }
                }
            }
        }
    }

    @Test func `a verification says which step fails, and why`() throws {
        let proofs = [StepProof(from: Sample.first, to: Sample.second)]
        let right = StepVerifier(try Sample.runner(), proofs).report
        #expect(right.isProven && right.steps.map(\.codeSteps) == [["settle"]])
        #expect(right.steps.allSatisfy { $0.rowsIn > 0 && $0.rowsOut > 0 })
        let wrong = StepVerifier(
            try Sample.runner { context in
                try Sample.settle(context)
                // All of one name, which must be unique.
                try context.forEach(Sample.V2.PlaceRow.self) { place in
                    if let id = place.rowID { try context.update(id) { $0.name = "one" } }
                }
            }, proofs
        ).report
        #expect(!wrong.isProven)
        let none = StepVerifier(try Sample.runner { _ in }, proofs).report
        #expect(none.steps.first?.failure?.contains("settle") == true)
    }

    @Test func `without a step, what only a step knows cannot be planned`() throws {
        let model = Model(
            name: "Shop", version: "2", entities: Sample.second.entities,
            migration: MigrationDeclaration(
                from: "1", drops: Sample.second.migration?.drops ?? []))
        #expect(throws: MigrationProblems.self) {
            _ = try Migration(from: Sample.first, to: model)
        }
    }
}
