import CambiumModel

/// Where the links of a relationship of the new version are in a store of the old one: in the
/// relationship that it was, or in its inverse.
struct OldLinks {
    /// The old relationship.
    let relationship: Relationship
    /// The old entity that declares it.
    let entity: Entity
    /// Whether it is the inverse, so that sources are destinations.
    let isSwapped: Bool
    /// The two old relationships, where both ends have links of their own that are not the same.
    let conflict: [ModelMatch.PropertyName]?
    private let match: ModelMatch

    /// Finds the links, or nil where the relationship and its inverse are both new.
    init?(of relationship: Relationship, of entity: Entity, in match: ModelMatch) {
        self.match = match
        let own = Self.old(relationship.name, in: entity, match)
        let inverse = relationship.inverse.flatMap { name in
            match.new.entity(named: relationship.destination)
                .flatMap { match.new.declarer(of: name, in: $0) }
                .flatMap { Self.old(name, in: $0, match) }
        }
        guard let found = own ?? inverse else { return nil }
        (self.relationship, self.entity) = found
        isSwapped = own == nil
        if let own, let inverse, own.0.inverse != inverse.0.name {
            conflict = [own, inverse].map { .init(entity: $1.name, property: $0.name) }
        } else {
            conflict = nil
        }
    }

    private static func old(
        _ name: String, in entity: Entity, _ match: ModelMatch
    ) -> (Relationship, Entity)? {
        guard let relationship = match.oldRelationship(of: name, in: entity.name),
            !relationship.isTransient, let oldEntity = match.oldEntity(of: entity)
        else { return nil }
        return (relationship, oldEntity)
    }

    /// The old relationship, and its inverse where it had one.
    var ends: Set<ModelMatch.PropertyName> {
        let inverse = match.old.inverse(of: relationship).map {
            ModelMatch.PropertyName(entity: $0.entity.name, property: $0.relationship.name)
        }
        let own = ModelMatch.PropertyName(entity: entity.name, property: relationship.name)
        return Set([own, inverse].compactMap(\.self))
    }

    /// How the old store keeps them.
    var storage: RelationshipStorage {
        match.old.storage(of: relationship, of: entity)
    }

    /// Whether the old row of the new relationship's object holds the key.
    var isKeyOfSource: Bool {
        if case .key = storage { !isSwapped } else { false }
    }

    /// The old table of the entity that declares the old relationship.
    var table: String { match.old.root(of: entity).name }

    /// The old table of the objects at the other end.
    var destinationTable: String {
        match.old.entity(named: relationship.destination).map { match.old.root(of: $0).name }
            ?? relationship.destination
    }

    /// Whether an end holds fewer objects than before.
    func losesLinks(as new: Relationship, in model: Model) -> Bool {
        let forward = relationship.isToMany
        let backward = inverse(of: relationship, in: match.old)?.isToMany ?? true
        let (oldForward, oldBackward) = isSwapped ? (backward, forward) : (forward, backward)
        let newBackward = inverse(of: new, in: model)?.isToMany ?? true
        return oldForward && !new.isToMany || oldBackward && !newBackward
    }

    private func inverse(of relationship: Relationship, in model: Model) -> Relationship? {
        guard let inverse = relationship.inverse,
            let destination = model.entity(named: relationship.destination)
        else { return nil }
        return model.relationship(inverse, of: destination)
    }

    /// The old columns of the places in the lists of the sources and in those of the destinations,
    /// as the new relationship sees them. They are in the table that has the links.
    var positions: (ofSource: String?, ofDestination: String?) {
        let forward = match.old.positionColumn(of: relationship, of: entity)
        let backward = match.old.inverse(of: relationship).flatMap {
            match.old.positionColumn(of: $0.relationship, of: $0.entity)
        }
        return isSwapped ? (backward, forward) : (forward, backward)
    }

    /// Whether the old row of the object at the other end holds the key.
    var isKeyOfDestination: Bool {
        switch storage {
        case .key: isSwapped
        case .inverseKey: !isSwapped
        case .joinTable, .transient: false
        }
    }

    /// A query of the pairs, `source` and `destination` as the new relationship sees them, without
    /// links of objects that are dropped.
    var query: String { query(with: []) }

    /// The same with the places, under the new columns' names.
    func query(with newPositions: [(column: String, old: String?)]) -> String {
        let source: String
        let destination: String
        let from: String
        var conditions: [String] = []
        switch storage {
        case .key(let column, _):
            (source, destination, from) = ("_id", column, table)
            conditions.append("\(SQLText.identifier(column)) IS NOT NULL")
        case .inverseKey(let column):
            (source, destination, from) = (column, "_id", destinationTable)
            conditions.append("\(SQLText.identifier(column)) IS NOT NULL")
        case .joinTable(let name, let sourceColumn, let destinationColumn):
            (source, destination, from) = (sourceColumn, destinationColumn, name)
        case .transient:
            (source, destination, from) = ("_id", "_id", table)
            conditions.append("0")
        }
        for (column, table) in [(source, table), (destination, destinationTable)] {
            if let dropped = match.droppedKeys(in: table) {
                conditions.append("\(SQLText.identifier(column)) NOT IN (\(dropped))")
            }
        }
        let (first, second) = isSwapped ? (destination, source) : (source, destination)
        return "SELECT \(SQLText.identifier(first)) AS \"source\", "
            + "\(SQLText.identifier(second)) AS \"destination\""
            + newPositions.map { column, old in
                ", \(old.map(SQLText.identifier) ?? "NULL") AS \(SQLText.identifier(column))"
            }.joined()
            + " FROM \(SQLText.identifier(from))"
            + (conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))")
    }
}

extension ModelMatch {
    /// The names of entities of an old table whose objects are dropped while the table lives on.
    func droppedEntities(in oldTable: String) -> [String] {
        guard let root = old.entity(named: oldTable), newEntity(of: root) != nil else { return [] }
        return old.family(of: root).filter { newEntity(of: $0) == nil }.map(\.name)
    }

    /// A query of the keys of those objects, or nil where there are none.
    func droppedKeys(in oldTable: String) -> String? {
        let names = droppedEntities(in: oldTable).map { SQLText.literal(.text($0)) }
        guard !names.isEmpty else { return nil }
        return "SELECT \"_id\" FROM \(SQLText.identifier(oldTable)) "
            + "WHERE \"_entity\" IN (\(names.joined(separator: ", ")))"
    }

    /// SQL for the new name of an entity, from SQL for the old one; nil where no entity of the old
    /// table is renamed.
    func renamedEntity(_ column: String, in oldTable: String) -> String? {
        guard let root = old.entity(named: oldTable) else { return nil }
        let renames = old.family(of: root).compactMap { oldEntity -> String? in
            guard let newEntity = newEntity(of: oldEntity), newEntity.name != oldEntity.name else {
                return nil
            }
            return "WHEN \(SQLText.literal(.text(oldEntity.name))) "
                + "THEN \(SQLText.literal(.text(newEntity.name)))"
        }
        guard !renames.isEmpty else { return nil }
        return "CASE \(column) \(renames.joined(separator: " ")) ELSE \(column) END"
    }
}
