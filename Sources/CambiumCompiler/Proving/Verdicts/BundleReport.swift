import CambiumModel
import Foundation

/// What a check says of a bundle.
package struct BundleReport: Sendable {
    /// Everything to tell the author, by place.
    package let diagnostics: [Diagnostic]
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
            let kept = BundleReport(text: text)
        {
            self = kept
            return
        }
        let compilation = ModelCompiler.compile(
            path, declarations: declarations, verdicts: verdicts)
        diagnostics = compilation.diagnostics
        summary = compilation.bundle?.summary
        remarks = compilation.bundle?.remarks ?? []
        // Somebody may have written to a file while it was read.
        guard summary != nil, let key, let text,
            BundleContents(of: path, declarations: declarations)?.digest == contents?.digest
        else { return }
        verdicts?.keep(text, for: key)
    }
}

// MARK: As text

extension BundleReport {
    private struct Form: Codable {
        struct Finding: Codable {
            let code: Int
            let message: String
            let path: String
            let line: Int
            let column: Int
            let notes: [String]
        }

        let summary: String
        let remarks: [String]
        let findings: [Finding]
    }

    private init?(text: String) {
        guard let form = try? JSONDecoder().decode(Form.self, from: Data(text.utf8)) else {
            return nil
        }
        diagnostics = form.findings.compactMap { finding in
            DiagnosticCode(rawValue: finding.code).map { code in
                Diagnostic(
                    code, finding.message,
                    at: SourcePosition(
                        path: finding.path, line: finding.line, column: finding.column),
                    notes: finding.notes)
            }
        }
        guard diagnostics.count == form.findings.count, !diagnostics.hasErrors else { return nil }
        summary = form.summary
        remarks = form.remarks
    }

    private var text: String? {
        guard let summary else { return nil }
        let form = Form(
            summary: summary, remarks: remarks,
            findings: diagnostics.map { diagnostic in
                let position = diagnostic.position
                return Form.Finding(
                    code: diagnostic.code.rawValue, message: diagnostic.message,
                    path: position.path, line: position.line, column: position.column,
                    notes: diagnostic.notes)
            })
        guard let data = try? JSONEncoder().encode(form) else { return nil }
        return String(bytes: data, encoding: .utf8)
    }
}
