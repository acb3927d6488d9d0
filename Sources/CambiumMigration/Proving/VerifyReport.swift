import CambiumPlan

/// What proofs of the steps of a model have shown.
package struct VerifyReport: Sendable {
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
}
