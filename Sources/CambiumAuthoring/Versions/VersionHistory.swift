import CambiumCompiler
import CambiumMigration
import CambiumModel
import CambiumSQL

/// All versions of a bundle, including versions after the current version, and the steps between
/// the versions. This is sufficient to read a store of any version.
package struct VersionHistory: Sendable {
    /// Steps from one version to another.
    package struct Path: Sendable {
        /// The steps that can run, in order.
        package var migrations: [Migration] = []
        /// The version after each step, with declarations for everything that the step does,
        /// including implicit changes by Core Data.
        package var targets: [Model] = []
        /// The reason why no step starts from a version, by the version's name.
        package var blockers: [String: String] = [:]
    }

    /// All versions, the oldest first.
    package let versions: [Model]
    /// The name of the current version.
    package let current: String
    private let checked: [CheckedModel]
    private let verdicts: VerdictCache?

    /// Reads a bundle.
    ///
    /// - Parameters:
    ///   - path: The bundle's folder.
    ///   - declarations: The file that declares the effects of steps; nil means the one beside the
    ///     bundle.
    ///   - verdicts: The results of earlier proofs.
    /// - Returns: The history, or nil if a version up to the current one has errors; and these
    ///   errors.
    package static func read(
        _ path: String, declarations: String? = nil, verdicts: VerdictCache? = nil
    ) -> (history: VersionHistory?, errors: [Diagnostic]) {
        let (bundle, found) = BundleReader.read(path, declarations: declarations)
        let (versions, wrong, _) = ModelCompiler.check(bundle)
        let errors = (found + wrong).filter(\.isError)
        guard errors.isEmpty, let current = versions.last?.model.version else {
            return (nil, errors.sortedByPlace())
        }
        // Versions after the current one are left out if they have errors.
        let whole = bundle.withLaterVersions
        let all =
            bundle.chain.count == whole.chain.count ? versions : ModelCompiler.check(whole).versions
        return (VersionHistory(all, current: current, verdicts: verdicts), [])
    }

    private init(_ checked: [CheckedModel], current: String, verdicts: VerdictCache?) {
        self.checked = checked
        self.current = current
        self.verdicts = verdicts
        versions = checked.map(\.model)
    }

    /// Plans and proves the steps from one version to another. A step with undecided changes does
    /// the same as Core Data did.
    package func path(from first: String, to last: String) -> Path {
        guard let start = versions.firstIndex(where: { $0.version == first }),
            let end = versions.firstIndex(where: { $0.version == last }), start < end
        else { return Path() }
        let part = Array(checked[start...end])
        let schemas = ModelCompiler.schemas(of: part)
        let subject = ProofSubject(part, schemas, verdicts)
        let steps = Array(part.indices.dropFirst()).concurrentMap { index in
            step(subject.step(to: index))
        }
        var path = Path()
        for (version, step) in zip(part, steps) {
            switch step {
            case .success(let step):
                path.migrations.append(step.migration)
                path.targets.append(step.target)
            case .failure(let blocker): path.blockers[version.model.version] = blocker.reason
            }
        }
        return path
    }

    private struct Blocker: Error {
        let reason: String
    }

    private func step(
        _ step: ProofSubject.Step
    ) -> Result<(migration: Migration, target: Model), Blocker> {
        let compiler = ModelCompiler(verdicts: verdicts)
        // Core Data never ran the step to the current version. Data that disappears there without a
        // declaration is an error, as in a build.
        let isShipped = step.new.parsed.isOfXcode && step.new.model.version != current
        let found =
            isShipped
            ? compiler.planShipped(step) : compiler.plan(step).map { ($0, step.new.model) }
        if let code = found?.migration.codeSteps, !code.isEmpty {
            return .failure(
                Blocker(
                    reason: "the step to '\(step.new.model.version)' runs code of the program ("
                        + code.joined(separator: ", ") + ")"))
        }
        if let found { return .success(found) }
        let reason = compiler.diagnostics.first
        let words = ([reason?.message] + (reason?.notes.prefix(2).map { $0 } ?? [])).compactMap(
            \.self)
        return .failure(Blocker(reason: words.joined(separator: "; ")))
    }
}
