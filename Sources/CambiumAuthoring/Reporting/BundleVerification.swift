import CambiumCompiler
import CambiumMaintenance
import CambiumMigration
import CambiumModel
import Foundation

/// The results of the proofs of all steps of a bundle.
package struct BundleVerification: Sendable {
    /// The errors that prevent the verification, and findings for the author.
    package let diagnostics: [Diagnostic]
    /// The result of each step; nil if a version has errors.
    package let report: VerifyReport?

    /// Proves all steps of a bundle. If all of them were proven before and the bundle is unchanged
    /// byte for byte, it is not even parsed.
    ///
    /// - Parameters:
    ///   - declarations: The file of declarations, if it is not beside the bundle.
    ///   - verdicts: The results of earlier proofs; nil proves everything again.
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

/// A stored report of a verification without problems.
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
