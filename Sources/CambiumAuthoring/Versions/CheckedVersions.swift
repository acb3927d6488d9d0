import CambiumCompiler
import CambiumModel

/// All versions of a bundle, including versions after the current version. Each is checked by
/// itself, without the steps between the versions. This is sufficient to read a store.
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
