import CambiumMigration
import CambiumModel
import CambiumSQL

/// The rounds of proofs, which are run at the same time.
extension ModelCompiler {
    /// Something to prove that has nothing to do with the others.
    enum Proof: Sendable {
        case schema(SchemaProof)
        /// The step to the version of that number.
        case step(Int)
    }

    enum ProofOutcome: Sendable {
        case schema((any Error)?)
        case step(Migration?, [Diagnostic], VerifyReport.Step)
    }

    /// What there is to prove: that the current version's store can be made (which also finds an
    /// SQLite that is too old), and the steps from each version to the next.
    func proofs(of subject: ProofSubject) -> [Proof]? {
        let versions = subject.versions
        guard let current = versions.last, let schema = subject.schemas.last else { return nil }
        do throws(MigrationProver.Failure) {
            let parts =
                subject.isSchemaProven
                ? [] : try SchemaProof.parts(of: schema, current.model).map(Proof.schema)
            return parts + versions.indices.dropFirst().map(Proof.step)
        } catch {
            diagnostics.append(Self.schemaFailure(error, at: current.position(ofEntity: nil)))
            return nil
        }
    }

    static func outcome(of proof: Proof, _ subject: ProofSubject) -> ProofOutcome {
        switch proof {
        case .schema(let part):
            do {
                try part.run()
                return .schema(nil)
            } catch {
                return .schema(error)
            }
        case .step(let index):
            let compiler = ModelCompiler(verdicts: subject.verdicts)
            let step = subject.step(to: index)
            let migration =
                ShippedStep.hasShipped(to: step.new, isLast: step.isLast)
                ? compiler.planShipped(step)?.migration : compiler.plan(step)
            return .step(
                migration, compiler.diagnostics,
                compiler.report(on: migration, from: step.old, to: step.new))
        }
    }

    /// The steps that were proven; nil where the current version's store cannot be made.
    func migrations(
        of outcomes: [ProofOutcome], between versions: [CheckedModel]
    ) -> [Migration]? {
        for case .schema(let error?) in outcomes {
            let position = versions.last?.position(ofEntity: nil)
            if let position { diagnostics.append(Self.schemaFailure(error, at: position)) }
            return nil
        }
        var migrations: [Migration] = []
        for case .step(let migration, let found, let report) in outcomes {
            diagnostics += found
            steps.append(report)
            if let migration {
                migrations.append(migration)
            } else {
                // Nothing leads from before a step that cannot be taken.
                migrations = []
            }
        }
        return migrations
    }
}
