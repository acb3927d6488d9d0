import CambiumMigration
import CambiumModel
import CambiumSQL

/// The whole way from a bundle to what the tool writes: read, check, plan, prove, emit.
package struct ModelCompiler {
    var diagnostics: [Diagnostic] = []

    /// Compiles a bundle.
    ///
    /// Everything that is wrong with any version is in the diagnostics, and there is a result only
    /// where none is an error. Cost grows with the number of versions: each step from one to the
    /// next is run on an SQLite in memory.
    ///
    /// - Parameters:
    ///   - path: The bundle's folder.
    ///   - checksLock: Whether versions that are frozen have to be as they were then.
    ///   - emits: Whether the Swift is wanted too.
    package static func compile(
        _ path: String, checksLock: Bool = true, emits: Bool = false
    ) -> Compilation {
        var compiler = ModelCompiler()
        let result = compiler.compile(path, checksLock: checksLock, emits: emits)
        let hasErrors = compiler.diagnostics.hasErrors
        return Compilation(
            bundle: hasErrors ? nil : result?.bundle, files: hasErrors ? [] : result?.files ?? [],
            diagnostics: compiler.diagnostics.sortedByPlace())
    }

    private mutating func compile(
        _ path: String, checksLock: Bool, emits: Bool
    ) -> (bundle: CompiledBundle, files: [SwiftFile])? {
        let (bundle, readingDiagnostics) = BundleReader.read(path)
        diagnostics = readingDiagnostics
        var versions: [CheckedModel] = []
        var previous: CheckedModel?
        let chain = bundle.chain
        for (index, parsed) in chain.enumerated() {
            let previousVersion = index > 0 ? chain[index - 1].version : nil
            // What is legal and will hurt can only be put right in the version that has not
            // shipped: the current one.
            let isCurrent = index == chain.count - 1
            let (model, found) = ModelChecker.check(
                parsed, bundleName: bundle.name, previousVersion: previousVersion,
                previous: previous, isCurrent: isCurrent)
            diagnostics += found.filter { $0.isError || isCurrent }
            previous = model
            if let model { versions.append(model) }
        }
        if checksLock { diagnostics += LockChecker.check(bundle, versions) }
        guard !diagnostics.hasErrors else { return nil }
        return produce(versions, of: bundle.name, emits: emits)
    }

    /// Plans, proves and emits versions that are right each for itself.
    private mutating func produce(
        _ versions: [CheckedModel], of name: String, emits: Bool
    ) -> (bundle: CompiledBundle, files: [SwiftFile])? {
        guard let current = versions.last else { return nil }
        // Classes need no tables, and no proof looks at them: each waits only for what it needs.
        var emitter = emits ? SwiftEmitter(of: current, bundle: name) : nil
        // Each version's tables are laid out once, for the step to it and the step from it.
        let (schemas, classes) = concurrentMap(
            versions, { Schema(of: $0.model) },
            emitter.map { emitter in emitter.entities.map { (emitter, $0) } } ?? [],
            { emitter, entity in emitter.text(of: entity) })
        guard let schema = schemas.last else { return nil }
        emitter?.schema = schema.statements
        guard let proofs = proofs(of: versions, schemas) else { return nil }
        let (texts, outcomes) = concurrentMap(
            emitter?.textsBesideClasses ?? [], { $0() },
            proofs, { proof in Self.outcome(of: proof, versions, schemas) })
        guard let migrations = migrations(of: outcomes, between: versions) else { return nil }
        emitter?.migrations = migrations
        return (
            CompiledBundle(
                name: name, versions: versions, schema: schema.statements,
                migrations: migrations),
            emitter?.files(classes: classes, besideClasses: texts) ?? []
        )
    }

    /// Something to prove that has nothing to do with the others.
    private enum Proof: Sendable {
        case schema(SchemaProof)
        /// The step to the version of that number.
        case step(Int)
    }

    private enum ProofOutcome: Sendable {
        case schema((any Error)?)
        case step(Migration?, [Diagnostic])
    }

    /// What there is to prove: that the current version's store can be made (which also finds an
    /// SQLite that is too old), and the steps from each version to the next.
    private mutating func proofs(
        of versions: [CheckedModel], _ schemas: [Schema]
    ) -> [Proof]? {
        guard let current = versions.last, let schema = schemas.last else { return nil }
        do throws(MigrationProver.Failure) {
            let parts = try SchemaProof.parts(of: schema, current.model).map(Proof.schema)
            // Nothing is planned where a step of the program is refused.
            guard versions.allSatisfy({ Self.programSteps(of: $0).isEmpty }) else { return parts }
            return parts + versions.indices.dropFirst().map(Proof.step)
        } catch {
            diagnostics.append(Self.schemaFailure(error, at: current.position(ofEntity: nil)))
            return nil
        }
    }

    private static func outcome(
        of proof: Proof, _ versions: [CheckedModel], _ schemas: [Schema]
    ) -> ProofOutcome {
        switch proof {
        case .schema(let part):
            do {
                try part.run()
                return .schema(nil)
            } catch {
                return .schema(error)
            }
        case .step(let index):
            var compiler = ModelCompiler()
            let (old, new) = (versions[index - 1], versions[index])
            let pair = (old: schemas[index - 1], new: schemas[index])
            let isLast = index + 1 == versions.count
            let migration =
                ShippedStep.hasShipped(to: new, isLast: isLast)
                ? compiler.planShipped(from: old, to: new, pair)
                : compiler.plan(from: old, to: new, pair, isLast: isLast)
            return .step(migration, compiler.diagnostics)
        }
    }

    /// The steps that were proven; nil where the current version's store cannot be made, or where
    /// a step is refused.
    private mutating func migrations(
        of outcomes: [ProofOutcome], between versions: [CheckedModel]
    ) -> [Migration]? {
        for case .schema(let error?) in outcomes {
            let position = versions.last?.position(ofEntity: nil)
            if let position { diagnostics.append(Self.schemaFailure(error, at: position)) }
            return nil
        }
        for version in versions { refuseSteps(of: version) }
        guard !diagnostics.hasErrors else { return nil }
        var migrations: [Migration] = []
        for case .step(let migration, let found) in outcomes {
            diagnostics += found
            if let migration {
                migrations.append(migration)
            } else {
                // Nothing leads from before a step that cannot be taken.
                migrations = []
            }
        }
        return migrations
    }

    private static func programSteps(of version: CheckedModel) -> [ParsedElement] {
        let migration = version.parsed.root.children(named: "migration").first
        return migration?.children(named: "step") ?? []
    }

    /// Steps that the program supplies are held in the model; nothing runs them yet.
    private mutating func refuseSteps(of version: CheckedModel) {
        for step in Self.programSteps(of: version) {
            diagnostics.append(
                Diagnostic(
                    .notSupportedYet, "A migration with a step of the program cannot be run yet",
                    at: version.parsed.position(at: step.offset),
                    notes: ["Fills and drops can; so can two versions, one after the other"]))
        }
    }

    /// What to say of a version whose store cannot be made.
    static func schemaFailure(_ error: any Error, at position: SourcePosition) -> Diagnostic {
        Diagnostic(
            .unprovenMigration, "The schema fails on SQLite: \(line(of: error))", at: position,
            notes: ["No store of this model can be made here: change what the error names"])
    }

    /// Errors quote SQL, which has many lines, and of a large table thousands.
    private static func line(of error: any Error) -> String {
        let line = "\(error)".split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.count > 300 ? line.prefix(300) + " …" : line
    }

    /// Plans and proves a step; its problems are reported where the author can solve them.
    private mutating func plan(
        from old: CheckedModel, to new: CheckedModel, _ schemas: (old: Schema, new: Schema),
        isLast: Bool
    ) -> Migration? {
        do throws(MigrationProblems) {
            let migration = try Migration(from: old.model, to: new.model, schemas: schemas)
            // What has shipped asks of the rows what it asks.
            if isLast { warnAboutRows(from: old, to: new) }
            return prove(migration, from: old, to: new, schemas) ? migration : nil
        } catch {
            for problem in error.problems { report(problem, from: old, to: new) }
            return nil
        }
    }

    /// Plans and proves a step that has shipped in an Xcode bundle: nothing about it can be changed
    /// any more, so there are only warnings.
    private mutating func planShipped(
        from old: CheckedModel, to new: CheckedModel, _ schemas: (old: Schema, new: Schema)
    ) -> Migration? {
        let step = ShippedStep(from: old.model, to: new.model)
        let place = new.position(ofEntity: nil)
        let migration: Migration
        do throws(MigrationProblems) {
            migration = try Migration(from: old.model, to: step.target, schemas: schemas)
        } catch {
            diagnostics.append(
                Diagnostic(
                    .brokenChain,
                    "Stores of version '\(old.model.version)' and before cannot be migrated: the "
                        + "step to this version needs more than the two versions say",
                    at: place, notes: error.problems.prefix(3).map(\.message)))
            return nil
        }
        if !step.losses.isEmpty {
            diagnostics.append(
                Diagnostic(
                    .impliedDrop,
                    "The step from version '\(old.model.version)' loses data, as it did in "
                        + "Core Data: \(step.losses.joined(separator: ", "))",
                    at: place))
        }
        return prove(migration, from: old, to: new, schemas, isShipped: true) ? migration : nil
    }

    /// Runs a migration. One that has shipped, of which long chains have a hundred, is run with one
    /// set of rows.
    private mutating func prove(
        _ migration: Migration, from old: CheckedModel, to new: CheckedModel,
        _ schemas: (old: Schema, new: Schema), isShipped: Bool = false
    ) -> Bool {
        do {
            let proof = try MigrationProver.prove(
                from: old.model, to: new.model, schemas: schemas, migration: migration,
                seeds: isShipped ? 0..<1 : 0..<3, trials: isShipped ? 0 : 48, isBrief: isShipped)
            if proof.isEmpty, !isShipped {
                let migration = new.parsed.root.children(named: "migration").first
                diagnostics.append(
                    Diagnostic(
                        .emptyProof,
                        "The migration from version \(old.model.version) was proven on empty "
                            + "stores only: it refused all generated rows",
                        at: new.parsed.position(at: (migration ?? new.parsed.root).offset),
                        notes: [
                            "A store with rows that do not meet the new conditions cannot be "
                                + "opened; fill what they look at, or loosen them"
                        ]))
            }
            return true
        } catch {
            diagnostics.append(
                Diagnostic(
                    .unprovenMigration,
                    "The migration from version \(old.model.version) fails on SQLite: "
                        + Self.line(of: error),
                    at: new.position(ofEntity: nil),
                    notes: ["Change what the error names, or go there in two versions"]))
            return false
        }
    }

    /// At the entity or property in the newer file; what is only in the older one is reported at
    /// the newer file's migration, which is where the fix goes.
    private mutating func report(
        _ problem: MigrationProblem, from old: CheckedModel, to new: CheckedModel
    ) {
        let position =
            switch problem.side {
            case .new: new.position(ofEntity: problem.entity, property: problem.property)
            case .old: new.position(ofSuccessorOf: problem.entity)
            }
        let wording = Wording(new.parsed.format)
        let notes = problem.fixes.map { fix in
            wording.text(
                of: fix, from: old.model.version, to: new.model.version,
                hasMigration: !new.parsed.root.children(named: "migration").isEmpty,
                renamingID: { old.parsed.renamingID(of: $0, in: problem) })
        }
        diagnostics.append(
            Diagnostic(.undecidedMigration, problem.message, at: position, notes: notes))
    }
}

extension MigrationProver.Proof {
    /// Whether all generated rows were refused.
    fileprivate var isEmpty: Bool { rows == 0 && refusals > 0 }
}

/// What compiling a bundle gives.
package struct Compilation: Sendable {
    /// The result, or nil where there are errors.
    package let bundle: CompiledBundle?
    /// The generated Swift, where it was asked for and there are no errors.
    package let files: [SwiftFile]
    /// Everything to tell the author, by place.
    package let diagnostics: [Diagnostic]
}

/// A bundle without errors.
package struct CompiledBundle: Sendable {
    /// The model's name.
    package let name: String
    /// All versions, oldest first; there is at least one.
    package let versions: [CheckedModel]
    /// The statements that make an empty store of the current version.
    package let schema: [String]
    /// The steps from each version to the next.
    package let migrations: [Migration]

    /// One line that says what was found to be right.
    package var summary: String {
        let steps = migrations.count
        let proof =
            steps == 0
            ? "" : "; \(steps) migration\(steps == 1 ? "" : "s") proven on SQLite"
        return "\(name), version \(versions.last?.model.version ?? ""): no errors\(proof)"
    }
}
