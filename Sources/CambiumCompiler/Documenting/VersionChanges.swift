import CambiumModel
import CambiumSQL

/// What changed from one version to the next, in words: what the migration does, and what only the
/// program sees.
struct VersionChanges {
    let changes: [Change]

    struct Change {
        /// What it is.
        let summary: String
        /// What it means for data that is there.
        let meaning: String
        /// Whether data is lost.
        let isLoss: Bool
        /// What the author gave as the reason.
        let reason: String?
    }

    /// Why stores of the old version cannot be migrated; empty where they can.
    let obstacles: [String]

    /// Compares two versions as the compiler does.
    ///
    /// - Parameter hasShipped: Whether Core Data took this step, and dropped what is gone.
    init(from old: Model, to new: Model, hasShipped: Bool) {
        let shipped = hasShipped ? ShippedStep(from: old, to: new) : nil
        let target = shipped?.target ?? new
        let difference = shipped?.difference ?? ModelDifference(from: old, to: new)
        let stored = difference.changes.map { change in
            let isUndecided = difference.problems.contains {
                $0.entity == change.entity && $0.property != nil
                    && $0.property == Self.property(of: change)
            }
            return Change(
                summary: Self.sentence(change.summary),
                meaning: isUndecided ? "undecided" : Self.meaning(of: change.kind),
                isLoss: isUndecided || change.losesData,
                reason: Self.reason(
                    for: change, in: difference.problems.isEmpty ? target : new))
        }
        changes = stored + Self.changesOfTypes(from: old, to: new)
        obstacles = difference.problems.map(\.message)
    }

    /// The property that objects get, or that becomes another one.
    private static func property(of change: ModelChange) -> String? {
        switch change {
        case .attributeAdded(_, let name, _), .attributeConverted(_, let name, _, _),
            .attributeRenamed(_, let name, _), .attributeBecameRequired(_, let name),
            .attributeStored(_, let name), .derivationDropped(_, let name),
            .presenceChanged(_, let name), .relationshipAdded(_, let name),
            .relationshipRenamed(_, let name, _), .relationshipChanged(_, let name):
            name
        default: nil
        }
    }

    private static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst()
    }

    private static func meaning(of kind: MigrationKind) -> String {
        switch kind {
        case .additive: "nothing is lost"
        case .reversible: "kept"
        case .needsData: "rows are checked or filled"
        case .lossy: "lost"
        case .destructive: "objects are lost"
        case .needsCode: "the program's own step decides"
        }
    }

    private static func reason(for change: ModelChange, in model: Model) -> String? {
        let drop: (String, String?)? =
            switch change {
            case .entityDropped(let entity), .objectsDropped(let entity, _): (entity, nil)
            case .attributeDropped(let entity, let name),
                .relationshipDropped(let entity, let name, _):
                (entity, name)
            default: nil
            }
        guard let drop else { return nil }
        return model.migration?.drops.first { $0.entity == drop.0 && $0.property == drop.1 }?.reason
    }

    /// Enumerations and named requests are no part of a table.
    private static func changesOfTypes(from old: Model, to new: Model) -> [Change] {
        func change(_ summary: String) -> Change {
            Change(summary: summary, meaning: "the program's", isLoss: false, reason: nil)
        }
        var changes: [Change] = []
        changes += new.enumerations.filter { old.enumeration(named: $0.name) == nil }
            .map { change("Add the enumeration \($0.name)") }
        changes += old.enumerations.filter { new.enumeration(named: $0.name) == nil }
            .map { change("Drop the enumeration \($0.name)") }
        for entity in new.entities {
            let before = old.entity(named: entity.name)?.fetchTemplates ?? []
            changes += entity.fetchTemplates.filter { !before.contains($0) }.map { template in
                let isNew = !before.contains { $0.name == template.name }
                return change(
                    "\(isNew ? "Add" : "Change") the request \(template.name) of \(entity.name)")
            }
            changes += before.filter { old in
                !entity.fetchTemplates.contains { $0.name == old.name }
            }.map { change("Drop the request \($0.name) of \(entity.name)") }
        }
        return changes
    }
}
