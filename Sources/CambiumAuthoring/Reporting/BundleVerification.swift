import CambiumCompiler
import CambiumMigration
import CambiumModel
import Foundation

/// What the proofs of all steps of a bundle have shown.
package struct BundleVerification: Sendable {
    /// Everything that keeps the steps from being looked at, and what the author should know.
    package let diagnostics: [Diagnostic]
    /// What was found out about each step; nil where a version has errors.
    package let report: VerifyReport?

    /// Proves all steps of a bundle. One whose steps were all proven before, and not a byte of which
    /// has changed, is not even parsed.
    ///
    /// - Parameters:
    ///   - declarations: The file of declarations, where it does not lie beside the bundle.
    ///   - verdicts: What was found out before; nil finds out everything.
    package init(of path: String, declarations: String? = nil, verdicts: VerdictCache? = nil) {
        let contents =
            verdicts == nil ? nil : BundleContents(of: path, declarations: declarations)
        let key = contents.flatMap { contents in
            verdicts?.key(of: "verification", [path, declarations ?? "", contents.digest])
        }
        if let text = key.flatMap({ verdicts?.verdict(for: $0) }),
            let kept = try? JSONDecoder().decode(VerifyReport.self, from: Data(text.utf8))
        {
            diagnostics = []
            report = kept.remembered
            return
        }
        let compilation = ModelCompiler.compile(
            path, declarations: declarations, verdicts: verdicts)
        diagnostics = compilation.diagnostics
        guard let current = compilation.current else {
            report = nil
            return
        }
        let report = VerifyReport(
            model: current.name, version: current.version, steps: compilation.steps)
        self.report = report
        // Somebody may have written to a file while it was read.
        guard report.isProven, compilation.bundle != nil, let key,
            BundleContents(of: path, declarations: declarations)?.digest == contents?.digest,
            let data = try? JSONEncoder().encode(report)
        else { return }
        verdicts?.keep(String(decoding: data, as: UTF8.self), for: key)
    }
}
