import CambiumModel
import CambiumSQL

// The links that our store keeps as pairs.
extension CoreDataLayoutBuilder {
    /// The links of a relationship that our store keeps as pairs, seen from the first side.
    mutating func link(
        _ relationship: Relationship, of entity: Entity
    ) -> CoreDataLayout.LinkSource? {
        guard case .joinTable(_, "_source", _) = model.storage(of: relationship, of: entity),
            let destination = model.entity(named: relationship.destination),
            catalogue.entity(named: destination.name) != nil
        else { return nil }
        let inverse = model.inverse(of: relationship)
        if let link = pairs(relationship, of: entity, inverse, names: { [$0.name] }) { return link }
        if inverse == nil, let link = membersOfOne(relationship, of: entity, destination) {
            return link
        }
        if let link = pairs(relationship, of: entity, inverse, names: formerAndPresentNames) {
            formerNames.append(
                "the links of \(entity.name).\(relationship.name) are under a former name, in "
                    + link.table)
            return link
        }
        let name = "\(entity.name).\(relationship.name)"
        if inverse == nil, let other = ownerOfWayBack(relationship, of: entity, destination) {
            remarks.append(
                "The store has no table for the links of \(name): Core Data kept them at the inverse, "
                    + "which is that of \(other)")
        } else {
            differences.append("the store has no table for the links of \(name)")
        }
        return nil
    }

    /// The to-many relationship of an entity that is the inverse of a to-one of the destination, if
    /// it is another one than this; nil if there is none. In Core Data two to-many relationships
    /// may have one inverse, and the links of both are in its column.
    private func ownerOfWayBack(
        _ relationship: Relationship, of entity: Entity, _ destination: Entity
    ) -> String? {
        model.relationships(of: destination).lazy
            .filter { !$0.isToMany && !$0.isTransient }
            .compactMap { model.inverse(of: $0) }
            .first { found in
                found.relationship.isToMany && found.relationship.name != relationship.name
                    && model.entity(entity, isKindOf: found.entity)
            }
            .map { "\($0.entity.name).\($0.relationship.name)" }
    }

    /// The present name, and the former name if no other relationship has it.
    private func formerAndPresentNames(_ relationship: Relationship) -> [String] {
        let others = model.entities.flatMap(\.relationships).map(\.name)
        return [relationship.name]
            + [relationship.renamedFrom].compactMap(\.self).filter { !others.contains($0) }
    }

    /// - Parameter names: The names that a relationship may have in the store.
    private mutating func pairs(
        _ relationship: Relationship, of entity: Entity,
        _ inverse: (relationship: Relationship, entity: Entity)?,
        names: (Relationship) -> [String]
    ) -> CoreDataLayout.LinkSource? {
        // Either side names the table.
        func isOf(_ name: CoreDataName.Numbered?, _ relationship: Relationship) -> Bool {
            names(relationship).contains { name?.isOf($0) == true }
        }
        var sides = [(number(of: entity), relationship)]
        if let inverse { sides.append((number(of: inverse.entity), inverse.relationship)) }
        let isSymmetric =
            inverse.map { ($0.relationship, $0.entity) == (relationship, entity) } ?? false
        for table in catalogue.tables.keys.sorted() where !claimedTables.contains(table) {
            guard let name = CoreDataName.Numbered(joined: table),
                sides.contains(where: { $0.0 == name.number && isOf(name, $0.1) })
            else { continue }
            let columns = (catalogue.tables[table] ?? []).map(\.name)
                .filter { !$0.hasPrefix("Z_FOK_") }
            guard columns.count == 2,
                let member = columns.first(where: {
                    isOf(CoreDataName.Numbered(joined: $0), relationship)
                }), let owner = columns.first(where: { $0 != member }),
                isSymmetric
                    || inverse.map({ isOf(CoreDataName.Numbered(joined: owner), $0.relationship) })
                        ?? true
            else { continue }
            claimedTables.insert(table)
            let positions = positions(relationship, of: entity, member, inverse, owner, in: table)
            claimed[table, default: []].formUnion([owner, member] + positions.map(\.source))
            return CoreDataLayout.LinkSource(
                entity: entity, relationship: relationship, table: table, ownerColumn: owner,
                memberColumn: member, positions: positions, isSymmetric: isSymmetric)
        }
        return nil
    }

    /// The positions of the members in an owner's list are beside the member's key.
    private mutating func positions(
        _ relationship: Relationship, of entity: Entity, _ member: String,
        _ inverse: (relationship: Relationship, entity: Entity)?, _ owner: String, in table: String
    ) -> [(target: String, source: String)] {
        var sides = [(relationship, entity, member)]
        if let inverse, (inverse.relationship, inverse.entity) != (relationship, entity) {
            sides.append((inverse.relationship, inverse.entity, owner))
        }
        return sides.flatMap { relationship, entity, column in
            position(of: relationship, entity, beside: column, in: table)
        }
    }

    private mutating func position(
        of relationship: Relationship, _ entity: Entity, beside column: String, in table: String
    ) -> [(target: String, source: String)] {
        let source = CoreDataName.positions(of: column)
        guard let target = model.positionColumn(of: relationship, of: entity) else { return [] }
        requirePositions(source, of: relationship, entity, in: table)
        return catalogue.has(source, in: table) ? [(target, source)] : []
    }

    /// Records a missing column of positions. Without it, the order of a relationship would be lost
    /// silently.
    mutating func requirePositions(
        _ column: String, of relationship: Relationship, _ entity: Entity, in table: String
    ) {
        guard !catalogue.has(column, in: table) else { return }
        differences.append(
            "\(table) has no column \(column), which the order of \(entity.name)."
                + "\(relationship.name) is kept in")
    }

    /// A to-many without an inverse may be kept in a column of its members' table.
    private mutating func membersOfOne(
        _ relationship: Relationship, of entity: Entity, _ destination: Entity
    ) -> CoreDataLayout.LinkSource? {
        let table = table(of: model.root(of: destination))
        let owner = catalogue.tables[table]?.map(\.name).first { column in
            guard let name = CoreDataName.Numbered(column: column) else { return false }
            return name.number == number(of: entity) && name.isOf(relationship.name)
        }
        guard let owner else { return nil }
        let positions = position(of: relationship, entity, beside: owner, in: table)
        claimed[table, default: []].formUnion([owner] + positions.map(\.source))
        return CoreDataLayout.LinkSource(
            entity: entity, relationship: relationship, table: table, ownerColumn: owner,
            memberColumn: CoreDataLayout.LinkSource.key, positions: positions, isSymmetric: false)
    }
}
