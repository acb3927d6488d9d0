import CambiumModel
import CambiumPlan

/// SQL for the object that a to-one references where existing objects of one old table have none
/// there.
final class LinkSource {
    private let match: ModelMatch
    /// What the objects that get the link were, at least.
    private let source: Entity
    private let destination: Entity
    /// The entity of the new version that declares the relationship.
    private let owner: Entity
    private let conditions: [String]
    private let order: [String]
    /// The tables that the queries read.
    let tables: Set<String>

    /// Works out what the author says, for each old table that has objects which get the link; nil
    /// where the store cannot compute it for one of them.
    static func all(of link: MigrationDeclaration.Link, in match: ModelMatch) -> [LinkSource]? {
        guard let entity = match.new.entity(named: link.entity) else { return nil }
        let formers = match.formers(of: entity)
        let sources = formers.compactMap { LinkSource(link, from: $0, in: match) }
        return sources.isEmpty || sources.count < formers.count ? nil : sources
    }

    /// The old table of the objects that get the link.
    var table: String { match.old.root(of: source).name }

    private init?(
        _ link: MigrationDeclaration.Link, from source: Entity, in match: ModelMatch
    ) {
        guard let entity = match.new.entity(named: link.entity),
            let relationship = entity.relationships.first(where: { $0.name == link.relationship }),
            let destination = match.new.entity(named: relationship.destination),
            let oldDestination = match.oldEntity(of: destination),
            let condition = try? ExpressionSQL.condition(
                link.condition, entity: oldDestination, model: match.old, alias: Self.alias,
                constants: .inline, variables: [Self.sourceName: source], heedsNUL: true),
            condition.parameters.isEmpty
        else { return nil }
        var order: [String] = []
        for item in link.order {
            guard let declarer = match.old.declarer(of: item.attribute, in: oldDestination),
                match.old.attribute(item.attribute, of: oldDestination)?.isTransient == false
            else { return nil }
            let column = match.old.column(of: item.attribute, in: declarer)
            order.append(
                """
                \(SQLText.column(column, of: Self.alias))\
                \(item.isDescending ? " DESC" : "") NULLS LAST
                """)
        }
        self.match = match
        self.source = source
        self.destination = oldDestination
        owner = entity
        // Only what lives on, and as what the relationship may reference.
        let members = Self.members(of: destination, at: oldDestination, as: Self.alias, match)
        conditions = members + ["(\(condition.text))"]
        self.order = order + [SQLText.column(SystemColumn.key, of: Self.alias)]
        tables = condition.tables.union(
            [oldDestination, source].map { match.old.root(of: $0).name })
    }

    /// A query of the new key of the object, for an old row whose table is called `old`.
    var query: String {
        let all = ["\(Self.row).\"_id\" = old.\"_id\""] + conditions
        return """
            (SELECT \(newKey(Self.alias, of: destination)) FROM \(sources) \
            WHERE \(all.joined(separator: " AND ")) \
            ORDER BY \(order.joined(separator: ", ")) LIMIT 1)
            """
    }

    /// A query of all pairs, with the keys of the new store, that may be linked: the objects in the
    /// order of their keys, each with those that it may be linked to, the first of them first.
    ///
    /// - Parameter table: The pairs that are linked already, `source` and `destination`.
    func pairs(besides table: String) -> String {
        let (from, to) = (newKey(Self.row, of: source), newKey(Self.alias, of: destination))
        let all =
            Self.members(of: owner, at: source, as: Self.row, match) + conditions + [
                "\(from) NOT IN (SELECT \"source\" FROM \(table))",
                "\(to) NOT IN (SELECT \"destination\" FROM \(table))",
            ]
        return """
            SELECT \(from), \(to) FROM \(sources)\nWHERE \(all.joined(separator: " AND "))\n\
            ORDER BY \((["\(Self.row).\"_id\""] + order).joined(separator: ", "))
            """
    }

    private var sources: String {
        """
        \(SQLText.identifier(match.old.root(of: destination).name)) AS \(Self.alias), \
        \(SQLText.identifier(match.old.root(of: source).name)) AS \(Self.row)
        """
    }

    private func newKey(_ alias: String, of entity: Entity) -> String {
        let key = "\(alias).\"_id\""
        return match.shiftsKeys(of: entity) ? match.newKey(key, of: entity) : key
    }

    /// A condition that an old row is one of those of a new entity; none where all are.
    private static func members(
        of entity: Entity, at former: Entity, as alias: String, _ match: ModelMatch
    ) -> [String] {
        let root = match.old.root(of: former)
        guard match.old.hasSubentities(root) else { return [] }
        let names = match.new.family(of: entity).compactMap(match.oldEntity)
            .filter { match.old.root(of: $0).name == root.name }
            .map(\.name)
        return ["\(alias).\"_entity\" IN (\(SQLText.literals(names)))"]
    }

    private static let alias = "found"
    /// What the condition calls the object that gets the link.
    private static let sourceName = "source"
    /// The old row under the name that the condition has for it.
    private static let row = SQLText.identifier(ExpressionSQL.alias(ofVariable: 0))
}
