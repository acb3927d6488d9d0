import CambiumModel
import CambiumSQL

/// A step between two versions of an Xcode bundle that have both shipped.
///
/// Core Data dropped what a new version no longer had, without a word, so that is what happened to
/// the stores out there. Here the drops are filled in; they are reported once for each step.
struct ShippedStep {
    /// The new version with the drops in its migration.
    let target: Model
    /// What the step loses, sorted: entities and `Entity.property`.
    let losses: [String]
    /// What changes. Its problems keep the step from being planned: it needs what only the
    /// program's own mapping knew.
    let difference: ModelDifference
    /// What is what in the two versions, as they say it.
    let match: ModelMatch

    /// Finds out what the step from one version to the next drops.
    init(from old: Model, to new: Model) {
        var drops: [MigrationDeclaration.Drop] = []
        var target = new
        var difference = ModelDifference(from: old, to: new)
        match = difference.match
        // Whoever drops an entity learns of its relationships next: each round finds less.
        for _ in 0..<8 {
            let lost = difference.problems.filter(\.isLoss).map {
                MigrationDeclaration.Drop(
                    entity: $0.entity, property: $0.property, reason: "Core Data dropped it")
            }.filter { !drops.contains($0) }
            guard !lost.isEmpty else { break }
            drops += lost
            target = Self.adding(drops, to: new, from: old)
            difference = ModelDifference(from: old, to: target)
        }
        self.target = target
        self.difference = difference
        losses = drops.map(Self.name).sorted()
    }

    /// Whether a step is of that kind: nothing about it can be changed any more.
    static func hasShipped(to new: CheckedModel, isLast: Bool) -> Bool {
        new.parsed.isOfXcode && !isLast
    }

    private static func name(of drop: MigrationDeclaration.Drop) -> String {
        drop.property.map { "\(drop.entity).\($0)" } ?? drop.entity
    }

    private static func adding(
        _ drops: [MigrationDeclaration.Drop], to model: Model, from old: Model
    ) -> Model {
        let declared = model.migration
        return Model(
            name: model.name, version: model.version, entities: model.entities,
            enumerations: model.enumerations, composites: model.composites,
            configurations: model.configurations, identifier: model.identifier,
            userInfo: model.userInfo,
            migration: MigrationDeclaration(
                from: old.version, fills: declared?.fills ?? [],
                drops: (declared?.drops ?? []) + drops, keeps: declared?.keeps ?? [],
                deduplications: declared?.deduplications ?? [], steps: declared?.steps ?? []))
    }
}

extension MigrationProblem {
    /// Whether all that is missing is the author's word that something may go.
    var isLoss: Bool {
        side == .old && fixes.contains { if case .drop = $0 { true } else { false } }
    }
}
