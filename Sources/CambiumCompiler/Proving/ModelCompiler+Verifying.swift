import CambiumMigration
import CambiumSQL

extension ModelCompiler {
    /// What was found out about a step, by a compiler that has looked at nothing else.
    ///
    /// - Parameter migration: The step's migration; nil where it could not be planned, or fails.
    func report(
        on migration: Migration?, from old: CheckedModel, to new: CheckedModel
    ) -> VerifyReport.Step {
        // What warnings say is no reason, unless there is nothing else.
        let reasons = diagnostics.filter { $0.isError || $0.code == .brokenChain }
        let isUndecided = migration == nil && reasons.contains { $0.code == .undecidedMigration }
        // The notes of these two say what to write.
        let words = reasons.map { reason in
            let hasRemedy = [.brokenChain, .undecidedMigration].contains(reason.code)
            let notes = hasRemedy ? reason.notes : []
            return ([reason.message] + notes).joined(separator: isUndecided ? ". " : "; ")
        }
        return VerifyReport.Step(
            from: old.model.version, to: new.model.version,
            // What nobody can plan needs more than the models say.
            kind: isUndecided ? nil : migration?.kind ?? .needsCode,
            losesData: migration?.losesData ?? true,
            codeSteps: migration?.codeSteps ?? [],
            rowsIn: lastProof?.proof.rows ?? 0, rowsOut: lastProof?.proof.newRows ?? 0,
            refusals: lastProof?.proof.refusals ?? 0, rowless: lastProof?.proof.scarce ?? [],
            seconds: lastProof?.seconds ?? 0,
            isRemembered: lastProof?.isRemembered ?? false,
            failure: migration == nil ? words.joined(separator: "; ") : nil)
    }
}
