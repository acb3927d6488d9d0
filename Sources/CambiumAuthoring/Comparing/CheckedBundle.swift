import CambiumCompiler
import CambiumModel

/// The versions of a bundle for a comparison, each checked by itself. The steps between them may be
/// impossible.
package struct CheckedBundle: Sendable {
    /// The model's name.
    package let name: String
    /// The versions up to the current one, oldest first; there is at least one.
    package let versions: [CheckedModel]
    /// The names of the frozen versions in the lock.
    private let frozen: Set<String>

    /// Reads and checks a bundle; proves no migrations.
    ///
    /// - Parameter declarations: The file of declarations about the steps between versions; nil
    ///   means the one beside the bundle, if it exists.
    /// - Returns: No bundle if one of the diagnostics is an error.
    package static func read(
        _ path: String, declarations: String? = nil
    ) -> (bundle: CheckedBundle?, diagnostics: [Diagnostic]) {
        let (bundle, readingDiagnostics) = BundleReader.read(path, declarations: declarations)
        let (versions, found, _) = ModelCompiler.check(bundle)
        let diagnostics = (readingDiagnostics + found).sortedByPlace()
        guard !diagnostics.hasErrors, !versions.isEmpty else { return (nil, diagnostics) }
        // A lock that cannot be read is a finding of a build.
        let lock = (try? LockFile.read(inBundle: bundle.path)) ?? nil
        return (
            CheckedBundle(
                name: bundle.name, versions: versions,
                frozen: Set((lock?.versions ?? [:]).keys)), diagnostics
        )
    }

    /// The reason why two versions cannot be compared.
    package enum Failure: Error {
        /// There is no version of that name; `known` contains the existing names.
        case unknownVersion(String, known: [String])
        /// The second version comes before the first.
        case wrongOrder
        /// There is only one version.
        case singleVersion

        /// The problem and how to fix it.
        package var message: String {
            switch self {
            case .unknownVersion(let name, let known):
                "There is no version '\(name)'. There are: \(known.joined(separator: ", "))."
            case .wrongOrder: "The older version comes first."
            case .singleVersion:
                "There is only one version, and nothing to compare it with; name another bundle."
            }
        }
    }

    /// The steps from one version to another. They are compared one by one, because each version
    /// declares names only for the step to the next one.
    ///
    /// - Parameters:
    ///   - from: The older version; nil means the one before the newer.
    ///   - to: The newer version; nil means the current one.
    package func difference(
        from: String? = nil, to: String? = nil
    ) throws(Failure) -> BundleDifference {
        let last = try to.map { name throws(Failure) in try index(of: name) } ?? versions.count - 1
        let first = try from.map { name throws(Failure) in try index(of: name) } ?? last - 1
        guard first >= 0 else { throw .singleVersion }
        guard first <= last else { throw .wrongOrder }
        let steps = (first..<last).map { index in
            VersionChanges(
                from: versions[index], to: versions[index + 1],
                after: Array(versions[..<index]),
                hasShipped: ShippedStep.hasShipped(
                    to: versions[index + 1], isLast: index + 2 == versions.count),
                isFrozen: frozen.contains(versions[index + 1].model.version), plans: true)
        }
        return BundleDifference(name: name, steps: steps)
    }

    /// The difference between a version of another bundle, such as the one of another branch, and
    /// one of this, taken as one step.
    ///
    /// - Parameters:
    ///   - other: The bundle with the older version.
    ///   - from: That version; nil takes its current one.
    ///   - to: The newer version; nil takes the current one.
    package func difference(
        from other: CheckedBundle, _ from: String? = nil, to: String? = nil
    ) throws(Failure) -> BundleDifference {
        let first =
            try from.map { name throws(Failure) in try other.index(of: name) }
            ?? other.versions.count - 1
        let last = try to.map { name throws(Failure) in try index(of: name) } ?? versions.count - 1
        let old = other.versions[first]
        let new = versions[last].ifDeclaring(from: old.model.version)
        return BundleDifference(
            name: name,
            steps: [VersionChanges(from: old, to: new, hasShipped: false, plans: true)])
    }

    private func index(of version: String) throws(Failure) -> Int {
        if let index = versions.firstIndex(where: { $0.model.version == version }) { return index }
        throw .unknownVersion(version, known: versions.map(\.model.version))
    }
}

extension CheckedModel {
    /// The version without its declarations, if they are about a step from a different version.
    fileprivate func ifDeclaring(from version: String) -> CheckedModel {
        guard let migration = model.migration, migration.from != version else { return self }
        return CheckedModel(
            model: model.declaring(nil), access: access, engines: engines, parsed: parsed)
    }
}
