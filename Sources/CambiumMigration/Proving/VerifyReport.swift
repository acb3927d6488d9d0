import CambiumPlan

/// The results of the proofs of a model's steps.
package struct VerifyReport: Sendable {
    /// One step from a version to the next.
    package struct Step: Sendable {
        /// The version that it starts from.
        package let from: String
        /// The version that it migrates to.
        package let to: String
        /// The class of the step. It is `undecided` if the model does not define the step
        /// completely.
        package let `class`: String
        /// Whether data is deleted or becomes less exact. A graver class does not show that.
        package let losesData: Bool
        /// The program's own steps in it.
        package let codeSteps: [String]
        /// Whether these steps were proven too, and not only the statements around them.
        package var isCodeProven = false
        /// The number of rows in the stores before the step.
        package let rowsIn: Int
        /// The number of rows afterwards.
        package let rowsOut: Int
        /// The number of sets of rows that were correctly rejected, because they violate a new
        /// condition.
        package let refusals: Int
        /// The entities with fewer than two rows in every store afterwards; nil if there are none.
        package let rowless: [String]?
        /// The duration of the proof in seconds.
        package var seconds: Double
        /// Whether the step was proven in an earlier run, and is unchanged since.
        package var isRemembered: Bool
        /// The fault of the step; nil if it has none.
        package let failure: String?

        /// Whether the step is right, but was proven without rows, or with too few rows of an
        /// entity.
        package var lacksRows: Bool {
            failure == nil && (rowless != nil || rowsIn == 0 && refusals > 0)
        }

        /// Creates the results of one step.
        ///
        /// - Parameter kind: The class; nil if the model does not define the step completely.
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

    /// Creates the results of a model's steps.
    package init(model: String, version: String, steps: [Step]) {
        self.model = model
        self.version = version
        self.steps = steps
    }

    /// Whether all steps are right.
    package var isProven: Bool { steps.allSatisfy { $0.failure == nil } }
    /// Whether a step that is right was proven without rows, or with too few of an entity.
    package var lacksRows: Bool { steps.contains(where: \.lacksRows) }

    /// The report as the result of earlier proofs.
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
