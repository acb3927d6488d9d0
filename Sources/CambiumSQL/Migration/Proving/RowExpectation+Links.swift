import CambiumModel
import CambiumPlan

extension RowExpectation {
    /// The links of a relationship that are carried over; nil where some may go.
    func links(of relationship: Relationship, of entity: Entity) -> Carried? {
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

    /// Queries of a new store that count the links of one-to-ones that one of the two objects knows
    /// nothing of, or that it has beside another one.
    ///
    /// - Parameters:
    ///   - schema: The new store's tables that are of interest.
    ///   - written: Those of them that the program writes, of which nothing is expected.
    package func halfLinkCounts(
        in schema: Schema, except written: Set<String> = []
    ) -> [(name: String, query: String)] {
        let tables = Set(schema.tables.map(\.name)).subtracting(written)
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
        let order = position.map { "\(SQLText.identifier($0)) NULLS LAST, " } ?? ""
        return """
            SELECT \(newKey(source, of: keys?.source)), \
            \(newKey(destination, of: keys?.destination)) FROM \(place) \
            WHERE \(source) IS NOT NULL AND \(destination) IS NOT NULL ORDER BY 1, \(order)2
            """
    }
}

extension Model {
    /// The table that has the links of a relationship; nil where none has.
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
