import CambiumModel
import CambiumPlan

// Lost links. Each pair of inverses is queried once, from the end that keeps its links. If a
// relationship is its own inverse, a link is counted once although it exists in both directions.
extension DataLossSQL {
    /// Links that were already counted: the links of some entities' objects, at one end.
    struct CountedLinks {
        /// The relationship and its inverse.
        let ends: Set<ModelMatch.PropertyName>
        let end: ModelMatch.PropertyName
        /// A condition on the keys at that end; nil for all links.
        let condition: ((_ end: String) -> String)?
    }

    /// A relationship of the new version, at the end that keeps the links, and the old ones that
    /// its links come from.
    private final class Successor {
        let entity: Entity
        let relationship: Relationship
        let inverse: ModelMatch.PropertyName?
        let sets: [OldLinks]

        init(
            _ relationship: Relationship, of entity: Entity, inverse: ModelMatch.PropertyName?,
            _ sets: [OldLinks]
        ) {
            self.entity = entity
            self.relationship = relationship
            self.inverse = inverse
            self.sets = sets
        }

        var name: ModelMatch.PropertyName {
            .init(entity: entity.name, property: relationship.name)
        }
    }

    /// All relationships of the old version that are kept.
    var links: [MigrationDataLoss.Links] {
        var counted: Set<ModelMatch.PropertyName> = []
        let successors = successors
        return Self.keepers(in: old).compactMap { entity, relationship in
            let ends = old.ends(of: relationship, entity)
            guard let all = Self.pairs(of: relationship, entity, in: old, { $0 }) else {
                return nil
            }
            let isSymmetric = Self.isSymmetric(relationship, in: old)
            var left: [String] = []
            var later: (beside: [String], atEnd: [String]) = ([], [])
            for successor in successors {
                let sets = successor.sets.filter { $0.ends == ends }
                guard !sets.isEmpty else { continue }
                left += sets.map { linksLeft(of: $0, in: successor) }
                // Links that are merged into one relationship are reported for the first.
                guard counted.insert(successor.name).inserted else { continue }
                let now = [present, { $0 }].map { name in
                    Self.pairs(of: successor.relationship, successor.entity, in: new, name).map {
                        Self.count(
                            $0, isSymmetric: Self.isSymmetric(successor.relationship, in: new))
                    } ?? Self.none
                }
                later.beside.append(now[0])
                later.atEnd.append(now[1])
            }
            return MigrationDataLoss.Links(
                entity: entity.name, relationship: relationship.name,
                before: Self.count(all, isSymmetric: isSymmetric),
                left: left.isEmpty ? nil : Self.sum(left),
                later: later.beside.isEmpty
                    ? nil : (Self.sum(later.beside), Self.sum(later.atEnd)))
        }
    }

    private var successors: [Successor] {
        Self.keepers(in: new).compactMap { entity, relationship in
            CarriedLinks(of: relationship, of: entity, in: match).map { links in
                Successor(
                    relationship, of: entity,
                    inverse: new.inverse(of: relationship).map {
                        .init(entity: $0.entity.name, property: $0.relationship.name)
                    }, links.sets)
            }
        }
    }

    // MARK: Changes

    /// Returns a query for the links of a dropped relationship. If the relationship and its inverse
    /// are both dropped, it counts all links. Otherwise it counts the links of the objects that
    /// still exist and lose them.
    func droppedLinks(_ name: String, of entity: Entity?) -> String {
        guard let entity, let owner = old.declarer(of: name, in: entity),
            let relationship = owner.relationship(named: name),
            let pairs = Self.pairs(of: relationship, owner, in: old, { $0 })
        else { return Self.none }
        let end = ModelMatch.PropertyName(entity: owner.name, property: name)
        let ends = old.ends(of: relationship, owner)
        let root = old.root(of: owner)
        var condition: ((String) -> String)?
        let isRemoved =
            entity == owner && !successors.contains { $0.sets.contains { $0.ends == ends } }
        if !isRemoved, old.hasSubentities(root) {
            let family = Set(old.family(of: entity).names)
            let losers = match.losers(of: end).names.filter(family.contains)
            condition = { "\($0) IN (\(ModelMatch.keys(of: losers, in: root.name)))" }
        }
        var conditions: [String] = []
        if let condition { conditions.append(condition("\"source\"")) }
        for counted in countedLinks where counted.ends == ends {
            let side = counted.end == end ? "\"source\"" : "\"destination\""
            conditions.append(counted.condition.map { "NOT \($0(side))" } ?? "0")
        }
        countedLinks.append(CountedLinks(ends: ends, end: end, condition: condition))
        let rest = conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
        return Self.count(
            "SELECT \"source\", \"destination\" FROM (\(pairs))\(rest)",
            isSymmetric: Self.isSymmetric(relationship, in: old))
    }

    /// Returns a query for the links that the author does not keep. If both ends keep one link, the
    /// end that is declared first comes first.
    func linksNotKept(_ name: String, of entity: String) -> String {
        let end = ModelMatch.PropertyName(entity: entity, property: name)
        guard let successor = successors.first(where: { $0.name == end || $0.inverse == end })
        else {
            return Self.none
        }
        let carried = successor.sets.map { $0.query() }.joined(separator: " UNION ALL ")
        let isSymmetric = successor.sets.contains { Self.isSymmetric($0.relationship, in: old) }
        let before = Self.count(carried, isSymmetric: isSymmetric)
        let after = Self.sum(successor.sets.map { linksLeft(of: $0, in: successor) })
        let other = successor.name == end ? successor.inverse : successor.name
        let keeps = new.migration?.keeps ?? []
        func place(_ end: ModelMatch.PropertyName) -> Int? {
            keeps.firstIndex { $0.entity == end.entity && $0.relationship == end.property }
        }
        guard let other, other != end, let theirs = place(other), let own = place(end) else {
            return "SELECT (\(before)) - (\(after))"
        }
        let first = (own < theirs) == (successor.name == end) ? "\"source\"" : "\"destination\""
        let between = "SELECT count(DISTINCT \(first)) FROM (\(carried))"
        return own < theirs
            ? "SELECT (\(before)) - (\(between))" : "SELECT (\(between)) - (\(after))"
    }

    /// Returns a query for the links of a relationship that loses its order, of the objects that
    /// still exist. A list of one link has no order.
    func orderedLinks(_ name: String, of entity: String) -> String {
        let former = match.former(.init(entity: entity, property: name))
        let owner = former.flatMap { old.entity(named: $0.entity) } ?? formerEntity(entity)
        let property = former?.property ?? name
        guard let owner, let declarer = old.declarer(of: property, in: owner),
            let relationship = old.relationship(property, of: owner),
            let pairs = Self.pairs(of: relationship, declarer, in: old, { $0 })
        else { return Self.none }
        let ends = [
            ("\"source\"", old.root(of: declarer).name),
            ("\"destination\"", old.entity(named: relationship.destination).map(old.root)?.name),
        ]
        let conditions = ends.compactMap { end, table in
            table.flatMap(match.droppedKeys).map { "\(end) NOT IN (\($0))" }
        }
        let existing =
            "SELECT \"source\", \"destination\" FROM (\(pairs))"
            + (conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))")
        return Self.count(
            """
            SELECT "source", "destination" FROM (\(existing)) WHERE "source" IN (\
            SELECT "source" FROM (\(existing)) GROUP BY 1 HAVING count(*) > 1)
            """,
            isSymmetric: Self.isSymmetric(relationship, in: old))
    }

    // MARK: Pairs

    /// The number of an old relationship's links that a new relationship has while the tables of
    /// both exist.
    private func linksLeft(of links: OldLinks, in successor: Successor) -> String {
        let isSymmetric = Self.isSymmetric(links.relationship, in: old)
        var carried = links.query()
        if isSymmetric { carried = Self.oneWay(carried) }
        let exists: (String, String) -> String
        switch new.storage(of: successor.relationship, of: successor.entity) {
        case .key(let column, _):
            let table = SQLText.identifier(present(new.root(of: successor.entity).name))
            exists = { source, destination in
                """
                EXISTS (SELECT 1 FROM \(table) AS now WHERE now."_id" = \(source) \
                AND now.\(SQLText.identifier(column)) = \(destination))
                """
            }
        case .joinTable(let name, let first, let second):
            let table = SQLText.identifier(present(name))
            exists = { source, destination in
                """
                EXISTS (SELECT 1 FROM \(table) AS now WHERE now.\(SQLText.identifier(first)) = \
                \(source) AND now.\(SQLText.identifier(second)) = \(destination))
                """
            }
        case .inverseKey, .transient:
            return Self.none
        }
        let ends = ["\"source\"", "\"destination\""].map { "link.\($0)" }
        return "SELECT count(*) FROM (\(carried)) AS link WHERE \(exists(ends[0], ends[1]))"
            + (isSymmetric ? " OR \(exists(ends[1], ends[0]))" : "")
    }

    /// The relationships of a model at the end that keeps their links.
    private static func keepers(in model: Model) -> [(Entity, Relationship)] {
        model.entities.flatMap { entity in
            entity.relationships.compactMap { relationship in
                switch model.storage(of: relationship, of: entity) {
                case .key, .joinTable(_, "_source", _): (entity, relationship)
                case .joinTable, .inverseKey, .transient: nil
                }
            }
        }
    }

    private static func isSymmetric(_ relationship: Relationship, in model: Model) -> Bool {
        model.inverse(of: relationship)?.relationship == relationship
    }

    /// Returns a query of the links, as `source` and `destination`; nil if the store has none.
    ///
    /// - Parameter name: Returns the name of a table.
    private static func pairs(
        of relationship: Relationship, _ entity: Entity, in model: Model,
        _ name: (String) -> String
    ) -> String? {
        let table = { (name: String) in SQLText.identifier(name) }
        switch model.storage(of: relationship, of: entity) {
        case .key(let column, _):
            let key = SQLText.identifier(column)
            return """
                SELECT "_id" AS "source", \(key) AS "destination" FROM \
                \(table(name(model.root(of: entity).name))) WHERE \(key) IS NOT NULL
                """
        case .inverseKey(let column):
            guard let inverse = model.inverse(of: relationship) else { return nil }
            let key = SQLText.identifier(column)
            return """
                SELECT \(key) AS "source", "_id" AS "destination" FROM \
                \(table(name(model.root(of: inverse.entity).name))) WHERE \(key) IS NOT NULL
                """
        case .joinTable(let links, let source, let destination):
            return """
                SELECT \(SQLText.identifier(source)) AS "source", \
                \(SQLText.identifier(destination)) AS "destination" FROM \(table(name(links)))
                """
        case .transient:
            return nil
        }
    }

    private static func count(_ pairs: String, isSymmetric: Bool) -> String {
        "SELECT count(*) FROM (\(isSymmetric ? oneWay(pairs) : pairs))"
    }

    /// Returns each link once, if links exist in both directions.
    private static func oneWay(_ pairs: String) -> String {
        """
        SELECT DISTINCT min("source", "destination") AS "source", \
        max("source", "destination") AS "destination" FROM (\(pairs))
        """
    }
}
