import CambiumModel
import Foundation

/// What a check says of a bundle.
package struct BundleReport: Sendable, Codable {
    /// Everything to tell the author, by place.
    package let diagnostics: [Diagnostic]
    /// What there is to say of versions that have shipped, by place.
    package let notes: [Diagnostic]
    /// One line that says what was found to be right; nil where there are errors.
    package let summary: String?
    /// What is right and worth knowing.
    package let remarks: [String]

    /// Checks a bundle. One that was checked before, and not a byte of which has changed, is not
    /// even parsed.
    ///
    /// - Parameters:
    ///   - declarations: The file of declarations, where it does not lie beside the bundle.
    ///   - contents: What is in the bundle, where that is known.
    ///   - verdicts: What was found out before; nil finds out everything.
    package init(
        checking path: String, declarations: String? = nil, _ contents: BundleContents? = nil,
        verdicts: VerdictCache? = nil
    ) {
        let key = contents.flatMap { contents in
            verdicts?.key(of: "report", [path, declarations ?? "", contents.digest])
        }
        if let text = key.flatMap({ verdicts?.verdict(for: $0) }),
            let kept = try? JSONDecoder().decode(BundleReport.self, from: Data(text.utf8)),
            kept.summary != nil, !kept.diagnostics.hasErrors
        {
            self = kept
            return
        }
        let compilation = ModelCompiler.compile(
            path, declarations: declarations, verdicts: verdicts)
        diagnostics = compilation.diagnostics
        notes = compilation.notes
        summary = compilation.bundle?.summary
        remarks = compilation.bundle?.remarks ?? []
        // Somebody may have written to a file while it was read.
        guard summary != nil, let key, let data = try? JSONEncoder().encode(self),
            BundleContents(of: path, declarations: declarations)?.digest == contents?.digest
        else { return }
        verdicts?.keep(String(decoding: data, as: UTF8.self), for: key)
    }
}
