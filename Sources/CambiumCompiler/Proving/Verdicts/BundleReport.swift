import CambiumModel
import Foundation

/// What a check says of a bundle.
package struct BundleReport: Sendable {
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
            let kept = BundleReport(text: text)
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
            let severity: String
            let message: String
            let path: String
            let line: Int
            let column: Int
            let notes: [String]

            init(_ diagnostic: Diagnostic) {
                code = diagnostic.code.rawValue
                severity = diagnostic.severity.rawValue
                message = diagnostic.message
                path = diagnostic.position.path
                line = diagnostic.position.line
                column = diagnostic.position.column
                notes = diagnostic.notes
            }

            var diagnostic: Diagnostic? {
                guard let code = DiagnosticCode(rawValue: code),
                    let severity = Severity(rawValue: severity)
                else { return nil }
                return Diagnostic(
                    code, message, at: SourcePosition(path: path, line: line, column: column),
                    notes: notes, severity: severity)
            }
        }

        let summary: String
        let remarks: [String]
        let findings: [Finding]
        let notes: [Finding]
    }

    private init?(text: String) {
        guard let form = try? JSONDecoder().decode(Form.self, from: Data(text.utf8)) else {
            return nil
        }
        diagnostics = form.findings.compactMap(\.diagnostic)
        notes = form.notes.compactMap(\.diagnostic)
        guard diagnostics.count == form.findings.count, notes.count == form.notes.count,
            !diagnostics.hasErrors
        else { return nil }
        summary = form.summary
        remarks = form.remarks
    }

    private var text: String? {
        guard let summary else { return nil }
        let form = Form(
            summary: summary, remarks: remarks,
            findings: diagnostics.map(Form.Finding.init), notes: notes.map(Form.Finding.init))
        guard let data = try? JSONEncoder().encode(form) else { return nil }
        return String(bytes: data, encoding: .utf8)
    }
}
