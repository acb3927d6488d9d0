import CambiumCompiler
import CambiumModel
import CambiumPostgresSQL
import Foundation

/// The result of checking a bundle.
package struct BundleReport: Sendable {
    /// Everything to tell the author, by place.
    package let diagnostics: [Diagnostic]
    /// The findings about versions that have shipped, by place.
    package let notes: [Diagnostic]
    /// One line that summarizes the successful checks; nil if there are errors.
    package let summary: String?
    /// Remarks that are not problems.
    package let remarks: [String]

    /// Checks a bundle. If it was checked before and is unchanged byte for byte, it is not even
    /// parsed.
    ///
    /// - Parameters:
    ///   - declarations: The file of declarations, if it is not beside the bundle.
    ///   - contents: The content of the bundle, if known.
    ///   - engine: The engine of the stores.
    ///   - verdicts: The results of earlier checks; nil checks everything again.
    package init(
        checking path: String, declarations: String? = nil, _ contents: BundleContents? = nil,
        engine: CheckedEngine = .sqlite, verdicts: VerdictCache? = nil
    ) {
        let key = contents.flatMap { contents in
            verdicts?.key(
                of: "report", [path, declarations ?? "", contents.digest, engine.rawValue])
        }
        if let text = key.flatMap({ verdicts?.verdict(for: $0) }),
            let kept = try? JSONDecoder().decode(KeptReport.self, from: Data(text.utf8)).report,
            kept.summary != nil, !kept.diagnostics.hasErrors
        {
            self = kept
            return
        }
        let compilation = ModelCompiler.compile(
            path, declarations: declarations, engine: engine, verdicts: verdicts)
        diagnostics = compilation.diagnostics
        notes = compilation.notes
        summary = compilation.bundle?.summary
        remarks = compilation.bundle?.remarks(for: engine) ?? []
        // Somebody may have written to a file while it was read.
        guard summary != nil, let key, let data = try? JSONEncoder().encode(KeptReport(self)),
            BundleContents(of: path, declarations: declarations)?.digest == contents?.digest
        else { return }
        verdicts?.keep(String(decoding: data, as: UTF8.self), for: key)
    }
}

extension BundleReport {
    fileprivate init(
        diagnostics: [Diagnostic], notes: [Diagnostic], summary: String?, remarks: [String]
    ) {
        self.diagnostics = diagnostics
        self.notes = notes
        self.summary = summary
        self.remarks = remarks
    }
}

/// The stored form of a report.
private struct KeptReport: Codable {
    let diagnostics: [KeptDiagnostic]
    let notes: [KeptDiagnostic]
    let summary: String?
    let remarks: [String]

    init(_ report: BundleReport) {
        diagnostics = report.diagnostics.map(KeptDiagnostic.init)
        notes = report.notes.map(KeptDiagnostic.init)
        summary = report.summary
        remarks = report.remarks
    }

    /// The report; nil if it contains a value that is unknown to this version.
    var report: BundleReport? {
        let (found, noted) = (diagnostics.compactMap(\.diagnostic), notes.compactMap(\.diagnostic))
        guard found.count == diagnostics.count, noted.count == notes.count else { return nil }
        return BundleReport(
            diagnostics: found, notes: noted, summary: summary, remarks: remarks)
    }
}

private struct KeptDiagnostic: Codable {
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
        guard let code = DiagnosticCode(rawValue: code), let severity = Severity(rawValue: severity)
        else { return nil }
        return Diagnostic(
            code, message, at: SourcePosition(path: path, line: line, column: column), notes: notes,
            severity: severity)
    }
}

extension CompiledBundle {
    /// One line that summarizes the successful checks.
    package var summary: String {
        let steps = migrations.count
        var proof =
            steps == 0
            ? "" : "; \(steps) migration\(steps == 1 ? "" : "s") proven on SQLite"
        if emptyProofs > 0 {
            proof += emptyProofs == steps ? "," : ", \(emptyProofs) of them"
            proof += " not with two rows of every entity"
        }
        return "\(name), version \(versions.last?.model.version ?? ""): no errors\(proof)"
    }

    /// Remarks that are not problems, a line each: the rules that only a save checks, and the
    /// values that the program's own migration steps have to fill.
    package func remarks(for engine: CheckedEngine = .sqlite) -> [String] {
        guard let model = versions.last?.model else { return [] }
        return steppedRemarks
            + model.entities.flatMap { entity in
                entity.rules.filter { rule in
                    switch engine {
                    case .sqlite: !model.isEnforcedByStore(rule, of: entity)
                    case .postgres: model.postgresCheck(of: rule, of: entity) == nil
                    }
                }.map { rule in
                    "The rule \(entity.name).\(rule.name) is checked on save; the store cannot"
                }
            } + (engine == .postgres ? model.postgresRemarks : [])
    }

    private var steppedRemarks: [String] {
        SteppedMigration.all(between: versions.map(\.model)).map { stepped in
            let names = stepped.coverage.steps.map(\.name).joined(separator: ", ")
            let values = stepped.coverage.supplied.map(\.name).joined(separator: ", ")
            return
                "The migration from version \(stepped.old.version) to \(stepped.new.version) runs "
                + "\(names) of the program"
                + (values.isEmpty ? "" : ", which must fill \(values)")
                + ": prove it with \(name).verifyMigrations"
        }
    }
}
