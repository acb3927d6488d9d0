import CambiumMigration
import CambiumModel
import CambiumSQL

/// A step between two versions of an Xcode bundle that have both shipped.
///
/// Core Data dropped what a new version no longer had, without a word, so that is what happened to
/// the stores out there. Here the drops are filled in; they are reported once for each step.
struct ShippedStep {
    /// The migration, or nil where the step needs what only the program's own mapping knew.
    let migration: Migration?
    /// What the step loses, sorted: entities and `Entity.property`.
    let losses: [String]
    /// What keeps the step from being planned.
    let problems: [MigrationProblem]

    /// Plans the step from one version to the next.
    init(from old: Model, to new: Model, schemas: (old: Schema, new: Schema)) {
        var drops: [MigrationDeclaration.Drop] = []
        var target = new
        // Whoever drops an entity learns of its relationships next: each round finds less.
        for _ in 0..<8 {
            do throws(MigrationProblems) {
                migration = try Migration(from: old, to: target, schemas: schemas)
                losses = drops.map(Self.name).sorted()
                problems = []
                return
            } catch {
                let lost = error.problems.filter(\.isLoss).map {
                    MigrationDeclaration.Drop(
                        entity: $0.entity, property: $0.property, reason: "Core Data dropped it")
                }.filter { !drops.contains($0) }
                guard lost.count == error.problems.count, !lost.isEmpty else {
                    migration = nil
                    losses = []
                    problems = error.problems.filter { !$0.isLoss }
                    return
                }
                drops += lost
                target = Self.adding(drops, to: new, from: old)
            }
        }
        migration = nil
        losses = []
        problems = []
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
                drops: (declared?.drops ?? []) + drops, steps: declared?.steps ?? []))
    }
}

extension MigrationProblem {
    /// Whether all that is missing is the author's word that something may go.
    var isLoss: Bool {
        side == .old && fixes.contains { if case .drop = $0 { true } else { false } }
    }
}
