import CambiumCompiler
import CambiumModel

/// All versions of a bundle, also the ones after the current one, each checked by itself. It serves
/// to read a store, independent of the steps between the versions.
package struct CheckedVersions: Sendable {
    /// The versions without errors, oldest first.
    package let models: [Model]
    /// The errors of the other versions and of the bundle.
    package let diagnostics: [Diagnostic]

    /// Reads and checks a bundle.
    package init(of path: String) {
        let (bundle, found) = BundleReader.read(path)
        var diagnostics = found.filter(\.isError)
        models = bundle.withLaterVersions.chain.compactMap { parsed in
            let (checked, found) = ModelChecker.check(
                parsed.with(migration: nil), bundleName: bundle.name, previousVersion: nil,
                previous: nil, isCurrent: false)
            diagnostics += found.filter(\.isError)
            return checked?.model
        }
        self.diagnostics = diagnostics
    }
}
