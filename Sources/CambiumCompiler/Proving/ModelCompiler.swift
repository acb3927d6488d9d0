import CambiumMigration
import CambiumModel
import CambiumSQL

/// The whole way from a bundle to what the tool writes: read, check, plan, prove, emit.
package struct ModelCompiler {
    var diagnostics: [Diagnostic] = []
    /// What was proven before, where that is asked for.
    let verdicts: VerdictCache?

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
    ///   - verdicts: What was proven before, which is not proven again; nil proves everything.
    package static func compile(
        _ path: String, checksLock: Bool = true, emits: Bool = false, verdicts: VerdictCache? = nil
    ) -> Compilation {
        var compiler = ModelCompiler(verdicts: verdicts)
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
        let (versions, found) = Self.check(bundle)
        diagnostics += found
        if checksLock { diagnostics += LockChecker.check(bundle, versions) }
        guard !diagnostics.hasErrors else { return nil }
        return produce(
            versions, of: bundle.name, emits: emits,
            keepsEarlierVersions: bundle.settings.keepsEarlierVersions)
    }

    /// Checks all versions that stores go through; those with errors are left out.
    static func check(
        _ bundle: ParsedBundle
    ) -> (versions: [CheckedModel], diagnostics: [Diagnostic]) {
        var diagnostics: [Diagnostic] = []
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
        return (versions, diagnostics)
    }

    /// Plans, proves and emits versions that are right each for itself.
    private mutating func produce(
        _ versions: [CheckedModel], of name: String, emits: Bool, keepsEarlierVersions: Bool
    ) -> (bundle: CompiledBundle, files: [SwiftFile])? {
        guard let current = versions.last else { return nil }
        // Classes need no tables, and no proof looks at them: each waits only for what it needs.
        var emitter = emits ? SwiftEmitter(of: current, bundle: name) : nil
        if keepsEarlierVersions { emitter?.earlierVersions = versions.dropLast().map(\.model) }
        // Each version's tables are laid out once, for the step to it and the step from it.
        let (chains, classes) = concurrentMap(
            [versions], { Self.schemas(of: $0) },
            emitter.map { emitter in emitter.entities.map { (emitter, $0) } } ?? [],
            { emitter, entity in emitter.text(of: entity) })
        guard let chain = chains.first, let schema = chain.last else { return nil }
        emitter?.schema = schema.statements
        let subject = ProofSubject(versions, chain, verdicts)
        guard let proofs = proofs(of: subject) else { return nil }
        let (texts, outcomes) = concurrentMap(
            emitter?.textsBesideClasses ?? [], { $0() },
            proofs, { proof in Self.outcome(of: proof, subject) })
        guard let proven = migrations(of: outcomes, between: versions) else { return nil }
        let migrations = proven.noting(chain)
        subject.keepSchema()
        emitter?.migrations = migrations
        return (
            CompiledBundle(
                name: name, versions: versions, schema: schema.statements,
                migrations: migrations,
                emptyProofs: diagnostics.count { $0.code == .emptyProof }),
            emitter?.files(classes: classes, besideClasses: texts) ?? []
        )
    }

    /// The tables of each version. One version after the other is less work than all at a time:
    /// most tables are those of the version before.
    static func schemas(of versions: [CheckedModel]) -> [Schema] {
        var schemas: [Schema] = []
        var previous: (model: Model, schema: Schema)?
        for version in versions {
            let schema = Schema(of: version.model, after: previous)
            schemas.append(schema)
            previous = (version.model, schema)
        }
        return schemas
    }
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
