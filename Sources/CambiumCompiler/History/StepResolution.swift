import CambiumModel
import CambiumSQL

/// A step between two versions with declarations for what the two leave open.
struct StepResolution {
    /// The new version with the declarations in its migration.
    private(set) var target: Model
    /// The declarations.
    private(set) var items: [HistoryItem] = []
    /// What changes, and what is still open.
    private(set) var difference: ModelDifference

    /// Finds declarations.
    ///
    /// - Parameter declarations: What solves a problem; nothing where it is to stay open.
    init(
        from old: Model, to new: Model, declarations: (MigrationProblem) -> [HistoryItem]
    ) {
        target = new
        difference = ModelDifference(from: old, to: new)
        // Whoever drops an entity learns of its relationships next: each round finds less.
        for _ in 0..<8 {
            var found: [HistoryItem] = []
            for item in difference.problems.flatMap(declarations)
            where !(items + found).contains(where: item.isSaid) {
                found.append(item)
            }
            // Where objects of an entity that stays go, nothing more is asked of them.
            let removals = found.filter(\.removesSomeObjects)
            if !removals.isEmpty { found = removals }
            guard !found.isEmpty else { break }
            items += found
            let declared = new.migration ?? MigrationDeclaration(from: old.version)
            target = new.declaring(declared.adding(items))
            difference = ModelDifference(from: old, to: target)
        }
    }
}

extension HistoryItem {
    /// Whether another one says the same, for whatever reason.
    fileprivate func isSaid(by other: HistoryItem) -> Bool {
        guard case .drop(let own) = self, case .drop(let drop) = other else { return self == other }
        return own.entity == drop.entity && own.property == drop.property
            && own.condition == drop.condition
    }

    fileprivate var removesSomeObjects: Bool {
        if case .drop(let drop) = self { drop.condition != nil } else { false }
    }
}

extension Model {
    /// The model with other declarations about the step to it.
    func declaring(_ migration: MigrationDeclaration) -> Model {
        Model(
            name: name, version: version, entities: entities, enumerations: enumerations,
            composites: composites, configurations: configurations, identifier: identifier,
            userInfo: userInfo, migration: migration)
    }
}
