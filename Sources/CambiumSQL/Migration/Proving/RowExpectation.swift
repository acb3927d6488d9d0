import CambiumModel

/// What a migration must leave as it was, found from the two models alone and not from the plan
/// that it is to prove.
package struct RowExpectation {
    private let match: ModelMatch

    /// Values or links that the old and the new store must both have.
    package struct Carried: Sendable {
        /// What is in each column after the first, for the error. NULLs are not carried.
        package let names: [String]
        /// The query of an old store.
        package let oldQuery: String
        /// The query of a new store, which must give the same rows.
        package let newQuery: String

        /// What differs between the rows of the two queries, or nil.
        package func difference(_ old: [[StoredValue]], _ new: [[StoredValue]]) -> String? {
            if old == new { return nil }
            return names.indices.first { values(in: old, at: $0) != values(in: new, at: $0) }
                .map { names[$0] }
        }

        private func values(in rows: [[StoredValue]], at index: Int) -> [[StoredValue]] {
            rows.compactMap { row in
                row[index + 1] == .null ? nil : [row[0], row[index + 1]]
            }
        }
    }

    /// Expects what is the same in two versions.
    package init(_ match: ModelMatch) {
        self.match = match
    }

    /// Everything that is carried over unchanged.
    ///
    /// - Parameter schema: The new store's tables that are of interest; nil means all.
    package func carried(into schema: Schema? = nil) -> [Carried] {
        let tables = schema.map { Set($0.tables.map(\.name)) }
        func isMeant(_ table: String) -> Bool { tables?.contains(table) ?? true }
        return match.new.entities.flatMap { entity -> [Carried] in
            guard let oldEntity = match.oldEntity(of: entity) else { return [] }
            let links = entity.relationships.filter { relationship in
                match.new.table(ofLinks: relationship, of: entity).map(isMeant) ?? false
            }.compactMap { self.links(of: $0, of: entity, oldEntity) }
            guard isMeant(match.new.root(of: entity).name) else { return links }
            return [keys(of: entity, oldEntity), values(of: entity, oldEntity)].compactMap(\.self)
                + links
        }
    }

    /// Queries of a new store that count wrong values of derived attributes, with their names.
    package var staleCounts: [(name: String, query: String)] {
        match.new.derivations.filter { !$0.sources.usesNow }.compactMap { derivation in
            derivation.countOfStale.map { query in
                ("\(derivation.entity.name).\(derivation.attribute.name)", query)
            }
        }
    }

    private func keys(of entity: Entity, _ oldEntity: Entity) -> Carried {
        func query(_ model: Model, _ entity: Entity, _ names: [String]) -> String {
            let root = model.root(of: entity)
            let list = names.map { SQLText.literal(.text($0)) }.joined(separator: ", ")
            return "SELECT \"_id\", \"_version\" FROM \(SQLText.identifier(root.name))"
                + (model.hasSubentities(root) ? " WHERE \"_entity\" IN (\(list))" : "")
                + " ORDER BY 1"
        }
        return Carried(
            names: ["the objects of \(entity.name)"],
            oldQuery: query(match.old, oldEntity, [oldEntity.name]),
            newQuery: query(match.new, entity, [entity.name]))
    }

    /// The values of all attributes that are carried, a row for each object.
    private func values(of entity: Entity, _ oldEntity: Entity) -> Carried? {
        let pairs = entity.attributes.compactMap { attribute in
            source(of: attribute, in: entity).map { (old: $0, new: attribute) }
        }
        guard !pairs.isEmpty else { return nil }
        func query(_ model: Model, _ entity: Entity, _ names: [String]) -> String {
            let columns = names.map { SQLText.identifier(model.column(of: $0, in: entity)) }
            return "SELECT \((["\"_id\""] + columns).joined(separator: ", ")) FROM "
                + SQLText.identifier(model.root(of: entity).name)
        }
        let dropped = match.droppedKeys(in: match.old.root(of: oldEntity).name)
        return Carried(
            names: pairs.map { "the values of \(entity.name).\($0.new.name)" },
            oldQuery: query(match.old, oldEntity, pairs.map(\.old.name))
                + (dropped.map { " WHERE \"_id\" NOT IN (\($0))" } ?? "") + " ORDER BY 1",
            newQuery: query(match.new, entity, pairs.map(\.new.name)) + " ORDER BY 1")
    }

    /// The old attribute whose values the new one must have.
    private func source(of attribute: Attribute, in entity: Entity) -> Attribute? {
        guard let old = match.oldAttribute(of: attribute.name, in: entity.name),
            !old.isTransient, !attribute.isTransient, attribute.derivation == nil,
            old.usesExternalForm == attribute.usesExternalForm,
            match.old.plainType(of: old.type) == match.new.plainType(of: attribute.type),
            match.fill(of: attribute.name, in: entity.name) == nil,
            attribute.isOptional || !old.isOptional
        else { return nil }
        return old
    }

    private func links(
        of relationship: Relationship, of entity: Entity, _ oldEntity: Entity
    ) -> Carried? {
        guard let old = match.oldRelationship(of: relationship.name, in: entity.name),
            let destination = match.old.entity(named: old.destination),
            match.droppedKeys(in: match.old.root(of: oldEntity).name) == nil,
            match.droppedKeys(in: match.old.root(of: destination).name) == nil,
            // Where there was no order, that of the keys is to come out.
            let oldQuery = query(
                of: old, of: oldEntity, in: match.old, isOrdered: relationship.isOrdered),
            let newQuery = query(
                of: relationship, of: entity, in: match.new, isOrdered: relationship.isOrdered)
        else { return nil }
        return Carried(
            names: ["the links of \(entity.name).\(relationship.name)"],
            oldQuery: oldQuery, newQuery: newQuery)
    }

    private func query(
        of relationship: Relationship, of entity: Entity, in model: Model, isOrdered: Bool
    ) -> String? {
        guard let table = model.table(ofLinks: relationship, of: entity) else { return nil }
        let pair: (String, String)
        switch model.storage(of: relationship, of: entity) {
        case .key(let column, _): pair = ("_id", column)
        case .inverseKey(let column): pair = (column, "_id")
        case .joinTable(_, let source, let destination): pair = (source, destination)
        case .transient: return nil
        }
        let (source, destination) = (SQLText.identifier(pair.0), SQLText.identifier(pair.1))
        let position = isOrdered ? model.positionColumn(of: relationship, of: entity) : nil
        return "SELECT \(source), \(destination) FROM \(SQLText.identifier(table)) "
            + "WHERE \(source) IS NOT NULL AND \(destination) IS NOT NULL ORDER BY 1, "
            + (position.map { "\(SQLText.identifier($0)) NULLS LAST, " } ?? "") + "2"
    }
}

extension Model {
    /// The table that has the links of a relationship; nil where none has.
    fileprivate func table(ofLinks relationship: Relationship, of entity: Entity) -> String? {
        switch storage(of: relationship, of: entity) {
        case .key: root(of: entity).name
        case .inverseKey:
            self.entity(named: relationship.destination).map { root(of: $0).name }
                ?? relationship.destination
        case .joinTable(let name, _, _): name
        case .transient: nil
        }
    }
}
