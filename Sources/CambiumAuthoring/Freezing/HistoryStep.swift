import CambiumCompiler
import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumSQL

/// A step that has shipped, with the declarations that it still needs.
struct HistoryStep: Sendable {
    private let items: [HistoryItem]
    private let old: Model
    /// The version after the step.
    let version: String
    /// The problems that no declaration can solve, with their remedies, a line each.
    let open: [String]

    init(from old: CheckedModel, to new: CheckedModel) {
        self.old = old.model
        version = new.model.version
        let declarer = HistoryDeclarer(
            old: old.model, new: new.model, isOfXcode: new.parsed.isOfXcode)
        let resolution = declarer.resolution
        items = resolution.items
        guard !resolution.isSolved else {
            open = []
            return
        }
        let problems =
            resolution.circles.isEmpty
            ? resolution.difference.problems
            : ModelDifference(from: old.model, to: new.model).problems
        let remedy = ShippedRemedy(of: problems, from: old.model, to: new.model)
        let version = version
        let circles = resolution.circles.map { drop in
            "Objects of \(drop.entity) require each other in a circle: no drop can name all deleted objects"
        }
        open = (remedy.facts + circles.prefix(1) + remedy.notes).map { "\(version): \($0)" }
    }

    /// The version that it starts from.
    var former: String { old.version }

    /// Whether there is nothing to declare.
    var isDecided: Bool { items.isEmpty && open.isEmpty }

    /// The declarations. If a declaration deletes rows, it has a comment that says so.
    var elements: [ParsedElement] {
        items.map { item in
            var element = item.element
            element.remark = item.deletion(in: old)
            return element
        }
    }

    /// The subjects of the declarations: a line for all, and one for each deletion of rows.
    var lines: [String] {
        let others = items.filter { $0.deletion(in: old) == nil }.map(\.subject)
        let all =
            (others.isEmpty ? [] : [others.joined(separator: ", ")])
            + items.compactMap { $0.deletion(in: old) }
        return all.map { "\(version): \($0)" }
    }

    /// The result of the step's proof.
    struct Verdict: Sendable {
        /// The reason that its declarations are insufficient; nil if they are sufficient.
        let failure: String?
        /// Whether there were too few rows.
        let lacksRows: Bool
    }

    /// The result if the step could not be proven.
    func verdict(failing reason: String) -> Verdict {
        Verdict(
            failure: "\(version): the declarations cannot be proven: \(reason)",
            lacksRows: false)
    }

    /// Proves it.
    ///
    /// - Parameter versions: The two versions, the newer with the declarations.
    func verdict(on versions: [CheckedModel], schemas: [Schema]) -> Verdict {
        let step = ProofSubject(versions, schemas, nil).step(to: 1)
        let compiler = ModelCompiler(verdicts: nil)
        let migration =
            step.new.parsed.isOfXcode
            ? compiler.planShipped(step)?.migration : compiler.plan(step)
        let report = compiler.report(on: migration, from: step.old, to: step.new)
        return report.failure.map(verdict(failing:))
            ?? Verdict(failure: nil, lacksRows: report.lacksRows)
    }
}
