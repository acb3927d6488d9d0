import CambiumCompiler
import CambiumMaintenance
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
            BundleContents(of: path, declarations: declarations)?.digest == contents?.digest
        else { return }
        verdicts?.keep(report.json, for: key)
    }
}

/// A report whose steps are all right, as it was kept.
extension VerifyReport: Decodable {
    private enum Member: String, CodingKey {
        case model, version, steps
    }

    package init(from decoder: any Decoder) throws {
        let report = try decoder.container(keyedBy: Member.self)
        self.init(
            model: try report.decode(String.self, forKey: .model),
            version: try report.decode(String.self, forKey: .version),
            steps: try report.decode([Step].self, forKey: .steps))
    }
}

extension VerifyReport.Step: Decodable {
    private enum Member: String, CodingKey {
        case from, to, `class`, losesData, codeSteps, isCodeProven
        case rowsIn, rowsOut, refusals, rowless
    }

    package init(from decoder: any Decoder) throws {
        let step = try decoder.container(keyedBy: Member.self)
        self.init(
            from: try step.decode(String.self, forKey: .from),
            to: try step.decode(String.self, forKey: .to),
            kind: MigrationKind(rawValue: try step.decode(String.self, forKey: .class)),
            losesData: try step.decode(Bool.self, forKey: .losesData),
            codeSteps: try step.decode([String].self, forKey: .codeSteps),
            rowsIn: try step.decode(Int.self, forKey: .rowsIn),
            rowsOut: try step.decode(Int.self, forKey: .rowsOut),
            refusals: try step.decode(Int.self, forKey: .refusals),
            rowless: try step.decodeIfPresent([String].self, forKey: .rowless) ?? [])
        isCodeProven = try step.decode(Bool.self, forKey: .isCodeProven)
    }
}
