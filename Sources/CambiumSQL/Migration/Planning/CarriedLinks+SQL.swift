import CambiumModel
import CambiumPlan

extension CarriedLinks {
    /// Returns a query of the pairs that stay, as `source` and `destination`.
    ///
    /// - Parameter positions: The new position columns, and whether they belong to the lists of the
    ///   sources or of the destinations.
    func query(with positions: [(column: String, isOfSource: Bool)] = []) -> String {
        let isMerged = sets.count > 1
        let queries = sets.indices.map { index in
            let places = sets[index].positions
            let columns = positions.map { position in
                let old = position.isOfSource ? places.ofSource : places.ofDestination
                return (
                    name: position.column, sql: old.map(SQLText.identifier) ?? dialect.noInteger
                )
            }
            let number = isMerged ? [(name: Self.set, sql: "\(index)")] : []
            return sets[index].query(with: columns + number + choices(of: sets[index]))
        }
        var query = queries.joined(separator: " UNION ALL ")
        if isMerged, !positions.isEmpty { query = consecutive(query, positions) }
        var ends = [(keeps.source, "source", "_s"), (keeps.destination, "destination", "_d")]
        if keepsDestinationsFirst { ends.reverse() }
        for (index, (keep, end, prefix)) in ends.enumerated() {
            guard let keep else { continue }
            let order =
                self.order(of: keep, prefix)
                + [end == "source" ? "\"destination\"" : "\"source\""]
            var names = ["source", "destination"].map(SQLText.identifier)
            names += positions.map { SQLText.identifier($0.column) }
            if index == 0 { names += choices(ofEnd: ends[1]) }
            let numbered = """
                SELECT *, row_number() OVER (\
                PARTITION BY "\(end)" ORDER BY \(order.joined(separator: ", "))) AS "_number" \
                FROM \(dialect.source(query))
                """
            query =
                """
                SELECT \(names.joined(separator: ", ")) FROM \(dialect.source(numbered)) \
                WHERE "_number" = 1
                """
        }
        return query
    }

    private var dialect: any MigrationDialect { sets[0].match.dialect }

    /// The tables that ``query(with:)`` and ``choice`` read.
    var tables: Set<String> {
        let isOrdered = [keeps.source, keeps.destination].contains { $0?.order.isEmpty == false }
        return sets.reduce(into: []) { tables, links in
            tables.formUnion(links.tables)
            if isOrdered { tables.formUnion([links.table, links.destinationTable]) }
        }
    }

    /// A query of all pairs in the order of the sources' choices: by their keys, and for each
    /// source by the author's order of its links.
    var choice: String {
        let query = sets.map { $0.query(with: choices(of: $0)) }.joined(separator: " UNION ALL ")
        let order =
            ["\"source\""] + (keeps.source.map { self.order(of: $0, "_s") } ?? []) + [
                "\"destination\""
            ]
        return """
            SELECT "source", "destination" FROM \(dialect.source(query))\n\
            ORDER BY \(order.joined(separator: ", "))
            """
    }

    /// Returns the terms that order the links of an object: the author's, then their position.
    private func order(of keep: MigrationDeclaration.Keep, _ prefix: String) -> [String] {
        keep.order.enumerated().map { index, order in
            "\"\(prefix)\(index)\"\(order.isDescending ? " DESC" : "") NULLS LAST"
        } + ["\"\(prefix)place\" NULLS LAST"]
    }

    /// The column with the number of a link's set.
    private static let set = "_set"

    /// Returns a query that appends merged lists to each other, in the order of the sets.
    private func consecutive(
        _ query: String, _ positions: [(column: String, isOfSource: Bool)]
    ) -> String {
        let places = positions.map { column, isOfSource in
            let ends = isOfSource ? ("source", "destination") : ("destination", "source")
            let name = SQLText.identifier(column)
            return """
                row_number() OVER (PARTITION BY "\(ends.0)" ORDER BY "\(Self.set)", \
                \(name) NULLS LAST, "\(ends.1)") * \(Model.positionGap) AS \(name)
                """
        }
        let names =
            ["\"source\"", "\"destination\""] + places
            + (choices(ofEnd: (keeps.source, "source", "_s"))
                + choices(ofEnd: (keeps.destination, "destination", "_d")))
        return "SELECT \(names.joined(separator: ", ")) FROM \(dialect.source(query))"
    }

    /// Returns the columns that choose the links that stay.
    private func choices(of links: OldLinks) -> [(name: String, sql: String)] {
        var choices: [(name: String, sql: String)] = []
        let places = links.positions
        let ends = [(keeps.source, "_s", true), (keeps.destination, "_d", false)]
        for (keep, prefix, isOfSource) in ends {
            guard let keep else { continue }
            for (index, order) in keep.order.enumerated() {
                let value = links.value(of: order.attribute, atSource: !isOfSource)
                choices.append(("\(prefix)\(index)", value ?? none(of: order.attribute)))
            }
            let place = isOfSource ? places.ofSource : places.ofDestination
            choices.append(("\(prefix)place", place.map(SQLText.identifier) ?? dialect.noInteger))
        }
        return choices
    }

    /// NULL among the values that objects of other sets have.
    private func none(of attribute: String) -> String {
        let owners = sets.flatMap { [$0.entity, $0.destination].compactMap(\.self) }
        let old = sets[0].match.old
        return owners.lazy.compactMap { old.attribute(attribute, of: $0) }.first
            .map { dialect.none(of: $0, in: old) } ?? "NULL"
    }

    /// Returns the columns that a second choice still needs after the first.
    private func choices(
        ofEnd end: (keep: MigrationDeclaration.Keep?, name: String, prefix: String)
    ) -> [String] {
        guard let keep = end.keep else { return [] }
        return (keep.order.indices.map { "\(end.prefix)\($0)" } + ["\(end.prefix)place"])
            .map(SQLText.identifier)
    }
}

extension OldLinks {
    /// Returns a query of the pairs, without links of dropped objects. `source` and `destination`
    /// are from the view of the new relationship and have the keys of the new store.
    ///
    /// - Parameter more: Further columns: the name, and SQL over the old links. The ends are named
    ///   as their columns are.
    func query(with more: [(name: String, sql: String)] = []) -> String {
        let (first, second, from) = columns
        var conditions: [String] = []
        switch storage {
        case .key: conditions.append("\(second) IS NOT NULL")
        case .inverseKey: conditions.append("\(first) IS NOT NULL")
        case .joinTable: break
        case .transient: conditions.append(match.dialect.condition(false))
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

    /// Returns SQL for an old attribute of the object at an end of the new relationship, over the
    /// old links.
    func value(of attribute: String, atSource: Bool) -> String? {
        let (first, second, from) = columns
        let isFirst = atSource != isSwapped
        guard let owner = isFirst ? entity : destination,
            let declarer = match.old.declarer(of: attribute, in: owner),
            match.old.attribute(attribute, of: owner) != nil
        else { return nil }
        let table = match.old.root(of: owner).name
        let column = SQLText.identifier(match.old.column(of: attribute, in: declarer))
        return """
            (SELECT chosen.\(column) FROM \(SQLText.identifier(table)) AS chosen \
            WHERE chosen."_id" = \(SQLText.identifier(from)).\(isFirst ? first : second))
            """
    }
}

/// The links of a one-to-one, if more links are declared or exist than there can be. The objects
/// choose in the order of their keys, each the first object that is still free, and both get the
/// link. A query of a single row cannot see the choices for other rows. So the links are chosen in
/// a separate table before the other tables are filled.
final class ChosenPairs {
    private let entity: Entity
    private let relationship: Relationship
    private let links: CarriedLinks?
    private let given: [LinkSource]
    private let dialect: any MigrationDialect

    private var isSymmetric: Bool { relationship.isOwnInverse(in: entity) }

    /// Creates the pairs of a relationship that an entity of the new version declares. The result
    /// is nil if its links do not change, or can be found one by one.
    init?(of relationship: Relationship, of entity: Entity, in match: ModelMatch) {
        guard !relationship.isToMany, case .key = match.new.storage(of: relationship, of: entity),
            match.new.inverse(of: relationship)?.relationship.isToMany == false
        else { return nil }
        self.entity = entity
        self.relationship = relationship
        dialect = match.dialect
        links = CarriedLinks(of: relationship, of: entity, in: match)
        given =
            match.link(of: relationship.name, in: entity.name)
            .flatMap { LinkSource.all(of: $0, in: match) } ?? []
        guard !given.isEmpty || isSymmetric && links?.keeps.source != nil else { return nil }
    }

    /// Returns all chosen pairs of a new version.
    static func all(in match: ModelMatch) -> [ChosenPairs] {
        match.new.entities.flatMap { entity in
            entity.relationships.compactMap { ChosenPairs(of: $0, of: entity, in: match) }
        }
    }

    /// The relationship, for people.
    var name: String { "\(entity.name).\(relationship.name)" }

    /// The statements that choose the links.
    var statements: [MigrationStatement] {
        var statements = [
            MigrationStatement.create(
                tableName,
                """
                ("source" \(dialect.integer) PRIMARY KEY, \
                "destination" \(dialect.integer) NOT NULL UNIQUE)\(dialect.tableOptions)
                """)
        ]
        if isSymmetric {
            // An object that was chosen has chosen, too.
            statements += dialect.mirroring(of: tableName)
        }
        func insertion(_ query: String, of tables: Set<String>) -> MigrationStatement {
            dialect.insertionOfFirst(
                into: tableName, ["source", "destination"], query, from: tables.sorted())
        }
        if let links {
            let query =
                isSymmetric
                ? links.choice
                : "SELECT \"source\", \"destination\" FROM \(dialect.source(links.query())) ORDER BY 1, 2"
            statements.append(insertion(query, of: links.tables))
        }
        return statements + given.map { insertion($0.pairs(besides: table), of: $0.tables) }
    }

    /// The statement that drops the table.
    var removal: MigrationStatement { .drop(tableName) }

    /// Returns SQL for the object that the object with a key is linked to.
    func destination(of key: String) -> String {
        "(SELECT \"destination\" FROM \(table) WHERE \"source\" = \(key))"
    }

    /// The table of the links.
    var tableName: String { "_pairs.\(name)" }

    private var table: String { SQLText.identifier(tableName) }
}
