import CambiumModel
import CambiumPlan
import CambiumSQL

/// Declares what loses least where two versions that have shipped leave something open.
package struct HistoryDeclarer {
    let old: Model
    let new: Model
    /// Whether Core Data has migrated stores from the one to the other.
    let isOfXcode: Bool

    /// Declares about a step.
    package init(old: Model, new: Model, isOfXcode: Bool) {
        self.old = old
        self.new = new
        self.isOfXcode = isOfXcode
    }

    /// The declarations that solve a problem; none where only its author can.
    func items(for problem: MigrationProblem) -> [HistoryItem] {
        let fixes = problem.fixes.flatMap(\.parts)
        // Each end of links that become fewer says which stay.
        let keeps = fixes.compactMap { fix -> HistoryItem? in
            guard case .keep(let entity, let relationship) = fix else { return nil }
            return .keep(
                .init(
                    entity: entity, relationship: relationship,
                    reason: "there is one at most since \(new.version): the first stays"))
        }
        if !keeps.isEmpty { return keeps }
        let drops = fixes.compactMap { fix -> MigrationDeclaration.Drop? in
            guard case .drop(let entity, let property) = fix else { return nil }
            return drop(entity, property, problem)
        }
        if let drop = leastDestructive(of: drops, problem) { return [.drop(drop)] }
        for fix in fixes {
            switch fix {
            case .replace(let enumeration, let name, let isOptional, _):
                // Nothing says less than nothing; where something must be, the first case.
                let names = new.enumeration(named: enumeration)?.cases.map(\.name) ?? []
                let other = names.contains(name) ? name : isOptional ? nil : names.first
                return [
                    .replace(
                        .init(
                            enumeration: enumeration, case: name, with: other,
                            reason: "gone in \(new.version)"))
                ]
            case .fill(let properties):
                return properties.compactMap { fill($0.name, of: $0.entity) }
            default: continue
            }
        }
        // A required link that no object can have.
        return fixes.compactMap { fix in
            guard case .giveUp(let entity, let condition) = fix else { return nil }
            return .drop(
                .init(
                    entity: entity, condition: condition,
                    reason: reason(ofGivingUp: condition, problem.property ?? problem.entity)))
        }
    }

    /// Where one of several may be dropped, the one after which the fewest problems are left that
    /// would drop more.
    private func leastDestructive(
        of drops: [MigrationDeclaration.Drop], _ problem: MigrationProblem
    ) -> MigrationDeclaration.Drop? {
        guard drops.count > 1, drops.count == problem.fixes.count else { return drops.first }
        let declared = new.migration ?? MigrationDeclaration(from: old.version)
        let problemsLeft = drops.map { drop in
            let target = new.declaring(declared.adding([.drop(drop)]))
            return ModelDifference(from: old, to: target).problems.count { problem in
                !problem.fixes.flatMap(\.parts).contains(where: \.isKeep)
            }
        }
        return zip(drops, problemsLeft).min { $0.1 < $1.1 }?.0
    }

    private func reason(ofGivingUp condition: ModelExpression, _ property: String) -> String {
        switch condition {
        case .literal(.bool(true)): "no object has what \(new.version) requires at \(property)"
        case .comparison(.function(.entity, _), _, _, _):
            "what they require at \(property) is gone in \(new.version)"
        default: "they do not have what \(new.version) requires at \(property)"
        }
    }

    /// Names objects that go because they require others which go.
    func item(for drop: ModelDifference.FurtherDrop) -> HistoryItem {
        .drop(
            .init(
                entity: drop.entity, condition: drop.condition,
                reason: "they require objects of \(drop.required) that go"))
    }

    private func drop(
        _ entity: String, _ property: String?, _ problem: MigrationProblem
    ) -> MigrationDeclaration.Drop {
        let isGone = problem.side == .old
        let reason =
            isGone
            ? "gone in \(new.version)" + (isOfXcode ? ", where Core Data dropped it" : "")
            : "what it held does not fit what it is in \(new.version)"
        return .init(entity: entity, property: property, reason: reason)
    }

    private func fill(_ name: String, of owner: String) -> HistoryItem? {
        guard let entity = new.entity(named: owner),
            let attribute = new.attribute(name, of: entity),
            let (text, value) = NeutralValue.fill(attribute, of: entity, in: new)
        else { return nil }
        // One value for all objects is none for what tells them apart.
        if case .literal = value, isUniqueAlone(name, in: entity) { return nil }
        return .fill(
            .init(entity: owner, attribute: name, value: value), text: text,
            reason: "required in \(new.version), and nothing says what existing objects have")
    }

    private func isUniqueAlone(_ attribute: String, in owner: Entity) -> Bool {
        new.family(of: owner).contains { entity in
            entity.uniqueConstraints.contains { $0.properties == [attribute] }
        }
    }
}

extension MigrationFix {
    fileprivate var isKeep: Bool { if case .keep = self { true } else { false } }
}
