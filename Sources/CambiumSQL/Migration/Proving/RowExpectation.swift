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
        /// Whether the author lets some of the rows go: those that are there must be old ones.
        package let mayBeFewer: Bool

        /// What differs between the rows of the two queries, or nil.
        package func difference(_ old: [[StoredValue]], _ new: [[StoredValue]]) -> String? {
            if old == new { return nil }
            if mayBeFewer { return Set(new).isSubset(of: old) ? nil : names.first }
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
            let links = entity.relationships.filter { relationship in
                match.new.table(ofLinks: relationship, of: entity).map(isMeant) ?? false
            }.compactMap { self.links(of: $0, of: entity) }
            guard isMeant(match.new.root(of: entity).name), !entity.isAbstract,
                let oldEntity = match.oldEntity(of: entity)
            else { return links }
            return [values(of: entity, oldEntity)] + links
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

    /// The keys and versions of an entity's objects, and the values of all attributes that are
    /// carried, a row for each object. Where an attribute was declared is of no importance.
    private func values(of entity: Entity, _ oldEntity: Entity) -> Carried {
        let pairs = match.new.lineage(of: entity).flatMap { owner in
            owner.attributes.compactMap { attribute -> (name: String, old: String, new: String)? in
                guard let old = source(of: attribute, declaredBy: owner, for: entity) else {
                    return nil
                }
                return (
                    "the values of \(owner.name).\(attribute.name)", old,
                    match.new.column(of: attribute.name, in: owner)
                )
            }
        }
        // What the author gives up by a condition is not there any more.
        let lineage = Set(match.old.lineage(of: oldEntity).map(\.name))
        let givenUp = match.conditionalDrops.filter { lineage.contains($0.entity.name) }
            .map { "NOT coalesce(\($0.sql), 0)" }
        func query(
            _ model: Model, _ entity: Entity, key: String, _ columns: [String],
            besides conditions: [String] = []
        ) -> String {
            let root = model.root(of: entity)
            let list = ["\"_version\""] + columns.map(SQLText.identifier)
            let isOfEntity =
                model.hasSubentities(root)
                ? ["\"_entity\" = \(SQLText.literal(.text(entity.name)))"] : []
            let conditions = isOfEntity + conditions
            return "SELECT \(key), \(list.joined(separator: ", ")) FROM "
                + SQLText.identifier(root.name)
                + (conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))")
                + " ORDER BY 1"
        }
        let key = match.keyShift(of: oldEntity).map { "\"_id\" + \($0)" } ?? "\"_id\""
        return Carried(
            names: ["the objects of \(entity.name)"] + pairs.map(\.name),
            oldQuery: query(
                match.old, oldEntity, key: key, pairs.map(\.old), besides: givenUp),
            newQuery: query(match.new, entity, key: "\"_id\"", pairs.map(\.new)),
            mayBeFewer: mayLoseObjects(entity))
    }

    /// Whether the author lets one of several equal objects of an entity stay.
    private func mayLoseObjects(_ entity: Entity) -> Bool {
        (match.new.migration?.deduplications ?? []).contains { declared in
            match.new.entity(named: declared.entity).map {
                match.new.entity(entity, isKindOf: $0) || match.new.entity($0, isKindOf: entity)
            } ?? false
        }
    }

    /// Whether the author gives up some of the objects of an entity by a condition.
    private func isThinned(_ entity: Entity) -> Bool {
        let drops = match.conditionalDrops.map { match.old.root(of: $0.entity).name }
        guard !drops.isEmpty else { return false }
        return match.new.family(of: match.new.root(of: entity)).contains { member in
            match.oldEntity(of: member).map { drops.contains(match.old.root(of: $0).name) } ?? false
        }
    }

    /// The column of the old attribute whose values the new one must have in an entity's objects.
    private func source(
        of attribute: Attribute, declaredBy owner: Entity, for entity: Entity
    ) -> String? {
        guard
            let name = match.source(
                of: .init(entity: owner.name, property: attribute.name), for: entity),
            let old = match.oldAttribute(at: name),
            let oldOwner = match.old.entity(named: name.entity),
            !old.isTransient, !attribute.isTransient, attribute.derivation == nil,
            old.usesExternalForm == attribute.usesExternalForm,
            match.old.plainType(of: old.type) == match.new.plainType(of: attribute.type),
            match.fill(of: attribute.name, in: owner.name) == nil,
            attribute.isOptional || !old.isOptional
        else { return nil }
        return match.old.column(of: old.name, in: oldOwner)
    }

    private func links(of relationship: Relationship, of entity: Entity) -> Carried? {
        let sources = match.sources(of: relationship.name, in: entity)
        guard let newDestination = match.new.entity(named: relationship.destination),
            !sources.isEmpty,
            // Those that the author gives are new.
            match.link(of: relationship.name, in: entity.name) == nil,
            match.new.inverse(of: relationship).map({
                match.link(of: $0.relationship.name, in: $0.entity.name) == nil
            }) ?? true,
            // What becomes of the links of objects that go, the law of the objects says.
            !([newDestination, entity].contains { mayLoseObjects($0) || isThinned($0) })
        else { return nil }
        var queries: [String] = []
        for source in sources {
            guard let old = match.oldRelationship(at: source.old),
                let oldEntity = match.old.entity(named: source.old.entity),
                let destination = match.old.entity(named: old.destination),
                isWhole(source, of: oldEntity), isWhole(destination),
                match.partialMembers(of: old, at: newDestination) == nil,
                // Where there was no order, that of the keys is to come out.
                let query = query(
                    of: old, of: oldEntity, in: match.old,
                    isOrdered: relationship.isOrdered && sources.count == 1,
                    keys: (oldEntity, destination))
            else { return nil }
            queries.append(query)
        }
        guard
            let newQuery = query(
                of: relationship, of: entity, in: match.new,
                isOrdered: relationship.isOrdered && sources.count == 1)
        else { return nil }
        let union =
            queries.count == 1
            ? queries[0]
            : queries.map { "SELECT * FROM (\($0))" }.joined(separator: " UNION ")
                + " ORDER BY 1, 2"
        return Carried(
            names: ["the links of \(entity.name).\(relationship.name)"], oldQuery: union,
            newQuery: newQuery, mayBeFewer: losesLinks(relationship, of: entity))
    }

    /// Whether all objects that have a property live on, and have it from now on.
    private func isWhole(_ source: PropertySource, of oldEntity: Entity) -> Bool {
        isWhole(oldEntity) && match.partialOwners(of: source) == nil
    }

    private func isWhole(_ oldEntity: Entity) -> Bool {
        match.droppedKeys(in: match.old.root(of: oldEntity).name) == nil
    }

    private func losesLinks(_ relationship: Relationship, of entity: Entity) -> Bool {
        let ends =
            [(entity.name, relationship.name)]
            + [match.new.inverse(of: relationship)].compactMap(\.self)
            .map { ($0.entity.name, $0.relationship.name) }
        return (match.new.migration?.keeps ?? []).contains { keep in
            ends.contains { $0.0 == keep.entity && $0.1 == keep.relationship }
        }
    }

    private func query(
        of relationship: Relationship, of entity: Entity, in model: Model, isOrdered: Bool,
        keys: (source: Entity, destination: Entity)? = nil
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
        let place = SQLText.identifier(table)
        func newKey(_ column: String, of entity: Entity?) -> String {
            guard let entity, match.shiftsKeys(of: entity) else { return column }
            return match.newKey("\(place).\(column)", of: entity)
        }
        return "SELECT \(newKey(source, of: keys?.source)), "
            + "\(newKey(destination, of: keys?.destination)) FROM \(place) "
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
