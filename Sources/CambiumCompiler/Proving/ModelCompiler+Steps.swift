import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumSQL

/// One step from a version to the next.
extension ModelCompiler {
    /// Plans and proves a step. Its problems are reported at the positions of possible fixes.
    package func plan(_ step: ProofSubject.Step) -> Migration? {
        do throws(MigrationProblems) {
            let difference = ModelDifference(from: step.old.model, to: step.new.model)
            let migration = try Migration(difference, schemas: step.schemas)
            // Only the current version can still be changed.
            if step.isLast {
                warnAboutRows(to: step.new, difference)
                let lint = StepLint(
                    from: step.old, to: step.new, after: step.earlier, difference,
                    schemas: step.schemas)
                diagnostics += lint.findings
            }
            return prove(migration, step, difference.match) ? migration : nil
        } catch {
            for problem in error.problems { report(problem, from: step.old, to: step.new) }
            return nil
        }
    }

    /// Plans and proves a step that has shipped in an Xcode bundle. It cannot be changed any more,
    /// so there are only warnings.
    ///
    /// - Returns: The step, and its new version with declarations for all data that it drops.
    package func planShipped(
        _ step: ProofSubject.Step
    ) -> (migration: Migration, target: Model)? {
        let shipped = ShippedStep(from: step.old.model, to: step.new.model)
        let migration: Migration
        do throws(MigrationProblems) {
            migration = try Migration(shipped.difference, schemas: step.schemas)
        } catch {
            let remedy = ShippedRemedy(
                of: error.problems, from: step.old.model, to: step.new.model)
            reportBrokenChain(
                at: step, needsCode: remedy.needsCode, notes: remedy.facts.prefix(3) + remedy.notes)
            return nil
        }
        if !shipped.losses.isEmpty {
            report(
                .impliedDrop,
                """
                The step from version '\(step.old.model.version)' loses data, as it did in Core \
                Data: 
                """ + shipped.losses.joined(separator: ", "),
                at: step.new.position(ofEntity: nil))
        }
        guard prove(migration, step, shipped.match, isShipped: true) else { return nil }
        return (migration, shipped.target)
    }

    /// Reports a step that has shipped and that no store can take.
    private func reportBrokenChain(
        at step: ProofSubject.Step, needsCode: Bool = false, notes: [String]
    ) {
        report(
            .brokenChain,
            """
            Stores of version '\(step.old.model.version)' and before cannot be migrated: the step \
            to this version needs 
            """
                + (needsCode ? "code" : "more than the two versions say"),
            at: step.new.position(ofEntity: nil), notes: notes)
    }

    /// Runs a migration, unless it was proven before. If the step has shipped, it is run with one
    /// set of rows, because long chains have a hundred of such steps.
    private func prove(
        _ migration: Migration, _ step: ProofSubject.Step, _ match: ModelMatch,
        isShipped: Bool = false
    ) -> Bool {
        let (old, new) = (step.old, step.new)
        let key = verdicts.map { step.key(of: migration, isShipped: isShipped, in: $0) }
        do {
            let start = ContinuousClock.now
            let known = key.flatMap { verdicts?.proof(for: $0) }
            let proof =
                try known
                ?? MigrationProver.prove(
                    from: old.model, to: new.model, schemas: step.schemas, match: match,
                    migration: migration, seeds: isShipped ? 0..<1 : 0..<3, isBrief: isShipped)
            if known == nil, let key { verdicts?.keep(proof, for: key) }
            lastProof = (proof, (ContinuousClock.now - start) / .seconds(1), known != nil)
            warn(of: proof, from: old, to: new)
            return true
        } catch {
            let error = Self.line(of: error)
            if isShipped {
                reportBrokenChain(at: step, notes: ["It fails on SQLite: \(error)"])
            } else {
                report(
                    .unprovenMigration,
                    "The migration from version \(old.model.version) fails on SQLite: \(error)",
                    at: new.position(ofEntity: nil),
                    notes: ["Change what the error names, or go there in two versions"])
            }
            return false
        }
    }

    /// Warns about objects that the proof did not cover.
    private func warn(
        of proof: MigrationProver.Proof, from old: CheckedModel, to new: CheckedModel
    ) {
        func warn(_ range: String, _ remedy: String) {
            report(
                .emptyProof, "The migration from version \(old.model.version) was proven \(range)",
                at: new.migrationPosition, notes: [remedy])
        }
        if proof.isEmpty || !proof.refused.isEmpty {
            warn(
                proof.isEmpty
                    ? "on empty stores only: it rejected all sample rows"
                    : """
                    without two objects of \(proof.refused.joined(separator: ", ")): it rejected \
                    the sample rows
                    """,
                """
                A store with rows that do not meet the new conditions, or that a new type does not \
                hold, cannot be opened; loosen them, or fill the attributes that they use from \
                their old values
                """)
        }
        if !proof.isEmpty, !proof.dropped.isEmpty {
            warn(
                """
                without two objects of \(proof.dropped.joined(separator: ", ")): drops delete \
                the sample rows
                """,
                """
                Does the condition delete more than intended? If not, rehearse the migration \
                with a real store. To delete all objects, write where=\"TRUEPREDICATE\"
                """)
        }
    }

    /// Reports a problem at the entity or property in the newer file. If only the older file
    /// contains it, the position is the newer file's migration, which is the place for the fix.
    ///
    /// - Parameter engine: The engine that cannot run the step, if others can.
    func report(
        _ problem: MigrationProblem, from old: CheckedModel, to new: CheckedModel,
        on engine: String? = nil
    ) {
        let position =
            switch (problem.enumeration, problem.side) {
            case (let enumeration?, _): new.position(ofEnumeration: enumeration)
            case (nil, .new):
                new.position(ofDeclared: problem.property, of: problem.entity)
                    ?? new.position(ofEntity: problem.entity, property: problem.property)
            case (nil, .old): new.position(ofSuccessorOf: problem.entity, in: old.model)
            }
        let writer = FixWriter(old: old, new: new)
        let notes = problem.fixes.map { writer.note(for: $0, of: problem) }
        let message = engine.map { "On \($0): \(problem.message)" } ?? problem.message
        report(.undecidedMigration, message, at: position, notes: notes)
    }

    /// The diagnostic for a version whose store cannot be created.
    static func schemaFailure(_ error: any Error, at position: SourcePosition) -> Diagnostic {
        Diagnostic(
            .unprovenMigration, "The schema fails on SQLite: \(line(of: error))", at: position,
            notes: ["No store of this model can be created: change what the error names"])
    }

    @inline(never)
    func report(
        _ code: DiagnosticCode, _ message: String, at position: SourcePosition,
        notes: [String] = []
    ) {
        diagnostics.append(Diagnostic(code, message, at: position, notes: notes))
    }

    /// An error as one line. Errors quote SQL, which has many lines, and for a large table
    /// thousands. The actual problem may be before or after it.
    static func line(of error: any Error) -> String {
        let line = "\(error)".split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.count > 1000 ? "\(line.prefix(500)) … \(line.suffix(500))" : line
    }
}

/// A step between two versions of an Xcode bundle that have both shipped.
///
/// Core Data dropped everything that a new version no longer contained, without asking. These drops
/// therefore happened in existing stores. Here the drops are declared automatically; they are
/// reported once for each step.
package struct ShippedStep {
    /// The new version with the drops in its migration.
    package let target: Model
    /// The data that the step loses, sorted: entities and `Entity.property`.
    let losses: [String]
    /// The changes. Problems in it prevent a plan: the step needs information that was only in the
    /// program's own mapping.
    package let difference: ModelDifference
    /// The matching elements of the two versions, as declared.
    let match: ModelMatch

    /// Determines the drops in the step from one version to the next.
    package init(from old: Model, to new: Model) {
        let resolution = StepResolution(from: old, to: new) { problem in
            if problem.enumeration != nil {
                return HistoryDeclarer(old: old, new: new, isOfXcode: true).items(for: problem)
            }
            guard problem.isLoss else { return [] }
            return [
                HistoryItem(
                    MigrationDeclaration.Drop(
                        entity: problem.entity, property: problem.property,
                        reason: "Core Data dropped it"))
            ]
        }
        // Drops are not part of the match, because they only permit missing data. The replacement
        // of a case is a value to be proven.
        let replaced = resolution.items.filter { $0.item is MigrationDeclaration.Replacement }
        match = ModelMatch(
            old: old, new: replaced.isEmpty ? new : new.declaring(replaced, since: old))
        target = resolution.target
        difference = resolution.difference
        losses = resolution.items.map { $0.subject }.ordered(by: <)
    }

    /// Whether a step can no longer be changed.
    package static func hasShipped(to new: CheckedModel, isLast: Bool) -> Bool {
        new.parsed.isOfXcode && !isLast
    }
}

extension MigrationProblem {
    /// Whether the only missing declaration is a drop.
    package var isLoss: Bool {
        side == .old
            && declarations(of: MigrationDeclaration.Drop.self).contains { $0.condition == nil }
    }
}
