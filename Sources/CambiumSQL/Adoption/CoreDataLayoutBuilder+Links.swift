import CambiumModel

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
        if let link = pairs(relationship, of: entity, inverse) { return link }
        if inverse == nil, let link = membersOfOne(relationship, of: entity, destination) {
            return link
        }
        differences.append(
            "the store has no table for the links of \(entity.name).\(relationship.name)")
        return nil
    }

    private mutating func pairs(
        _ relationship: Relationship, of entity: Entity,
        _ inverse: (relationship: Relationship, entity: Entity)?
    ) -> CoreDataLayout.LinkSource? {
        // Either side names the table.
        var sides = [(number(of: entity), relationship.name)]
        if let inverse { sides.append((number(of: inverse.entity), inverse.relationship.name)) }
        let isSymmetric =
            inverse.map { ($0.relationship, $0.entity) == (relationship, entity) } ?? false
        for table in catalogue.tables.keys.sorted() where !claimedTables.contains(table) {
            guard let name = CoreDataName.Numbered(joined: table),
                sides.contains(where: { $0.0 == name.number && name.isOf($0.1) })
            else { continue }
            let columns = (catalogue.tables[table] ?? []).map(\.name)
                .filter { !$0.hasPrefix("Z_FOK_") }
            guard columns.count == 2,
                let member = columns.first(where: {
                    CoreDataName.Numbered(joined: $0)?.isOf(relationship.name) == true
                }), let owner = columns.first(where: { $0 != member }),
                isSymmetric
                    || inverse.map({
                        CoreDataName.Numbered(joined: owner)?.isOf($0.relationship.name) == true
                    }) ?? true
            else { continue }
            claimedTables.insert(table)
            return CoreDataLayout.LinkSource(
                entity: entity, relationship: relationship, table: table, ownerColumn: owner,
                memberColumn: member,
                positions: positions(relationship, of: entity, member, inverse, owner, in: table),
                isSymmetric: isSymmetric)
        }
        return nil
    }

    /// The places of the members among those of one owner lie beside the member's key.
    private func positions(
        _ relationship: Relationship, of entity: Entity, _ member: String,
        _ inverse: (relationship: Relationship, entity: Entity)?, _ owner: String, in table: String
    ) -> [(target: String, source: String)] {
        var sides = [(relationship, entity, member)]
        if let inverse, (inverse.relationship, inverse.entity) != (relationship, entity) {
            sides.append((inverse.relationship, inverse.entity, owner))
        }
        return sides.compactMap { relationship, entity, column in
            let source = CoreDataName.positions(of: column)
            guard let target = model.positionColumn(of: relationship, of: entity),
                catalogue.has(source, in: table)
            else { return nil }
            return (target, source)
        }
    }

    /// A to-many without an inverse may be kept in a column of its members' table.
    private func membersOfOne(
        _ relationship: Relationship, of entity: Entity, _ destination: Entity
    ) -> CoreDataLayout.LinkSource? {
        let table = table(of: model.root(of: destination))
        let owner = catalogue.tables[table]?.map(\.name).first { column in
            guard let name = CoreDataName.Numbered(column: column) else { return false }
            return name.number == number(of: entity) && name.isOf(relationship.name)
        }
        guard let owner else { return nil }
        let source = CoreDataName.positions(of: owner)
        let target = model.positionColumn(of: relationship, of: entity)
        return CoreDataLayout.LinkSource(
            entity: entity, relationship: relationship, table: table, ownerColumn: owner,
            memberColumn: "Z_PK",
            positions: target.flatMap { target in
                catalogue.has(source, in: table) ? [(target, source)] : nil
            } ?? [],
            isSymmetric: false)
    }
}
