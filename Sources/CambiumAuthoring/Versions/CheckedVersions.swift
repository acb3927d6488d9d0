import CambiumCompiler
import CambiumModel

/// All versions of a bundle, also those after the current one, each checked by itself: for who reads
/// a store and needs to know what it holds, whatever becomes of the steps between the versions.
package struct CheckedVersions: Sendable {
    /// The versions without errors, oldest first.
    package let models: [Model]
    /// What is wrong with the others and with the bundle.
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
