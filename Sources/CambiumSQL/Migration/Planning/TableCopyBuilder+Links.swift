import CambiumModel
import CambiumPlan

extension TableCopyBuilder {
    func links(_ entity: String, _ relationship: String, into table: Table) -> TableCopy {
        guard let links = carriedLinks(relationship, of: entity) else {
            return TableCopy(table: table, dialect: match.dialect)
        }
        if let only = links.single, case .joinTable(let name, "_source", _) = only.storage,
            !only.isSwapped, name == table.name, only.owners == nil, only.members == nil,
            !only.changesKeys,
            let source = oldSchema.table(named: name)
        {
            let known = Set(source.columns.names)
            let values = table.columns.map {
                TableCopy.Value(known.contains($0.name) ? .column($0.name) : .null)
            }
            return TableCopy(
                table: table, dialect: match.dialect,
                parts: [.init(source: source, values: values)])
        }
        let query = links.query(
            with: table.columns.dropFirst(2).map {
                // The lists of the sources and the lists of the destinations.
                ($0.name, isOfSource: $0.name.hasPrefix("_source"))
            })
        return TableCopy(table: table, dialect: match.dialect, links: (query, links.tables))
    }

    /// Returns the position in the list of the owner, in the row of a member. A member without a
    /// position comes last, by its key.
    func position(
        _ relationship: String, of entity: String, from origin: RowOrigin
    ) -> TableCopy.Origin {
        guard let links = carriedLinks(relationship, of: entity),
            links.sets.contains(where: { $0.positions.ofSource != nil })
        else { return .null }
        guard links.sets.count == 1, links.sets[0].isKeyOfDestination else {
            // Lists that are joined, or lists whose members were in several and keep one position.
            let query = links.query(with: [("_place", isOfSource: true)])
            return .sql(
                """
                (SELECT min("_place") FROM \(match.dialect.source(query)) \
                WHERE "destination" = \(origin.newKey ?? "old.\"_id\""))
                """,
                of: [SystemColumn.key], tables: links.tables)
        }
        let only = links.sets[0]
        let table = only.isSwapped ? only.table : only.destinationTable
        guard table == origin.table.name, let column = only.positions.ofSource else { return .null }
        return .column(column)
    }

    /// Returns the key of a to-one in the new table: the old key, or else the declared link.
    func key(
        _ relationship: String, of entity: String, from origin: RowOrigin
    ) -> TableCopy.Origin {
        if let pairs = chosenPairs(relationship, of: entity) {
            return .sql(
                pairs.destination(of: origin.newKey ?? "old.\"_id\""), of: [SystemColumn.key],
                tables: [pairs.tableName])
        }
        let carried = carriedKey(relationship, of: entity, from: origin)
        guard let given = givenKey(relationship, of: entity, from: origin) else { return carried }
        if carried == .null { return given }
        return .sql(
            "coalesce(\(carried.sql), \(given.sql))", of: carried.columns + given.columns,
            tables: carried.tables.union(given.tables))
    }

    /// The key that the author assigns to objects without one.
    private func givenKey(
        _ relationship: String, of entity: String, from origin: RowOrigin
    ) -> TableCopy.Origin? {
        guard let link = match.link(of: relationship, in: entity),
            let owner = new.entity(named: entity),
            let source = LinkSource.all(of: link, in: match)?
                .first(where: { $0.table == origin.table.name })
        else { return nil }
        let query = source.query
        guard owner.parent != nil else {
            return .sql(query, of: [SystemColumn.key], tables: source.tables)
        }
        let members = origin.members(of: owner, without: []).compactMap { name in
            new.entity(named: name).flatMap(match.oldEntity)?.name
        }
        return .sql(
            "CASE WHEN \(origin.isOf(members)) THEN \(query) END",
            of: origin.columnsOfEntity + [SystemColumn.key], tables: source.tables)
    }

    private func carriedKey(
        _ relationship: String, of entity: String, from origin: RowOrigin
    ) -> TableCopy.Origin {
        guard let links = carriedLinks(relationship, of: entity) else { return .null }
        if let keys = keysInRow(links, from: origin) {
            guard keys.count > 1 else { return keys.first ?? .null }
            return .sql(
                "coalesce(\(keys.map { $0.sql }.joined(separator: ", ")))",
                of: keys.flatMap { $0.columns },
                tables: keys.reduce(into: []) { $0.formUnion($1.tables) })
        }
        return .sql(
            """
            (SELECT min("destination") FROM \(match.dialect.source(links.query())) \
            WHERE "source" = \(origin.newKey ?? "old.\"_id\""))
            """,
            of: [SystemColumn.key], tables: links.tables)
    }

    /// Returns the key if the old rows contain it too, in one column or in one column for each
    /// entity that had it. The result is nil if the key must be searched for.
    private func keysInRow(_ links: CarriedLinks, from origin: RowOrigin) -> [TableCopy.Origin]? {
        guard links.keeps.source == nil, links.keeps.destination == nil,
            links.sets.allSatisfy({ $0.keyOfSource != nil })
        else { return nil }
        return links.sets.filter { $0.table == origin.table.name }.compactMap { links in
            guard let column = links.keyOfSource?.column else { return nil }
            let quoted = "old.\(SQLText.identifier(column))"
            var conditions: [String] = []
            if let dropped = match.droppedKeys(in: links.destinationTable) {
                conditions.append("\(quoted) NOT IN (\(dropped))")
            }
            if let members = links.members {
                let keys = ModelMatch.keys(of: members, in: links.destinationTable)
                conditions.append("\(quoted) IN (\(keys))")
            }
            if let owners = links.owners { conditions.append(origin.isOf(owners)) }
            let key = links.destination.map { match.newKey(quoted, of: $0) } ?? quoted
            if conditions.isEmpty, key == quoted { return .column(column) }
            return .sql(
                conditions.isEmpty
                    ? key : "CASE WHEN \(conditions.joined(separator: " AND ")) THEN \(key) END",
                of: [column] + (links.owners == nil ? [] : origin.columnsOfEntity),
                tables: [links.destinationTable])
        }
    }

    /// The entity of that key's object.
    func entityOfKey(
        _ relationship: String, of entity: String, from origin: RowOrigin
    ) -> TableCopy.Origin {
        let links = carriedLinks(relationship, of: entity)
        let key = key(relationship, of: entity, from: origin)
        if case .column = key, let only = links?.single,
            let column = only.keyOfSource?.entityColumn,
            match.renamedEntity("", in: only.destinationTable) == nil
        {
            return .column(column)
        }
        if key == .null { return .null }
        var ends: [Entity] = []
        var all = (links?.sets ?? []).map { $0.isSwapped ? $0.entity : $0.destination }
        if match.link(of: relationship, in: entity) != nil {
            all.append(oldDestination(of: relationship, in: entity))
        }
        for end in all {
            if let root = end.map(old.root), !ends.contains(where: { $0.name == root.name }) {
                ends.append(root)
            }
        }
        let names = ends.map { nameOfObject(withKey: key.sql, in: $0, isAlone: ends.count == 1) }
        return .sql(
            names.count == 1 ? names[0] : "coalesce(\(names.joined(separator: ", ")))",
            of: key.columns, tables: key.tables.union(ends.map { $0.name }))
    }

    /// SQL for the new entity of the object of an old table that has a new key.
    ///
    /// - Parameter isAlone: Whether no other table can have it.
    private func nameOfObject(
        withKey key: String, in root: Entity, isAlone: Bool
    ) -> String {
        let isShifted = match.shiftsKeys(of: root)
        let literal = SQLText.literal(match.newEntity(of: root)?.name ?? root.name)
        guard old.hasSubentities(root) || isShifted || !isAlone else {
            return "CASE WHEN \(key) IS NOT NULL THEN \(literal) END"
        }
        let name =
            old.hasSubentities(root)
            ? match.renamedEntity("other.\"_entity\"", in: root.name) ?? "other.\"_entity\""
            : literal
        let ownKey = isShifted ? match.newKey("other.\"_id\"", of: root) : "other.\"_id\""
        return """
            (SELECT \(name) FROM \(SQLText.identifier(root.name)) AS other \
            WHERE \(ownKey) = \(key))
            """
    }

    /// Returns the old entity of the objects that a relationship references.
    private func oldDestination(of relationship: String, in entity: String) -> Entity? {
        new.entity(named: entity).flatMap { new.relationship(relationship, of: $0) }
            .flatMap { new.entity(named: $0.destination) }.flatMap(match.oldEntity)
    }

    private func carriedLinks(_ relationship: String, of entity: String) -> CarriedLinks? {
        declared(relationship, of: entity).flatMap { CarriedLinks(of: $1, of: $0, in: match) }
    }

    private func chosenPairs(_ relationship: String, of entity: String) -> ChosenPairs? {
        declared(relationship, of: entity).flatMap { ChosenPairs(of: $1, of: $0, in: match) }
    }

    private func declared(
        _ relationship: String, of entity: String
    ) -> (entity: Entity, relationship: Relationship)? {
        new.entity(named: entity).flatMap { entity in
            entity.relationship(named: relationship).map { (entity, $0) }
        }
    }
}

/// SQL for the object to link to, for existing objects of one old table whose to-one is empty.
final class LinkSource {
    private let match: ModelMatch
    /// The old entity of the objects that get the link, or an ancestor of it.
    private let source: Entity
    private let destination: Entity
    /// The entity of the new version that declares the relationship.
    private let owner: Entity
    private let conditions: [String]
    private let order: [String]
    /// The tables that the queries read.
    let tables: Set<String>

    /// Returns the sources of a declared link, one for each old table with objects that get the
    /// link; nil if the store cannot compute one of them.
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
            let relationship = entity.relationship(named: link.relationship),
            let destination = match.new.entity(named: relationship.destination),
            let oldDestination = match.oldEntity(of: destination),
            let condition = match.dialect.condition(
                link.condition, of: oldDestination, in: match.old, as: Self.alias,
                variables: [Self.sourceName: source])
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
        // The result contains only objects that still exist and that the relationship may
        // reference.
        let members = Self.members(of: destination, at: oldDestination, as: Self.alias, match)
        conditions = members + ["(\(condition.sql))"]
        self.order = order + [SQLText.column(SystemColumn.key, of: Self.alias)]
        tables = condition.tables.union(
            [oldDestination, source].map { match.old.root(of: $0).name })
    }

    /// A query of the new key of the object, for an old row in a table with the alias `old`.
    var query: String {
        let all = ["\(Self.row).\"_id\" = old.\"_id\""] + conditions
        return """
            (SELECT \(newKey(Self.alias, of: destination)) FROM \(sources) \
            WHERE \(all.joined(separator: " AND ")) \
            ORDER BY \(order.joined(separator: ", ")) LIMIT 1)
            """
    }

    /// Returns a query of all possible pairs, with the keys of the new store. The objects are in
    /// the order of their keys, each with its candidates in their order.
    ///
    /// - Parameter table: The existing pairs, as `source` and `destination`.
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

    /// Returns a condition that an old row belongs to a new entity; empty if all rows do.
    private static func members(
        of entity: Entity, at former: Entity, as alias: String, _ match: ModelMatch
    ) -> [String] {
        let root = match.old.root(of: former)
        guard match.old.hasSubentities(root) else { return [] }
        let names = match.new.family(of: entity).compactMap(match.oldEntity)
            .filter { match.old.root(of: $0).name == root.name }
            .map { $0.name }
        return ["\(alias).\"_entity\" IN (\(SQLText.literals(names)))"]
    }

    private static let alias = "found"
    /// The name in the condition of the object that gets the link.
    private static let sourceName = "source"
    /// The old row under the name that the condition has for it.
    private static let row = SQLText.identifier(ExpressionSQL.alias(ofVariable: 0))
}
