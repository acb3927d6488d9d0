import CambiumModel
import CambiumPlan
import CambiumSQL

/// A step between two versions of an Xcode bundle that have both shipped.
///
/// Core Data dropped what a new version no longer had, without a word, so that is what happened to
/// the stores out there. Here the drops are filled in; they are reported once for each step.
package struct ShippedStep {
    /// The new version with the drops in its migration.
    package let target: Model
    /// What the step loses, sorted: entities and `Entity.property`.
    let losses: [String]
    /// What changes. Its problems keep the step from being planned: it needs what only the
    /// program's own mapping knew.
    package let difference: ModelDifference
    /// What is what in the two versions, as they say it.
    let match: ModelMatch

    /// Finds out what the step from one version to the next drops.
    package init(from old: Model, to new: Model) {
        let resolution = StepResolution(from: old, to: new) { problem in
            if problem.enumeration != nil {
                return HistoryDeclarer(old: old, new: new, isOfXcode: true).items(for: problem)
            }
            guard problem.isLoss else { return [] }
            return [
                HistoryItem(
                    MigrationDeclaration.Drop(
                        entity: problem.entity, property: problem.property,
                        reason: "Core Data dropped it"))
            ]
        }
        // Drops say what may be missing; what takes the place of a case is a value to be proven.
        let replaced = resolution.items.filter { $0.item is MigrationDeclaration.Replacement }
        match = ModelMatch(
            old: old, new: replaced.isEmpty ? new : new.declaring(replaced, since: old))
        target = resolution.target
        difference = resolution.difference
        losses = resolution.items.map(\.subject).sorted()
    }

    /// Whether a step is of that kind: nothing about it can be changed any more.
    package static func hasShipped(to new: CheckedModel, isLast: Bool) -> Bool {
        new.parsed.isOfXcode && !isLast
    }
}

extension MigrationProblem {
    /// Whether all that is missing is the author's word that something may go.
    package var isLoss: Bool {
        side == .old
            && declarations(of: MigrationDeclaration.Drop.self).contains { $0.condition == nil }
    }
}
