import CambiumPlan

/// What proofs of the steps of a model have shown.
package struct VerifyReport: MigrationReport, Sendable {
    /// One step from a version to the next.
    package struct Step: Sendable {
        /// The version that it starts from.
        package let from: String
        /// The version that it migrates to.
        package let to: String
        /// Its class; `undecided` where the model says too little for a step.
        package let `class`: String
        /// Whether data is deleted or becomes less exact, which a graver class does not tell.
        package let losesData: Bool
        /// The program's own steps in it.
        package let codeSteps: [String]
        /// Whether those were proven too, and not only what is around them.
        package var isCodeProven = false
        /// How many rows the stores had in which it was tried.
        package let rowsIn: Int
        /// How many they had afterwards.
        package let rowsOut: Int
        /// How many sets of rows were refused, rightly, because they do not meet a new condition.
        package let refusals: Int
        /// The entities of which no store had two rows afterwards; nil where there are none.
        package let rowless: [String]?
        /// How long the proof took, in seconds.
        package var seconds: Double
        /// Whether it was proven before, and nothing has changed since.
        package var isRemembered: Bool
        /// Why the step is not what it should be; nil where it is.
        package let failure: String?

        /// The class as a value; nil where the model says too little for a step.
        fileprivate var kind: MigrationKind? { MigrationKind(rawValue: self.class) }

        /// Whether it is right, and was proven without rows, or with too few of an entity.
        package var lacksRows: Bool {
            failure == nil && (rowless != nil || rowsIn == 0 && refusals > 0)
        }

        /// Describes what a proof has shown.
        ///
        /// - Parameter kind: The class; nil where the model says too little.
        package init(
            from: String, to: String, kind: MigrationKind?, losesData: Bool,
            codeSteps: [String] = [], rowsIn: Int, rowsOut: Int, refusals: Int = 0,
            rowless: [String] = [], seconds: Double = 0, isRemembered: Bool = false,
            failure: String? = nil
        ) {
            self.from = from
            self.to = to
            self.class = kind?.rawValue ?? "undecided"
            self.losesData = losesData
            self.codeSteps = codeSteps
            self.rowsIn = rowsIn
            self.rowsOut = rowsOut
            self.refusals = refusals
            self.rowless = rowless.isEmpty ? nil : rowless
            self.seconds = seconds
            self.isRemembered = isRemembered
            self.failure = failure
        }

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

    /// The model.
    package let model: String
    /// The current version.
    package let version: String
    /// The steps, the oldest first.
    package let steps: [Step]

    /// Describes what proofs have shown.
    package init(model: String, version: String, steps: [Step]) {
        self.model = model
        self.version = version
        self.steps = steps
    }

    /// Whether all steps are right.
    package var isProven: Bool { steps.allSatisfy { $0.failure == nil } }
    /// Whether a step that is right was proven without rows, or with too few of an entity.
    package var lacksRows: Bool { steps.contains(where: \.lacksRows) }

    /// The same where all of it was proven before.
    package var remembered: VerifyReport {
        VerifyReport(
            model: model, version: version,
            steps: steps.map { step in
                var step = step
                (step.isRemembered, step.seconds) = (true, 0)
                return step
            })
    }

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
