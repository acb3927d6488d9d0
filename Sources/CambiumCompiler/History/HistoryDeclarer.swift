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
        // Each end of links that become fewer says which stay.
        let keeps = problem.declarations(of: Keep.self).map { keep in
            HistoryItem(
                Keep(
                    entity: keep.entity, relationship: keep.relationship,
                    reason: "there is one at most since \(new.version): the first stays"))
        }
        if !keeps.isEmpty { return keeps }
        let proposed = problem.declarations(of: Drop.self)
        let drops = proposed.filter { $0.condition == nil }.map { drop($0, problem) }
        if let drop = leastDestructive(of: drops, problem) { return [HistoryItem(drop)] }
        for fix in problem.fixes.flatMap(\.parts) {
            guard case .replace(let enumeration, let name, let isOptional, _) = fix else {
                continue
            }
            // Nothing says less than nothing; where something must be, the first case.
            let names = new.enumeration(named: enumeration)?.cases.map(\.name) ?? []
            let other = names.contains(name) ? name : isOptional ? nil : names.first
            return [
                HistoryItem(
                    MigrationDeclaration.Replacement(
                        enumeration: enumeration, case: name, with: other,
                        reason: "gone in \(new.version)"))
            ]
        }
        let fills = problem.declarations(of: MigrationDeclaration.Fill.self)
        if !fills.isEmpty { return fills.compactMap { fill($0.attribute, of: $0.entity) } }
        // A required link that no object can have.
        return proposed.compactMap { drop in
            guard let condition = drop.condition else { return nil }
            let reason = reason(ofGivingUp: condition, problem.property ?? problem.entity)
            return HistoryItem(Drop(entity: drop.entity, condition: condition, reason: reason))
        }
    }

    private typealias Drop = MigrationDeclaration.Drop
    private typealias Keep = MigrationDeclaration.Keep

    /// Where one of several may be dropped, the one after which the fewest problems are left that
    /// would drop more.
    private func leastDestructive(
        of drops: [Drop], _ problem: MigrationProblem
    ) -> Drop? {
        guard drops.count > 1, drops.count == problem.fixes.count else { return drops.first }
        let problemsLeft = drops.map { drop in
            let target = new.declaring([HistoryItem(drop)], since: old)
            return ModelDifference(from: old, to: target).problems.count {
                $0.declarations(of: Keep.self).isEmpty
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
        HistoryItem(
            Drop(
                entity: drop.entity, condition: drop.condition,
                reason: "they require objects of \(drop.required) that go"))
    }

    private func drop(_ drop: Drop, _ problem: MigrationProblem) -> Drop {
        let isGone = problem.side == .old
        let reason =
            isGone
            ? "gone in \(new.version)" + (isOfXcode ? ", where Core Data dropped it" : "")
            : "what it held does not fit what it is in \(new.version)"
        return .init(entity: drop.entity, property: drop.property, reason: reason)
    }

    private func fill(_ name: String, of owner: String) -> HistoryItem? {
        guard let entity = new.entity(named: owner),
            let attribute = new.attribute(name, of: entity),
            let (text, value) = NeutralValue.fill(attribute, of: entity, in: new)
        else { return nil }
        // One value for all objects is none for what tells them apart.
        if case .literal = value, isUniqueAlone(name, in: entity) { return nil }
        return HistoryItem(
            MigrationDeclaration.Fill(entity: owner, attribute: name, value: value), text: text,
            reason: "required in \(new.version), and nothing says what existing objects have")
    }

    private func isUniqueAlone(_ attribute: String, in owner: Entity) -> Bool {
        new.family(of: owner).contains { entity in
            entity.uniqueConstraints.contains { $0.properties == [attribute] }
        }
    }
}
