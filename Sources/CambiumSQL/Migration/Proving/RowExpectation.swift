import CambiumModel
import CambiumPlan

/// The data that a migration must leave unchanged. It is found from the two models alone, not from
/// the plan that it verifies.
package struct RowExpectation {
    let match: ModelMatch

    /// Expects the data that two versions have in common.
    package init(_ match: ModelMatch) {
        self.match = match
    }

    /// Returns all data that is carried over unchanged.
    ///
    /// - Parameters:
    ///   - schema: The new store's tables to check; nil means all.
    ///   - written: The tables among them that the program writes, with no expectations.
    package func carried(
        into schema: Schema? = nil, except written: Set<String> = []
    ) -> [Carried] {
        let tables = schema.map { Set($0.tables.names) }
        func isMeant(_ table: String) -> Bool {
            !written.contains(table) && tables?.contains(table) ?? true
        }
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

    /// Returns the keys and versions of an entity's objects and the values of all attributes, a row
    /// for each object. The entity that declared an attribute makes no difference.
    private func values(of entity: Entity, _ oldEntity: Entity) -> Carried {
        var names: [String] = []
        var laws: [ValueLaw] = []
        var columns: (old: [String], new: [String]) = ([], [])
        for owner in match.new.lineage(of: entity) {
            for attribute in owner.attributes
            where !attribute.isTransient && attribute.derivation == nil {
                let source = source(of: attribute, declaredBy: owner, for: entity)
                names.append("the values of \(owner.name).\(attribute.name)")
                laws.append(
                    ValueLaw(attribute, of: owner, from: source?.attribute, in: match))
                columns.old.append(source.map { SQLText.identifier($0.column) } ?? "NULL")
                columns.new.append(
                    SQLText.identifier(match.new.column(of: attribute.name, in: owner)))
            }
        }
        let key = match.keyShift(of: oldEntity).map { "\"_id\" + \($0)" } ?? "\"_id\""
        // Objects that the author drops by a condition no longer exist.
        let drops = match.conditionalDrops.filter { $0.entity.name == oldEntity.name }
            .compactMap { match.rows(where: $0.condition, of: $0.entity)?.sql }
            .map { "NOT coalesce(\($0), 0)" }
        return Carried(
            names: ["the objects of \(entity.name)"] + names,
            oldQuery: query(match.old, oldEntity, key: key, columns.old, besides: drops),
            newQuery: query(match.new, entity, key: "\"_id\"", columns.new),
            mayBeFewer: mayLoseObjects(entity), laws: laws)
    }

    private func query(
        _ model: Model, _ entity: Entity, key: String, _ columns: [String],
        besides conditions: [String] = []
    ) -> String {
        "SELECT \(([key, "\"_version\""] + columns).joined(separator: ", ")) FROM "
            + objects(of: entity, in: model, besides: conditions) + " ORDER BY 1"
    }

    /// Returns the table of an entity with the condition that its rows are of exactly this entity,
    /// and further conditions.
    private func objects(
        of entity: Entity, in model: Model, besides conditions: [String] = []
    ) -> String {
        let root = model.root(of: entity)
        let isOfEntity =
            model.hasSubentities(root)
            ? ["\"_entity\" = \(SQLText.literal(entity.name))"] : []
        let all = isOfEntity + conditions
        return SQLText.identifier(root.name)
            + (all.isEmpty ? "" : " WHERE \(all.joined(separator: " AND "))")
    }

    /// Returns the old attribute that is the source of a new one in an entity's objects, and its
    /// column.
    private func source(
        of attribute: Attribute, declaredBy owner: Entity, for entity: Entity
    ) -> (attribute: Attribute, column: String)? {
        guard
            let name = match.source(
                of: .init(entity: owner.name, property: attribute.name), for: entity),
            let old = match.oldAttribute(at: name), !old.isTransient,
            let oldOwner = match.old.entity(named: name.entity)
        else { return nil }
        return (old, match.old.column(of: old.name, in: oldOwner))
    }

    // MARK: No generated objects, no reused keys

    /// Returns queries of a new store that count the objects of new entities, with their names.
    /// There can be none.
    ///
    /// - Parameter written: The tables that the program writes, with no expectations.
    package func newObjectCounts(
        in schema: Schema, except written: Set<String> = []
    ) -> [(name: String, query: String)] {
        let tables = Set(schema.tables.names).subtracting(written)
        return match.new.entities.filter { entity in
            !entity.isAbstract && match.oldEntity(of: entity) == nil
                && tables.contains(match.new.root(of: entity).name)
        }.map { ($0.name, "SELECT count(*) FROM \(objects(of: $0, in: match.new))") }
    }

    /// Returns queries of a new store that count objects with keys that could be used again, with
    /// the names of the tables.
    package static func freeKeyCounts(in schema: Schema) -> [(name: String, query: String)] {
        schema.tables.compactMap { table in
            guard case .objects(let root) = table.content else { return nil }
            let name = SQLText.literal(root)
            return (
                root,
                """
                SELECT count(*) FROM \(SQLText.identifier(table.name)) WHERE "_id" >= coalesce(\
                (SELECT "next" FROM "_keys" WHERE "entity" = \(name)), 0)
                """
            )
        }
    }

    /// Whether the author lets one of several equal objects of an entity stay.
    func mayLoseObjects(_ entity: Entity) -> Bool {
        (match.new.migration?.deduplications ?? []).contains { declared in
            match.new.entity(named: declared.entity).map {
                match.new.entity(entity, isKindOf: $0) || match.new.entity($0, isKindOf: entity)
            } ?? false
        }
    }

    /// Returns queries of a new store that count the objects of the entities in some tables, with
    /// their names. There is no query for a new entity, or for an entity whose objects are all
    /// dropped.
    ///
    /// - Parameters:
    ///   - tables: The tables of the new version to check.
    ///   - written: The tables among them that the program writes, with no expectations.
    package func objectCounts(
        in tables: Set<String>, except written: Set<String> = []
    ) -> [(name: String, query: String)] {
        let meant = tables.subtracting(written)
        return match.new.entities.filter { entity in
            guard !entity.isAbstract, meant.contains(match.new.root(of: entity).name),
                let former = match.oldEntity(of: entity)
            else { return false }
            return !former.isAbstract && !match.isEmptied(former)
        }.map { ($0.name, "SELECT count(*) FROM \(objects(of: $0, in: match.new))") }
    }

    /// The entities of the new version that lose objects by conditional drops.
    package var reducedEntities: Set<String> {
        Set(match.conditionalDrops.compactMap { match.newEntity(of: $0.entity)?.name })
    }

    /// Whether the author drops some of the objects of an entity by a condition.
    func losesObjects(_ entity: Entity) -> Bool {
        let drops = match.conditionalDrops.map { match.old.root(of: $0.entity).name }
        guard !drops.isEmpty else { return false }
        return match.new.family(of: match.new.root(of: entity)).contains { member in
            match.oldEntity(of: member).map { drops.contains(match.old.root(of: $0).name) } ?? false
        }
    }

    /// Values or links that a store must have before and after a migration.
    package struct Carried: Sendable {
        /// The contents of each column, for the error: the objects, then the values; or the links
        /// alone.
        package let names: [String]
        /// The query of an old store.
        package let oldQuery: String
        /// The query of a new store.
        package let newQuery: String
        /// Whether the author drops some of the rows. The existing rows must then be old ones.
        package let mayBeFewer: Bool
        /// The expectation for each column after the key and the version; nil if whole rows stay
        /// the same.
        var laws: [ValueLaw]?

        /// Returns the difference between the rows of the two queries, or nil.
        package func difference(_ old: [[StoredValue]], _ new: [[StoredValue]]) -> String? {
            guard let laws else {
                if old == new { return nil }
                let links = Set(old.map(Self.text))
                return mayBeFewer && new.allSatisfy { links.contains(Self.text($0)) }
                    ? nil : names.first
            }
            var rest: [String: Int] = [:]
            for (number, row) in new.enumerated() { rest[SQLText.literal(row[0])] = number }
            guard rest.count == new.count else { return names.first }
            for former in old {
                guard let number = rest.removeValue(forKey: SQLText.literal(former[0])) else {
                    if mayBeFewer { continue }
                    return names.first
                }
                let row = new[number]
                guard former[1] == row[1] else { return names.first }
                for (index, law) in laws.enumerated()
                where !law.admits(former[index + 2], row[index + 2]) {
                    return "\(names[index + 1]): \(Self.text(former[index + 2])) becomes "
                        + Self.text(row[index + 2])
                }
            }
            return rest.isEmpty ? nil : names.first
        }

        /// The keys of a link.
        private static func text(_ row: [StoredValue]) -> String {
            row.map { SQLText.literal($0) }.joined(separator: " ")
        }

        /// A generated value, for the error.
        private static func text(_ value: StoredValue) -> String {
            let text = SQLText.literal(value)
            return text.count > 60 ? text.prefix(60) + "…" : text
        }
    }
}

extension RowExpectation {
    /// Returns the links of a relationship that are carried over; nil if some may be lost.
    func links(of relationship: Relationship, of entity: Entity) -> Carried? {
        let sources = match.sources(of: relationship.name, in: entity)
        guard let newDestination = match.new.entity(named: relationship.destination),
            !sources.isEmpty,
            // Declared links are new.
            match.link(of: relationship.name, in: entity.name) == nil,
            match.new.inverse(of: relationship).map({
                match.link(of: $0.relationship.name, in: $0.entity.name) == nil
            }) ?? true,
            // The expectation about objects covers the links of deleted ones.
            !([newDestination, entity].contains { mayLoseObjects($0) || losesObjects($0) })
        else { return nil }
        var queries: [String] = []
        for source in sources {
            guard let old = match.oldRelationship(at: source.old),
                let oldEntity = match.old.entity(named: source.old.entity),
                let destination = match.old.entity(named: old.destination),
                isWhole(source, of: oldEntity), isWhole(destination),
                match.partialMembers(of: old, at: newDestination) == nil,
                // If there was no order, the new order must be the order of the keys.
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

    /// Returns queries for a new store that count inconsistent links of one-to-one relationships:
    /// only one of the two objects has the link, or it has a second one.
    ///
    /// - Parameters:
    ///   - schema: The new store's tables to check.
    ///   - written: The tables among them that the program writes, with no expectations.
    package func halfLinkCounts(
        in schema: Schema, except written: Set<String> = []
    ) -> [(name: String, query: String)] {
        let tables = Set(schema.tables.names).subtracting(written)
        return match.new.entities.flatMap { entity in
            entity.relationships.compactMap { relationship -> (name: String, query: String)? in
                guard !relationship.isToMany,
                    case .key(let column, _) = match.new.storage(of: relationship, of: entity),
                    let inverse = match.new.inverse(of: relationship)?.relationship,
                    !inverse.isToMany
                else { return nil }
                let root = match.new.root(of: entity).name
                guard tables.contains(root) else { return nil }
                let (table, key) = (SQLText.identifier(root), SQLText.identifier(column))
                return (
                    "\(entity.name).\(relationship.name)",
                    relationship.isOwnInverse(in: entity)
                        ? """
                        SELECT count(*) FROM \(table) AS one LEFT JOIN \(table) AS other \
                        ON other."_id" = one.\(key)\nWHERE one.\(key) IS NOT NULL \
                        AND other.\(key) IS NOT one."_id"
                        """
                        : "SELECT count(\(key)) - count(DISTINCT \(key)) FROM \(table)"
                )
            }
        }
    }

    /// Whether all objects that have a property still exist, and have it from now on.
    private func isWhole(_ source: PropertySource, of oldEntity: Entity) -> Bool {
        isWhole(oldEntity) && match.partialOwners(of: source) == nil
    }

    private func isWhole(_ oldEntity: Entity) -> Bool {
        match.droppedKeys(in: match.old.root(of: oldEntity).name) == nil
    }

    private func losesLinks(_ relationship: Relationship, of entity: Entity) -> Bool {
        let ends =
            [(entity.name, relationship.name)]
            + [match.new.inverse(of: relationship)].compactMap { $0 }
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
        let order = position.map { "\(SQLText.identifier($0)) NULLS LAST, " } ?? ""
        return """
            SELECT \(newKey(source, of: keys?.source)), \
            \(newKey(destination, of: keys?.destination)) FROM \(place) \
            WHERE \(source) IS NOT NULL AND \(destination) IS NOT NULL ORDER BY 1, \(order)2
            """
    }
}

extension Model {
    /// Returns the table that has the links of a relationship; nil if there is none.
    func table(ofLinks relationship: Relationship, of entity: Entity) -> String? {
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
