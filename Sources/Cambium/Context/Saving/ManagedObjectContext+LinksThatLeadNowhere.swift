import CambiumRecords

extension ManagedObjectContext {
    /// Which of the links that were to be saved lead to objects that are gone. Asked after the
    /// store has refused them, since it names none.
    func linksThatLeadNowhere() throws -> [ValidationError] {
        typealias Link = (object: ManagedObject, relationship: RelationshipDescription, key: Int64)
        var links: [Int: [Link]] = [:]
        for object in inserted + updated where object.isThere {
            for relationship in object.entityDescription.relationships {
                let root = coordinator.model.entities[relationship.destination].rootIndex
                links[root, default: []] += object.changedDestinations(of: relationship)
                    .map { (object, relationship, $0) }
            }
        }
        let new = Set(inserted.filter { $0.lifecycle == .inserted }.map { RowIdentity($0) })
        let leaving = Set(deleted.filter { $0.lifecycle == .deleted }.map { RowIdentity($0) })
        var errors: [ValidationError] = []
        for (root, links) in links.sorted(by: { $0.key < $1.key }) {
            let entity = coordinator.model.entities[root]
            var present: Set<Int64> = []
            let keys = Set(links.map(\.key)).sorted()
            try store(of: entity).fetch(RowRequest(entity: entity, selection: .keys(keys))) { row in
                present.insert(row.key)
            }
            for link in links {
                let id = RowIdentity(root: root, key: link.key)
                let isThere = new.contains(id) || present.contains(link.key)
                guard !isThere || leaving.contains(id) else { continue }
                let name = link.relationship.relationship.name
                errors.append(
                    ValidationError(
                        code: .missing, entityName: link.object.entityDescription.name,
                        objectID: link.object.objectID, property: name,
                        message: "\(name) references \(entity.name)/\(link.key), which is deleted. "
                            + "Set it to another object, or to nil."))
            }
        }
        return errors
    }
}

extension ManagedObject {
    /// The keys that the next save writes for a relationship.
    fileprivate final func changedDestinations(
        of relationship: RelationshipDescription
    ) -> [Int64] {
        if let slot = relationship.slot {
            guard let record, record.hasValue(slot),
                lifecycle == .inserted || extras?.changedSlots.contains(slot) == true
            else { return [] }
            return [record.integer(slot)]
        }
        guard relationship.isJoinTable, let links = extras?.links[relationship.ordinal]
        else { return [] }
        return links.added.keys.sorted()
    }
}
