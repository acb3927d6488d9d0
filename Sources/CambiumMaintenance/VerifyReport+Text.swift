import CambiumMigration
import CambiumModel
import CambiumPlan

extension VerifyReport: MigrationReport {
    package var members: ReportValue {
        .object([
            "model": .text(model), "version": .text(version),
            "steps": .list(steps.map(\.members)), "isProven": .flag(isProven),
            "lacksRows": .flag(lacksRows),
        ])
    }

    package var text: String {
        let title = "\(model), version \(version): "
        guard !steps.isEmpty else { return title + "there is one version, and nothing to prove\n" }
        let failed = steps.count { $0.failure != nil }
        let scarce = steps.count(where: \.lacksRows)
        let verdict =
            (failed == 0
                ? "\(steps.count.counted("step")) proven"
                : "\(failed) of \(steps.count.counted("step")) not proven")
            + (scarce == 0 ? "" : ", \(scarce) without two rows of every entity")
        let table = ReportText.table(
            ["From", "To", "Class", "Rows in", "Rows out", "Time", "Verdict"],
            steps.map { step in
                [
                    step.from, step.to,
                    step.kind?.words(losesData: step.losesData) ?? step.class,
                    "\(step.rowsIn)", "\(step.rowsOut)",
                    step.isRemembered ? "before" : ReportText.seconds(step.seconds),
                    Self.verdict(on: step),
                ]
            })
        let failures = steps.compactMap { step in
            step.failure.map { "error: \(step.from) → \(step.to): \($0)\n" }
        }
        return title + verdict + "\n" + table + failures.joined()
    }

    private static func verdict(on step: Step) -> String {
        if step.kind == nil { return "to be declared" }
        if step.failure != nil { return "fails" }
        let names = step.codeSteps.joined(separator: ", ")
        let code = names.isEmpty ? "" : step.isCodeProven ? " with \(names)" : " around \(names)"
        if step.refusals > 0, step.rowsIn == 0 { return "proven on an empty store" + code }
        let missing =
            step.rowless.map { " without two rows of " + $0.joined(separator: ", ") } ?? ""
        return "proven" + code + missing
    }
}

extension VerifyReport.Step {
    /// The class as a value; nil if the model does not define the step completely.
    fileprivate var kind: MigrationKind? { MigrationKind(rawValue: self.class) }

    fileprivate var members: ReportValue {
        .object([
            "from": .text(from), "to": .text(to), "class": .text(self.class),
            "losesData": .flag(losesData), "codeSteps": .texts(codeSteps),
            "isCodeProven": .flag(isCodeProven), "rowsIn": .number(rowsIn),
            "rowsOut": .number(rowsOut), "refusals": .number(refusals),
            "rowless": rowless.map(ReportValue.texts) ?? .text(nil),
            "seconds": .fraction(seconds), "isRemembered": .flag(isRemembered),
            "failure": .text(failure),
        ])
    }
}
