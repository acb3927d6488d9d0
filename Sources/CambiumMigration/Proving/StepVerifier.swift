import CambiumModel
import CambiumPlan
import CambiumSQL
import CambiumSQLite

/// The versions on both sides of a migration in which the program does steps of its own. Made by
/// generated code.
@_spi(Generated)
public struct StepProof: Sendable {
    package let old: Model
    package let new: Model

    /// Names the versions.
    public init(from old: Model, to new: Model) {
        self.old = old
        self.new = new
    }
}

/// Proves the program's steps where the program is: the compiler proved all that is around them.
package struct StepVerifier {
    private let runner: MigrationRunner
    private let proofs: [StepProof]

    /// Prepares a proof.
    ///
    /// - Parameter runner: What knows the current version, all migrations and the steps.
    package init(_ runner: MigrationRunner, _ proofs: [StepProof]) {
        self.runner = runner
        self.proofs = proofs
    }

    /// What the proofs show: of each migration with steps, and of the chain from before the first to
    /// the current version.
    package var report: VerifyReport {
        let steps = proofs.map(step)
        return VerifyReport(
            model: runner.model.name, version: runner.model.version,
            steps: steps + (steps.allSatisfy { $0.failure == nil } ? chain : []))
    }

    private func step(_ proof: StepProof) -> VerifyReport.Step {
        let (from, to) = (proof.old.version, proof.new.version)
        guard let migration = runner.migrations.first(where: { $0.from == from && $0.to == to })
        else {
            return VerifyReport.Step(
                from: from, to: to, kind: .needsCode, losesData: true, rowsIn: 0, rowsOut: 0,
                failure: "The program has no such migration")
        }
        return measured(from, to, migration.codeSteps) {
            let proof = try MigrationProver.prove(
                from: proof.old, to: proof.new, migration: migration, code: runner.code)
            guard proof.rows > 0 || proof.refusals == 0 else {
                throw MigrationProver.Failure(
                    description: "All stores with rows that were made up were refused: what the "
                        + "steps leave does not meet the conditions of version \(to)")
            }
            return proof
        }
    }

    /// The way from before the first step to the current version, where that is further.
    private var chain: [VerifyReport.Step] {
        guard let first = proofs.first, first.new.version != runner.model.version else { return [] }
        let (from, to) = (first.old.version, runner.model.version)
        return [
            measured(from, to, proofs.count > 1 ? runner.migrations.flatMap(\.codeSteps) : []) {
                var proof = MigrationProver.Proof()
                for seed in UInt64(0)..<3 {
                    let connection = try MigrationProver.makeStore(of: first.old, seed: seed)
                    let before = try Self.count(connection, Schema(of: first.old))
                    do {
                        _ = try runner.open(connection)
                    } catch MigrationError.refused {
                        // Later versions may ask what generated rows do not meet.
                        proof.refusals += 1
                        continue
                    }
                    guard try runner.open(connection) == .current else {
                        throw MigrationProver.Failure(
                            description: "The store does not have version \(to)")
                    }
                    proof.rows += before
                    proof.newRows += try Self.count(connection, runner.schema)
                }
                return proof
            }
        ]
    }

    private func measured(
        _ from: String, _ to: String, _ codeSteps: [String],
        _ body: () throws -> MigrationProver.Proof
    ) -> VerifyReport.Step {
        let start = ContinuousClock.now
        var proof = MigrationProver.Proof()
        var failure: String?
        do {
            proof = try body()
        } catch {
            failure = "\(error)"
        }
        var step = VerifyReport.Step(
            from: from, to: to, kind: .needsCode, losesData: true, codeSteps: codeSteps,
            rowsIn: proof.rows,
            rowsOut: proof.newRows, refusals: proof.refusals, rowless: proof.scarce,
            seconds: (ContinuousClock.now - start) / .seconds(1), failure: failure)
        step.isCodeProven = true
        return step
    }

    private static func count(_ connection: Connection, _ schema: Schema) throws -> Int {
        try schema.tables.filter { $0.content != .system }.reduce(0) { sum, table in
            let count = try connection.rows(MigrationSQL.count(of: table)).first?.first
            return if case .integer(let count)? = count { sum + Int(count) } else { sum }
        }
    }
}

/// What the proof of a migration has to know about the program's steps in it.
struct SteppedProof {
    /// The steps: the program's own, or what stands in for them.
    let code: [CodeStep]
    /// Whether sample values stand in for the program.
    let isReplacement: Bool
    /// The tables of the new version in which rows are not what the two versions say.
    let writtenTables: Set<String>

    /// Prepares for a migration; nil where the program has nothing to do in it.
    init?(
        _ match: ModelMatch, _ migration: Migration, _ schema: Schema, _ code: [CodeStep]?
    ) {
        guard !migration.codeSteps.isEmpty,
            let coverage = StepCoverage(ModelDifference(from: match.old, to: match.new))
        else { return nil }
        isReplacement = code == nil
        let model = match.new
        if let code {
            self.code = code
            writtenTables = Set(
                schema.tables.filter { coverage.covers($0, in: model) }.map(\.name))
        } else {
            let step = ReplacementStep(model: model, schema: schema, supplied: coverage.supplied)
            // It fills all at once; the steps after the first find nothing to do.
            self.code = migration.codeSteps.map { name in
                CodeStep(name, from: migration.from, step.run)
            }
            // Where a link is missing it sets one, and may have to make an object for it.
            let entities = coverage.supplied.filter(\.isRelationship).flatMap { value in
                let entity = model.entity(named: value.entity)
                let relationship = entity.flatMap { model.relationship(value.property, of: $0) }
                return [entity, relationship.flatMap { model.entity(named: $0.destination) }]
            }
            writtenTables = Set(entities.compactMap(\.self).map { model.root(of: $0).name })
        }
    }
}
