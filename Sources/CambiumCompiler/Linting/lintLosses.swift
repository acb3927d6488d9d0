import CambiumModel
import CambiumPlan

extension StepLint {
    /// What is lost although nobody may have meant it: what is dropped and comes back under nearly
    /// the same name, and places in a list.
    func lintLosses() {
        for change in difference.changes {
            switch change {
            case .entityDropped(let name): lintDroppedEntity(name)
            case .attributeDropped(let entity, let name): lintDroppedAttribute(name, of: entity)
            case .relationshipDropped(let entity, let name, losesLinks: true):
                lintDroppedRelationship(name, of: entity)
            case .orderChanged(let entity, let name, isOrdered: false):
                lintLostOrder(of: name, in: entity)
            default: break
            }
        }
    }

    private func lintLostOrder(of name: String, in entity: String) {
        guard let owner = new.model.entity(named: entity),
            let relationship = new.model.relationship(name, of: owner),
            // One that starts without links has no order to lose: that of the name is gone.
            difference.match.origin(of: name, in: owner) != nil
        else { return lintGoneOrder(of: name, in: entity) }
        // Where one link alone stays, there is nothing to put in order.
        guard relationship.isToMany else { return }
        report(
            .lostOrder, "The order of \(entity).\(name) is lost: it is no longer ordered",
            of: entity, name,
            notes: [
                wording.write(("ordered", "true")) + ", unless nobody has given it an order that "
                    + "counts"
            ])
    }

    /// The relationship is gone, and its inverse keeps its links.
    private func lintGoneOrder(of name: String, in entity: String) {
        let former = new.model.entity(named: entity).flatMap(difference.match.oldEntity)?.name
        let drops = new.model.migration?.drops ?? []
        // Then it is meant.
        guard !drops.contains(where: { $0.entity == former ?? entity && $0.property == name })
        else { return }
        let drop = FixWriter(old: old, new: new).note(
            for: .drop(entity: former ?? entity, property: name),
            of: MigrationProblem(entity: entity, property: name, fact: ""))
        report(
            .lostOrder,
            "The order of \(entity).\(name) is lost: it is gone, and its inverse keeps the links "
                + "without it",
            of: entity,
            notes: [drop + ", if nobody has given it an order that counts; else keep it"])
    }

    // MARK: Dropped and added

    private func lintDroppedAttribute(_ name: String, of entity: String) {
        guard let owner = new.model.entity(named: entity),
            let before = difference.match.oldEntity(of: owner)?.attributes
                .first(where: { $0.name == name })
        else { return }
        let candidates = difference.changes.compactMap { change -> String? in
            guard case .attributeAdded(entity, let added, _) = change,
                new.model.attribute(added, of: owner)?.type == before.type
            else { return nil }
            return added
        }
        reportTwin(of: name, among: candidates, in: entity, .attribute)
    }

    private func lintDroppedRelationship(_ name: String, of entity: String) {
        guard let owner = new.model.entity(named: entity),
            let before = difference.match.oldEntity(of: owner)?.relationships
                .first(where: { $0.name == name }),
            let destination = old.model.entity(named: before.destination)
                .flatMap(difference.match.newEntity)
        else { return }
        let candidates = difference.changes.compactMap { change -> String? in
            guard case .relationshipAdded(entity, let added) = change,
                new.model.relationship(added, of: owner)?.destination == destination.name
            else { return nil }
            return added
        }
        reportTwin(of: name, among: candidates, in: entity, .relationship)
    }

    private func reportTwin(
        of name: String, among candidates: [String], in entity: String,
        _ declaration: MigrationFix.Declaration
    ) {
        // Under the very same name it is meant: the old values go, and a fill gives new ones.
        guard !candidates.contains(name), let twin = nearestName(to: name, among: candidates)
        else { return }
        report(
            .droppedTwin,
            "\(entity).\(name) is dropped with its data, and \(entity).\(twin), which is new, has "
                + "nearly its name",
            of: entity, twin,
            notes: [remedy(.rename(declaration, to: twin, from: name), of: entity, name)])
    }

    /// Entities by what they hold: a name may change altogether.
    private func lintDroppedEntity(_ name: String) {
        func form(_ entity: Entity) -> [String: AttributeType] {
            Dictionary(
                entity.attributes.map { ($0.name, $0.type) }, uniquingKeysWith: { $1 })
        }
        guard let gone = old.model.entity(named: name), gone.attributes.count > 1,
            let twin = new.model.entities.first(where: { entity in
                difference.match.oldEntity(of: entity) == nil && form(entity) == form(gone)
            })
        else { return }
        report(
            .droppedTwin,
            "\(name) is dropped with its data, and \(twin.name), which is new, has the same "
                + "attributes",
            of: twin.name,
            notes: [remedy(.rename(.entity, to: twin.name, from: name), of: name, nil)])
    }

    private func remedy(
        _ fix: MigrationFix, of entity: String, _ property: String?
    ) -> String {
        let problem = MigrationProblem(entity: entity, property: property, fact: "")
        return FixWriter(old: old, new: new).note(for: fix, of: problem)
            + " instead of the drop\(otherDrop(of: entity, property)), if it is the same thing"
    }

    /// What lives on has its other end too.
    private func otherDrop(of entity: String, _ property: String?) -> String {
        let owner = new.model.entity(named: entity).flatMap(difference.match.oldEntity)
        guard let relationship = owner?.relationships.first(where: { $0.name == property }),
            let inverse = relationship.inverse,
            let declarer = old.model.entity(named: relationship.destination)
                .flatMap({ old.model.declarer(of: inverse, in: $0) }),
            declarer.name != owner?.name || inverse != property,
            difference.match.isDropped(declarer.name, inverse)
        else { return "" }
        return ", and of that of \(declarer.name).\(inverse)"
    }
}
