import CambiumModel

extension ModelMatch {
    /// Objects of an entity of the old version that the author gives up.
    package struct ConditionalDrop {
        /// The entity. What is said of its objects is not said of those of the entities below.
        package let entity: Entity
        /// Which of its objects.
        package let condition: ModelExpression
        /// Which objects go, and why, in words.
        package let words: String
    }

    /// What the author gives up by a condition, in the order of the declarations. One that the store
    /// cannot compute is not among it, and is reported.
    package var conditionalDrops: [ConditionalDrop] {
        (new.migration?.drops ?? []).compactMap { drop in
            guard let entity = old.entity(named: drop.entity), let condition = drop.condition,
                support.finds(where: condition, of: entity, in: self)
            else { return nil }
            return ConditionalDrop(
                entity: entity, condition: condition,
                words: "the objects of \(entity.name) where \(condition)"
                    + (drop.reason.isEmpty ? "" : " (\(drop.reason))"))
        }
    }

    /// Whether the author gives up every object of an entity of the old version.
    package func isEmptied(_ oldEntity: Entity) -> Bool {
        (new.migration?.drops ?? []).contains {
            $0.entity == oldEntity.name && $0.condition == .literal(.bool(true))
        }
    }

    /// Whether no object of an entity is there before the new version makes one.
    func hasNoObjects(_ entity: Entity) -> Bool {
        new.family(of: entity).allSatisfy { member in
            oldEntity(of: member).map { $0.isAbstract || isEmptied($0) } ?? true
        }
    }

    /// Whether every object has a property already, as the author says, or all that have it not are
    /// given up.
    func isRequired(_ property: String, in entity: String) -> Bool {
        isDeclaredRequired(property, in: entity)
            || givesUpAll(without: .init(entity: entity, property: property))
    }

    func isDeclaredRequired(_ property: String, in entity: String) -> Bool {
        new.migration?.requirements.contains { $0.entity == entity && $0.property == property }
            ?? false
    }

    private func givesUpAll(without property: PropertyName) -> Bool {
        let drops = (new.migration?.drops ?? []).filter { $0.condition != nil }
        guard !drops.isEmpty, let owner = new.entity(named: property.entity) else { return false }
        let members = new.family(of: owner).compactMap { member in
            oldEntity(of: member).flatMap { $0.isAbstract ? nil : (new: member, old: $0) }
        }
        return members.allSatisfy { member in
            guard let source = source(of: property, for: member.new) else { return false }
            return drops.contains { drop in
                drop.entity == member.old.name && drop.condition == conditionOfNone(at: source)
            }
        }
    }

    /// The condition of an old object that has nothing at a property.
    func conditionOfNone(at property: PropertyName) -> ModelExpression {
        let path = ModelExpression.keyPath(
            root: .subject, names: property.property.split(separator: ".").map(String.init))
        return oldRelationship(at: property)?.isToMany == true
            ? .comparison(.aggregate(.count, path), .equal, .literal(.int(0)), [])
            : .comparison(path, .equal, .literal(.null), [])
    }

    /// What the author says about where a to-one leads in objects that have nothing there.
    package func link(of relationship: String, in entity: String) -> MigrationDeclaration.Link? {
        new.migration?.links.first { $0.entity == entity && $0.relationship == relationship }
    }
}
