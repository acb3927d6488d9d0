import CambiumCompiler
import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumPostgresSQL

/// The steps of stores on PostgreSQL. A tool may run them even if the model does not name the
/// engine.
package struct ServerSteps: Sendable {
    /// The versions, the oldest first; the last one is that of the target.
    package let versions: [Model]
    /// The steps to the target, after the last one that cannot be planned.
    package private(set) var migrations: [Migration] = []
    /// The reason that a step cannot be planned: the last one if there are several.
    package private(set) var problem: String?

    /// Plans the steps.
    ///
    /// - Parameter versions: The versions of a bundle, up to the target.
    init(_ versions: [CheckedModel], of all: [CheckedModel]) {
        self.versions = all.map(\.model)
        for (old, new) in zip(versions, versions.dropFirst()) {
            do throws(MigrationProblems) {
                migrations.append(
                    try ModelCompiler.serverMigration(
                        from: old, to: new, isLast: new === all.last))
            } catch {
                migrations = []
                problem = Self.words(for: error, from: old.model, to: new.model)
            }
        }
    }

    fileprivate static func words(
        for problems: MigrationProblems, from old: Model, to new: Model
    ) -> String {
        "PostgreSQL cannot take the step from version \(old.version) to \(new.version): "
            + problems.problems.map(\.message).joined(separator: "; ")
    }
}

extension CompiledBundle {
    /// The steps to a version on PostgreSQL, and the version.
    ///
    /// - Parameter version: The version's name; nil means the current one.
    /// - Returns: nil if there is no version of that name.
    package func serverSteps(to version: String? = nil) -> (target: Model, steps: ServerSteps)? {
        guard
            let end = version.map({ name in
                versions.firstIndex { $0.model.version == name }
            }) ?? versions.indices.last
        else { return nil }
        return (
            versions[end].model, ServerSteps(Array(versions[...end]), of: versions)
        )
    }

    /// Proves every step on a server, beside the same step in a file.
    ///
    /// - Parameter prove: Proves one step. If it throws an error other than
    ///   ``MigrationProver/Failure`` and ``MigrationError``, the verification ends.
    package func serverVerification(
        _ prove: (_ old: Model, _ new: Model, _ file: Migration, _ server: Migration) throws ->
            MigrationProver.Proof
    ) throws -> VerifyReport {
        var steps: [VerifyReport.Step] = []
        let chain = versions.suffix(migrations.count + 1)
        for ((old, new), file) in zip(zip(chain, chain.dropFirst()), migrations) {
            let isLast = new === versions.last
            func step(
                _ migration: Migration?, _ proof: MigrationProver.Proof = .init(),
                seconds: Double = 0, failure: String? = nil
            ) -> VerifyReport.Step {
                VerifyReport.Step(
                    from: old.model.version, to: new.model.version,
                    kind: (migration ?? file).kind, losesData: (migration ?? file).losesData,
                    codeSteps: file.codeSteps, rowsIn: proof.rows, rowsOut: proof.newRows,
                    refusals: proof.refusals, rowless: proof.scarce, seconds: seconds,
                    failure: failure)
            }
            let server: Migration
            do throws(MigrationProblems) {
                server = try ModelCompiler.serverMigration(from: old, to: new, isLast: isLast)
            } catch {
                let words = ServerSteps.words(for: error, from: old.model, to: new.model)
                steps.append(step(nil, failure: words))
                continue
            }
            let isShipped = ShippedStep.hasShipped(to: new, isLast: isLast)
            let target =
                isShipped ? ShippedStep(from: old.model, to: new.model).target : new.model
            let start = ContinuousClock.now
            func seconds() -> Double { (ContinuousClock.now - start) / .seconds(1) }
            do {
                let proof = try prove(old.model, target, file, server)
                steps.append(step(server, proof, seconds: seconds()))
            } catch let failure as MigrationProver.Failure {
                steps.append(step(server, seconds: seconds(), failure: failure.description))
            } catch let error as MigrationError {
                steps.append(step(server, seconds: seconds(), failure: error.description))
            }
        }
        return VerifyReport(
            model: name, version: versions.last?.model.version ?? "", steps: steps)
    }
}
