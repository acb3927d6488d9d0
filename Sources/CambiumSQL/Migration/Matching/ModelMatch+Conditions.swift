import CambiumModel

extension ModelMatch {
    /// Objects of an entity of the old version that the author gives up.
    struct ConditionalDrop {
        /// The entity.
        let entity: Entity
        /// SQL over the rows of the entity's old table.
        let sql: String
        /// Which objects go, and why, in words.
        let words: String
    }

    /// What the author gives up by a condition, in the order of the declarations. One that the store
    /// cannot compute is not among it, and is reported.
    var conditionalDrops: [ConditionalDrop] {
        (new.migration?.drops ?? []).compactMap { drop in
            guard let entity = old.entity(named: drop.entity),
                let sql = rows(of: drop, entity)
            else { return nil }
            let condition = drop.condition.map { "\($0)" } ?? ""
            return ConditionalDrop(
                entity: entity, sql: sql,
                words: "the objects of \(entity.name) where \(condition)"
                    + (drop.reason.isEmpty ? "" : " (\(drop.reason))"))
        }
    }

    /// SQL for the rows that a drop by condition is about; nil where the store cannot compute it.
    func rows(of drop: MigrationDeclaration.Drop, _ entity: Entity) -> String? {
        guard let condition = drop.condition,
            let fragment = try? ExpressionSQL.condition(
                condition, entity: entity, model: old, constants: .inline),
            fragment.parameters.isEmpty
        else { return nil }
        guard entity.parent != nil else { return "(\(fragment.text))" }
        let names = old.family(of: entity).map { SQLText.literal(.text($0.name)) }
        return "\"_entity\" IN (\(names.joined(separator: ", "))) AND (\(fragment.text))"
    }

    /// Whether the author gives up every object of an entity of the old version.
    func isEmptied(_ oldEntity: Entity) -> Bool {
        let names = Set(old.lineage(of: oldEntity).map(\.name))
        return (new.migration?.drops ?? []).contains {
            names.contains($0.entity) && $0.condition == .literal(.bool(true))
        }
    }

    /// Whether no object of an entity is there before the new version makes one.
    func hasNoObjects(_ entity: Entity) -> Bool {
        new.family(of: entity).allSatisfy { member in
            oldEntity(of: member).map { $0.isAbstract || isEmptied($0) } ?? true
        }
    }

    /// Whether the author says that every object has a property already.
    func isRequired(_ property: String, in entity: String) -> Bool {
        new.migration?.requirements.contains {
            $0.entity == entity && $0.property == property
        } ?? false
    }

    /// What the author says about where a to-one leads in objects that have nothing there.
    func link(of relationship: String, in entity: String) -> MigrationDeclaration.Link? {
        new.migration?.links.first { $0.entity == entity && $0.relationship == relationship }
    }
}
