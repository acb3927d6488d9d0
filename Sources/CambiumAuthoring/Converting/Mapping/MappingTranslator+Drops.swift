import CambiumCompiler
import CambiumModel
import CambiumPlan

extension MappingTranslator {
    /// Drops an entity that the mapping does not include. If the versions are known, the compiler
    /// finds these drops, and more.
    mutating func addDrop(of entity: MappingModel.Entity) {
        guard versions == nil, let source = entity.source,
            !mapping.entities.contains(where: { $0.source == source && $0.destination != nil })
        else { return }
        draft.add(drop: Self.drop(source, nil, because: Self.isNotMapped))
    }

    /// Drops the data that the compiler reports as lost, except data that the mapping uses: this
    /// stays a question for the author. After a drop, the compiler may report further data that
    /// depends on it.
    ///
    /// - Returns: Whether anything was added.
    mutating func addMissingDrops() -> Bool {
        guard let versions, let match else { return false }
        let problems = versions.problems(with: match.new)
        draft.questions = problems.map(\.message)
        var hasAdded = false
        for loss in problems where loss.isLoss && !isCarriedOver(loss) {
            let drop = Self.drop(loss.entity, loss.property, because: Self.isNotMapped)
            guard case .success = accept([drop]) else { continue }
            draft.add(drop: drop)
            hasAdded = true
        }
        return hasAdded
    }

    private static let isNotMapped = "The mapping model does not migrate it"

    /// Whether the mapping keeps the data that would be lost. It does, if it moves the property, if
    /// objects of sub-entities keep the entity's data, or if code converts it.
    private func isCarriedOver(_ loss: MigrationProblem) -> Bool {
        if isLeftToStep(loss.entity) { return true }
        if let property = loss.property {
            return moved.contains(PropertyName(entity: loss.entity, property: property))
        }
        if moved.contains(where: { $0.entity == loss.entity }) { return true }
        guard let match, let entity = match.old.entity(named: loss.entity) else { return false }
        return match.old.family(of: entity).contains { match.newEntity(of: $0) != nil }
    }

    /// Whether code made something of an entity of the old version, or of one below it.
    private func isLeftToStep(_ entity: String) -> Bool {
        guard let old = match?.old, let oldEntity = old.entity(named: entity) else { return false }
        let family = Set(old.family(of: oldEntity).map(\.name))
        return mapping.entities.contains { mapped in
            guard let source = mapped.source, let destination = mapped.destination else {
                return false
            }
            return family.contains(source) && draft.hasTasks(for: destination)
        }
    }

    static func drop(
        _ entity: String, _ property: String?, because reason: String
    ) -> ParsedElement {
        let subject = [("entity", entity)] + (property.map { [("property", $0)] } ?? [])
        return element("drop", subject + [("reason", reason)])
    }
}
