import CambiumModel

/// The links of one relationship of the old version, as a relationship of the new version sees
/// them: the one that it was, or the inverse of that.
struct OldLinks {
    /// The old relationship.
    let relationship: Relationship
    /// The old entity that declares it.
    let entity: Entity
    /// Whether it is the inverse, so that sources are destinations.
    let isSwapped: Bool
    /// The old entities whose objects' links these are, where they are not those of all objects.
    let owners: [String]?
    /// The old entities of the objects at the other end, where those of others of them may not be
    /// there any more.
    let members: [String]?
    /// Whether an object at the other end may still be there, as what the new relationship leads to.
    let hasMembers: Bool
    private let match: ModelMatch

    /// Finds the links of a relationship that `entity`, of the new version, declares.
    static func links(
        of name: String, in entity: Entity, isSwapped: Bool, _ match: ModelMatch
    ) -> [OldLinks] {
        let newEnd = entity.relationships.first { $0.name == name }
            .flatMap { match.new.entity(named: $0.destination) }
        return match.sources(of: name, in: entity).compactMap { source in
            guard let owner = match.old.entity(named: source.old.entity),
                let relationship = owner.relationships.first(where: {
                    $0.name == source.old.property
                }), !relationship.isTransient
            else { return nil }
            return OldLinks(
                relationship: relationship, entity: owner, isSwapped: isSwapped,
                owners: match.partialOwners(of: source),
                members: match.partialMembers(of: relationship, at: newEnd),
                hasMembers: match.hasMembers(relationship, at: newEnd), match: match)
        }
    }

    /// The old entity of the objects at the other end.
    var destination: Entity? { match.old.entity(named: relationship.destination) }

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

    /// The old column of the row of the new relationship's object that holds the key, if one does.
    var keyOfSource: (column: String, entityColumn: String?)? {
        guard case .key(let column, let entityColumn) = storage, !isSwapped else { return nil }
        return (column, entityColumn)
    }

    /// The old table of the entity that declares the old relationship.
    var table: String { match.old.root(of: entity).name }

    /// The old table of the objects at the other end.
    var destinationTable: String {
        destination.map { match.old.root(of: $0).name } ?? relationship.destination
    }

    /// Whether an end of the new relationship may have had several objects.
    var wasToMany: (forward: Bool, backward: Bool) {
        let inverse = match.old.inverse(of: relationship)?.relationship
        let (forward, backward) = (relationship.isToMany, inverse?.isToMany ?? true)
        return isSwapped ? (backward, forward) : (forward, backward)
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

    /// Whether objects at an end are dropped, or get other keys.
    var changesKeys: Bool {
        match.droppedKeys(in: table) != nil || match.droppedKeys(in: destinationTable) != nil
            || match.shiftsKeys(of: entity) || destination.map(match.shiftsKeys) ?? false
    }

    /// A query of the pairs, `source` and `destination` as the new relationship sees them and with
    /// the keys of the new store, without links of objects that are dropped.
    ///
    /// - Parameter more: Further columns: the name, and SQL over the old links, whose ends are
    ///   called as their columns are.
    func query(with more: [(name: String, sql: String)] = []) -> String {
        let (first, second, from) = columns
        var conditions: [String] = []
        switch storage {
        case .key: conditions.append("\(second) IS NOT NULL")
        case .inverseKey: conditions.append("\(first) IS NOT NULL")
        case .joinTable: break
        case .transient: conditions.append("0")
        }
        for (column, table) in [(first, table), (second, destinationTable)] {
            if let dropped = match.droppedKeys(in: table) {
                conditions.append("\(column) NOT IN (\(dropped))")
            }
        }
        if let owners {
            conditions.append("\(first) IN (\(ModelMatch.keys(of: owners, in: table)))")
        }
        if let members {
            conditions.append(
                "\(second) IN (\(ModelMatch.keys(of: members, in: destinationTable)))")
        }
        let ends = [
            newKey(first, in: from, of: entity),
            destination.map { newKey(second, in: from, of: $0) } ?? second,
        ]
        let (source, target) = isSwapped ? (ends[1], ends[0]) : (ends[0], ends[1])
        return "SELECT \(source) AS \"source\", \(target) AS \"destination\""
            + more.map { ", \($0.sql) AS \(SQLText.identifier($0.name))" }.joined()
            + " FROM \(SQLText.identifier(from))"
            + (conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))")
    }

    /// The tables that ``query(with:)`` reads.
    var tables: Set<String> {
        var tables: Set = [columns.table]
        for (table, entity) in [(table, entity), (destinationTable, destination)]
        where match.droppedKeys(in: table) != nil || entity.map(match.shiftsKeys) ?? false {
            tables.insert(table)
        }
        if owners != nil { tables.insert(table) }
        if members != nil { tables.insert(destinationTable) }
        return tables
    }

    private func newKey(_ column: String, in table: String, of entity: Entity) -> String {
        match.shiftsKeys(of: entity)
            ? match.newKey("\(SQLText.identifier(table)).\(column)", of: entity) : column
    }

    /// The quoted columns of the declaring end and of the other, and the old table that has them.
    private var columns: (first: String, second: String, table: String) {
        switch storage {
        case .key(let column, _):
            ("\"_id\"", SQLText.identifier(column), table)
        case .inverseKey(let column):
            (SQLText.identifier(column), "\"_id\"", destinationTable)
        case .joinTable(let name, let source, let destination):
            (SQLText.identifier(source), SQLText.identifier(destination), name)
        case .transient:
            ("\"_id\"", "\"_id\"", table)
        }
    }

    /// SQL for an old attribute of the object at an end of the new relationship, over the old links.
    func value(of attribute: String, atSource: Bool) -> String? {
        let (first, second, from) = columns
        let isFirst = atSource != isSwapped
        guard let owner = isFirst ? entity : destination,
            let declarer = match.old.declarer(of: attribute, in: owner),
            match.old.attribute(attribute, of: owner) != nil
        else { return nil }
        let table = match.old.root(of: owner).name
        let column = SQLText.identifier(match.old.column(of: attribute, in: declarer))
        return "(SELECT chosen.\(column) FROM \(SQLText.identifier(table)) AS chosen "
            + "WHERE chosen.\"_id\" = \(SQLText.identifier(from)).\(isFirst ? first : second))"
    }
}

extension ModelMatch {
    /// The old entities whose objects a source is for, where their parent has others too whose
    /// objects live on; else nil.
    func partialOwners(of source: PropertySource) -> [String]? {
        guard let declarer = old.entity(named: source.old.entity) else { return nil }
        let living = old.family(of: declarer).filter { newEntity(of: $0) != nil }
        let owners = living.filter { member in
            newEntity(of: member).map { source.entities.contains($0.name) } ?? false
        }
        return owners.count == living.count ? nil : owners.map(\.name)
    }

    /// The old entities that a relationship led to and that `end` is or is above of now, where it
    /// led to others too that live on; else nil.
    func partialMembers(of relationship: Relationship, at end: Entity?) -> [String]? {
        guard let end else { return nil }
        let living = livingMembers(of: relationship)
        let members = living.filter { isKind($0, of: end) }
        return members.count == living.count ? nil : members.map(\.name)
    }

    /// Whether any of the old entities that a relationship led to is what `end` is or is above of.
    func hasMembers(_ relationship: Relationship, at end: Entity?) -> Bool {
        guard let end else { return true }
        return livingMembers(of: relationship).contains { isKind($0, of: end) }
    }

    /// The old entities that a relationship led to and whose objects live on.
    private func livingMembers(of relationship: Relationship) -> [Entity] {
        (old.entity(named: relationship.destination).map(old.family) ?? []).filter {
            !$0.isAbstract && newEntity(of: $0) != nil
        }
    }

    private func isKind(_ oldEntity: Entity, of end: Entity) -> Bool {
        newEntity(of: oldEntity).map { new.entity($0, isKindOf: end) } ?? false
    }

    /// A query of the keys of the objects of some old entities.
    static func keys(of entities: [String], in oldTable: String) -> String {
        let names = entities.map { SQLText.literal(.text($0)) }.joined(separator: ", ")
        return "SELECT \"_id\" FROM \(SQLText.identifier(oldTable)) "
            + "WHERE \"_entity\" IN (\(names))"
    }
}
