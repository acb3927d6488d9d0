import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumSQL

/// Compiles a bundle into the output of the tool: read, check, plan, prove, emit.
package final class ModelCompiler {
    package var diagnostics: [Diagnostic] = []
    /// The findings about versions that have shipped.
    var notes: [Diagnostic] = []
    /// The results of earlier proofs, if they are to be used.
    let verdicts: VerdictCache?
    /// The result of each step, the oldest first.
    var steps: [VerifyReport.Step] = []
    /// The model and its current version, if all versions are valid by themselves.
    var current: Compilation.Current?
    /// The counts of the last proof.
    var lastProof: (proof: MigrationProver.Proof, seconds: Double, isRemembered: Bool)?

    /// Starts without findings.
    package init(verdicts: VerdictCache?) {
        self.verdicts = verdicts
    }

    /// Compiles a bundle.
    ///
    /// The diagnostics contain all problems of all versions. There is a result only if none is an
    /// error. The cost grows with the number of versions: each step from one to the next is run on
    /// an SQLite in memory.
    ///
    /// - Parameters:
    ///   - path: The bundle's folder.
    ///   - declarations: The file of declarations about the steps between versions; nil means the
    ///     one beside the bundle, if it exists.
    ///   - checksLock: Whether frozen versions have to be unchanged.
    ///   - emits: Whether to generate the Swift too.
    ///   - engine: The engine of the stores.
    ///   - verdicts: The results of earlier proofs, which are not repeated; nil proves everything.
    package static func compile(
        _ path: String, declarations: String? = nil, checksLock: Bool = true, emits: Bool = false,
        engine: CheckedEngine = .sqlite, verdicts: VerdictCache? = nil
    ) -> Compilation {
        let compiler = ModelCompiler(verdicts: verdicts)
        let result = compiler.compile(
            path, declarations, checksLock: checksLock, emits: emits, engine)
        let hasErrors = compiler.diagnostics.hasErrors
        return Compilation(
            bundle: hasErrors ? nil : result?.bundle, files: hasErrors ? [] : result?.files ?? [],
            diagnostics: compiler.diagnostics.sortedByPlace(),
            notes: compiler.notes.sortedByPlace(), current: compiler.current,
            steps: compiler.steps)
    }

    private func compile(
        _ path: String, _ declarations: String?, checksLock: Bool, emits: Bool,
        _ engine: CheckedEngine
    ) -> (bundle: CompiledBundle, files: [SwiftFile])? {
        let (bundle, readingDiagnostics) = BundleReader.read(path, declarations: declarations)
        let (versions, found, notes) = Self.check(bundle, engine)
        diagnostics = readingDiagnostics + found
        self.notes = notes
        if checksLock { diagnostics += LockChecker.check(bundle, versions) }
        let result =
            diagnostics.hasErrors
            ? nil
            : produce(
                versions, of: bundle.name, frozen: Self.frozenVersions(of: bundle), emits: emits,
                keepsEarlierVersions: bundle.settings.keepsEarlierVersions)
        settle(bundle, isComplete: result != nil)
        return result
    }

    /// Checks all versions of a store's history. The result does not contain versions with errors.
    /// If a version has shipped, everything except errors is a note.
    package static func check(
        _ bundle: ParsedBundle, _ engine: CheckedEngine = .sqlite
    ) -> (versions: [CheckedModel], diagnostics: [Diagnostic], notes: [Diagnostic]) {
        var diagnostics = HistoryChecker.check(bundle)
        var notes = bundle.notes
        var versions: [CheckedModel] = []
        var previous: CheckedModel?
        let chain = bundle.chain
        for (index, parsed) in chain.enumerated() {
            let previousVersion = index > 0 ? chain[index - 1].version : nil
            // Warnings about valid but harmful declarations are only useful for the version that
            // has not shipped: the current one.
            let isCurrent = index == chain.count - 1
            let (model, found) = ModelChecker.check(
                parsed, bundleName: bundle.name, previousVersion: previousVersion,
                previous: previous, isCurrent: isCurrent, engine: engine)
            let (reported, remarks) = found.settled(isCurrent: isCurrent)
            diagnostics += reported
            notes += remarks
            previous = model
            if let model { versions.append(model) }
        }
        return (versions, diagnostics, notes)
    }

    /// The names of the versions that have shipped and cannot be changed any more: versions in the
    /// lock, and all versions of Xcode except the current one.
    package static func frozenVersions(of bundle: ParsedBundle) -> Set<String> {
        // A lock file that cannot be read is a separate finding.
        let lock = (try? LockFile.read(inBundle: bundle.path)) ?? nil
        let shipped = bundle.chain.dropLast().filter { $0.isOfXcode }.map { $0.version }
        return Set(lock?.versions.keys.map { $0 } ?? []).union(shipped)
    }

    /// Removes suppressed diagnostics, and diagnostics about versions that cannot be changed any
    /// more.
    private func settle(_ bundle: ParsedBundle, isComplete: Bool) {
        let chain = bundle.chain
        let (kept, unused) = Suppressions(in: chain).applied(to: diagnostics)
        diagnostics = kept
        // If the checks are incomplete, it is unknown whether a suppression is unnecessary.
        if isComplete { diagnostics += unused }
        guard let current = chain.last?.version,
            let lock = try? LockFile.read(inBundle: bundle.path), lock.versions[current] != nil
        else { return }
        // The step to a version that has shipped is the step that it is.
        diagnostics.removeAll { $0.code.isOfLint && $0.code.subject != .suppression }
    }

    /// Plans, proves and emits versions that are valid by themselves.
    private func produce(
        _ versions: [CheckedModel], of name: String, frozen: Set<String>, emits: Bool,
        keepsEarlierVersions: Bool
    ) -> (bundle: CompiledBundle, files: [SwiftFile])? {
        guard let current = versions.last else { return nil }
        self.current = Compilation.Current(name: name, version: current.model.version)
        // The classes do not need the tables or the proofs, so they are emitted in parallel.
        let models = versions.map { $0.model }
        let emitter =
            emits
            ? SwiftEmitter(
                model: current.model, bundle: "\(name).cambium", access: current.access,
                lines: SourceLines(of: current),
                steppedMigrations: SteppedMigration.all(between: models),
                earlierVersions: keepsEarlierVersions ? models.dropLast() : [],
                isFrozen: frozen.contains(current.model.version), engines: current.engines,
                earlierDrafts: models.dropLast().filter { !frozen.contains($0.version) }) : nil
        // Each version's tables are laid out once, for the step to it and the step from it.
        let (chains, classes) = concurrentMap(
            [versions], { Self.schemas(of: $0) },
            emitter.map { emitter in emitter.entities.map { (emitter, $0) } } ?? [],
            { emitter, entity in emitter.text(of: entity) })
        guard let chain = chains.first, let schema = chain.last else { return nil }
        let subject = ProofSubject(versions, chain, verdicts)
        guard let proofs = proofs(of: subject) else { return nil }
        let (texts, outcomes) = concurrentMap(
            emitter?.textsBesideClasses(schema.statements) ?? [], { $0() },
            proofs, { proof in Self.outcome(of: proof, subject) })
        guard let proven = migrations(of: outcomes, between: versions) else { return nil }
        let migrations = proven.noting(chain)
        guard let onServer = serverMigrations(between: versions.suffix(proven.count + 1)) else {
            return nil
        }
        subject.keepSchema()
        return (
            CompiledBundle(
                name: name, versions: versions, schema: schema.statements,
                migrations: migrations, serverMigrations: onServer, frozen: frozen,
                emptyProofs: diagnostics.count { $0.code == .emptyProof }),
            emitter?.files(
                classes: classes, besideClasses: texts, migrations, onServer: onServer) ?? []
        )
    }

    /// The tables of each version. The versions are laid out one after another, because most tables
    /// are the same as in the version before. This is less work than a layout in parallel.
    package static func schemas(of versions: [CheckedModel]) -> [Schema] {
        var schemas: [Schema] = []
        var previous: (model: Model, schema: Schema)?
        for version in versions {
            let schema = Schema(of: version.model, after: previous)
            schemas.append(schema)
            previous = (version.model, schema)
        }
        return schemas
    }

    /// The result of a step, from a compiler that has only examined this step.
    ///
    /// - Parameter migration: The step's migration; nil if it could not be planned, or fails.
    @inline(never)
    package func report(
        on migration: Migration?, from old: CheckedModel, to new: CheckedModel
    ) -> VerifyReport.Step {
        // Warnings are reasons only if there are no errors.
        let reasons = diagnostics.filter { $0.isError || $0.code == .brokenChain }
        let isUndecided = migration == nil && reasons.contains { $0.code == .undecidedMigration }
        // The notes of these two codes contain the remedy.
        let words = reasons.map { reason in
            let hasRemedy = [.brokenChain, .undecidedMigration].contains(reason.code)
            let notes = hasRemedy ? reason.notes : []
            return ([reason.message] + notes).joined(separator: isUndecided ? ". " : "; ")
        }
        return VerifyReport.Step(
            from: old.model.version, to: new.model.version,
            // A step that cannot be planned needs more than the models declare.
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

/// The result of compiling a bundle.
package struct Compilation: Sendable {
    /// The compiled bundle, or nil if there are errors.
    package let bundle: CompiledBundle?
    /// The generated Swift, if it was requested and there are no errors.
    package let files: [SwiftFile]
    /// Everything to tell the author, by place.
    package let diagnostics: [Diagnostic]
    /// Findings about versions that have shipped, by position.
    package let notes: [Diagnostic]
    /// The model and its current version; nil if a version has errors of its own.
    package let current: Current?
    /// The result of each step from a version to the next, the oldest first; empty if a version has
    /// errors.
    package let steps: [VerifyReport.Step]

    /// A model and the version that programs have.
    package struct Current: Sendable {
        /// The model's name.
        package let name: String
        /// The version's name.
        package let version: String
    }
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
    /// The migrations on PostgreSQL. The array is empty if the current version does not name this
    /// engine.
    package var serverMigrations: [Migration] = []
    /// The names of the versions that have shipped.
    package var frozen: Set<String> = []
    /// The number of steps that were proven without rows, or with too few rows of an entity.
    package var emptyProofs = 0
}

extension ModelCompiler {
    /// The remedy for objects with equal unique values, or objects that become equal when their
    /// destinations are merged.
    func remedy(
        forEqualsIn properties: [String], of name: String, in model: Model,
        _ difference: ModelDifference, _ place: String
    ) -> String {
        let list = properties.joined(separator: " ")
        let isDeclared = model.deduplication(by: properties, of: name) != nil
        guard let entity = model.entity(named: name) else { return "" }
        let merges =
            isDeclared
            ? difference.lateMerges(by: properties, of: entity)
            : difference.earlierMerges(by: properties, of: entity)
        if let mutual = merges.first(where: {
            difference.isMutual($0, by: properties, of: entity)
        }) {
            return """
                Objects of \(name) and of \(mutual.entity) become equal by each other, and no \
                order of the two is right: delete them in a step, or with the program before this \
                version, unless there are none
                """
        }
        let others = merges.map {
            """
            that of \($0.entity) by \($0.properties.joined(separator: " ")), which \
            '\($0.relationship)' references
            """
        }.joined(separator: ", and ")
        if isDeclared {
            return """
                Move the <deduplicate> of \(name) by \(list) after \(others), unless no two \
                objects become equal
                """
        }
        return """
            Declare in \(place) which of them is kept, as in <deduplicate \
            entity=\"\(name)\" by=\"\(list)\" reason=\"…\"/>
            """
                + (others.isEmpty ? "" : " after \(others)")
                + ", or add a property that differs, unless no two objects are equal in it"
    }
}
