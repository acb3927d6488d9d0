import CambiumModel
import CambiumPlan

/// Takes objects of an entity away, and the links to them. It runs while foreign keys are off.
struct ObjectRemoval {
    let dialect: any MigrationDialect
    let model: Model
    let schema: Schema
    let entity: Entity
    /// The treatment of links to the deleted objects.
    let links: MigrationDeclaration.Deduplication.Links
    /// The number of the removal, if the objects of several removals are chosen before any of them
    /// runs.
    var number = 0

    private var root: Entity { model.root(of: entity) }

    /// Returns the helper table of a removal. It has the key of each deleted object, the key of the
    /// object that stays in its place, and its position among equal objects.
    static func pairs(_ number: Int) -> String { SQLText.identifier(pairsName(number)) }
    @inline(never)
    private static func pairsName(_ number: Int) -> String {
        "_duplicate\(number == 0 ? "" : "\(number)")"
    }
    private var pairs: String { Self.pairs(number) }
    @inline(never)
    private var pairsName: String { Self.pairsName(number) }
    /// The helper table of the links of one to-one relationship, as they are to be.
    private static let movedName = "_moved"
    private static let moved = SQLText.identifier(movedName)

    /// All statements of a removal that runs alone.
    ///
    /// - Parameters: As of ``choice(_:from:)``.
    func statements(removing query: String, from tables: [String]) -> [MigrationStatement] {
        choice(query, from: tables)
            + (links == .move ? linkUpdates + deletion : deletion + linkUpdates) + ending
    }

    /// Chooses the objects to delete.
    ///
    /// - Parameters:
    ///   - query: A query with three columns: the key of each deleted object, the key that links to
    ///     the object reference from now on, and the object's position among objects with the same
    ///     key. If links are deleted too, the last two are ignored.
    ///   - tables: The tables that the query reads.
    func choice(_ query: String, from tables: [String]) -> [MigrationStatement] {
        [
            .create(
                pairsName,
                """
                ("old" \(dialect.integer) PRIMARY KEY, "kept" \(dialect.integer) NOT NULL, \
                "place" \(dialect.integer) NOT NULL)\(dialect.tableOptions)
                """),
            MigrationStatement(
                .chooseObjects(pairsName, from: tables),
                "INSERT INTO \(pairs) (\"old\", \"kept\", \"place\")\n\(query)"),
        ]
    }

    /// Takes the links to the objects away, or moves them.
    var linkUpdates: [MigrationStatement] { schema.tables.flatMap(linkStatements) }

    /// Deletes the objects. Their links are deleted after them, because an object that a deleted
    /// one requires may be deleted too.
    var deletion: [MigrationStatement] { [delete(from: root.name, where: isGoing("\"_id\""))] }

    /// Takes the helper table away.
    var ending: [MigrationStatement] { [.drop(pairsName)] }

    /// A condition that a row is one of the entity's objects; nil if all rows are.
    var membership: String? {
        entity.parent == nil ? nil : "\"_entity\" IN (\(names(of: entity)))"
    }

    // MARK: Links

    private func linkStatements(in table: Table) -> [MigrationStatement] {
        switch table.content {
        case .system: return []
        case .links(let owner, let name):
            guard let source = model.entity(named: owner),
                let relationship = source.relationship(named: name),
                let destination = model.entity(named: relationship.destination)
            else { return [] }
            let ends = [("_source", source), ("_destination", destination)]
                .filter { model.root(of: $0.1).name == root.name }
            return (ends.count > 1 && links == .move ? [deletionOfInnerPairs(in: table)] : [])
                + ends.flatMap { side, end in pairStatements(table, side, to: end) }
        case .objects:
            return table.columns.flatMap { column -> [MigrationStatement] in
                guard case .key(let owner, let name) = column.content,
                    let source = model.entity(named: owner),
                    let relationship = source.relationship(named: name),
                    let destination = model.entity(named: relationship.destination)
                else { return [] }
                return keyStatements(
                    table, column.name, relationship, of: source, to: destination)
            }
        }
    }

    /// Deletes links between equal objects. They would link an object to itself.
    private func deletionOfInnerPairs(in table: Table) -> MigrationStatement {
        func kept(_ side: String) -> String {
            """
            coalesce((SELECT pair."kept" FROM \(pairs) AS pair \
            WHERE pair."old" = \(side)), \(side))
            """
        }
        return delete(
            from: table.name,
            where: """
                "_source" <> "_destination" \
                AND \(kept("\"_source\"")) = \(kept("\"_destination\""))
                """)
    }

    private func delete(from table: String, where condition: String) -> MigrationStatement {
        .delete(from: table, where: condition, reading: [pairsName])
    }

    private func update(
        _ table: Table, _ change: String, where condition: String? = nil
    ) -> MigrationStatement {
        .update(table.name, set: change, where: condition, from: [pairsName, root.name])
    }

    /// Joins the lists of equal objects: first the list of the object that stays, then the others.
    private func listStatement(_ table: Table, _ side: String) -> [MigrationStatement] {
        let position = "\(side)_position"
        guard table.columns.contains(where: { $0.name == position }) else { return [] }
        let other = SQLText.identifier(side == "_source" ? "_destination" : "_source")
        let (name, owner, place) = (
            SQLText.identifier(table.name), SQLText.identifier(side), SQLText.identifier(position)
        )
        return [
            update(
                table,
                """
                \(place) = listed."place"\nFROM (SELECT link.\(owner) AS "owner", \
                link.\(other) AS "member", row_number() OVER (\
                PARTITION BY coalesce(pair."kept", link.\(owner)) \
                ORDER BY coalesce(pair."place", 0), link.\(place) NULLS LAST, link.\(other)) \
                * \(Model.positionGap) AS "place" FROM \(name) AS link \
                LEFT JOIN \(pairs) AS pair ON pair."old" = link.\(owner)\n\
                WHERE pair."old" IS NOT NULL OR \(isStaying("link.\(owner)"))) AS listed\n\
                WHERE listed."owner" = \(name).\(owner) AND listed."member" = \(name).\(other)
                """
            )
        ]
    }

    /// Deletes repeated links of equal objects to the same object. The link of the first object
    /// stays, with its positions in both lists.
    private func deletionOfRepetitions(in table: Table, _ side: String) -> MigrationStatement {
        let other = SQLText.identifier(side == "_source" ? "_destination" : "_source")
        let (name, owner) = (SQLText.identifier(table.name), SQLText.identifier(side))
        let numbered = """
            SELECT link.\(owner) AS "owner", link.\(other) AS "member", \
            row_number() OVER (PARTITION BY coalesce(pair."kept", link.\(owner)), \
            link.\(other) ORDER BY coalesce(pair."place", 0)) AS "number" \
            FROM \(name) AS link LEFT JOIN \(pairs) AS pair ON pair."old" = link.\(owner)\n\
            WHERE pair."old" IS NOT NULL OR \(isStaying("link.\(owner)"))
            """
        return delete(
            from: table.name,
            where: """
                (\(owner), \(other)) IN (\nSELECT "owner", "member" \
                FROM \(dialect.source(numbered))\nWHERE "number" > 1)
                """)
    }

    /// Returns the statements for links that are pairs. A pair that would exist twice exists once.
    private func pairStatements(
        _ table: Table, _ side: String, to end: Entity
    ) -> [MigrationStatement] {
        let name = SQLText.identifier(table.name)
        let column = SQLText.identifier(side)
        let kept =
            "(SELECT pair.\"kept\" FROM \(pairs) AS pair WHERE pair.\"old\" = \(name).\(column))"
        let move = update(
            table, "\(column) = \(kept)",
            where: ([isGoing(column)] + membership(of: kept, in: end)).joined(separator: " AND "))
        let moving =
            [deletionOfRepetitions(in: table, side)] + listStatement(table, side) + [move]
        return (links == .move ? moving : []) + [delete(from: table.name, where: isGoing(column))]
    }

    /// Returns the statements for links that are keys in rows: links to deleted objects, and links
    /// of deleted objects.
    private func keyStatements(
        _ table: Table, _ column: String, _ relationship: Relationship, of source: Entity,
        to end: Entity
    ) -> [MigrationStatement] {
        let key = SQLText.identifier(column)
        let storage = model.storage(of: relationship, of: source)
        let pointsHere = model.root(of: end).name == root.name
        var statements: [MigrationStatement] = []
        if links == .move, pointsHere || table.name == root.name {
            statements = moveStatements(table, key, relationship, of: source, to: end)
        }
        guard pointsHere else { return statements }
        var nothing = "\(key) = NULL"
        if case .key(_, let entityColumn?) = storage {
            nothing += ", \(SQLText.identifier(entityColumn)) = NULL"
        }
        // An object that a deleted one requires may be deleted too, after its links were moved.
        let isMoved = links == .move && table.name == root.name
        let stays = isMoved ? " AND NOT \(isGoing("\"_id\""))" : ""
        return statements + [
            update(table, nothing, where: "\(isGoing(key))\(stays)")
        ]
    }

    /// Changes keys to reference the objects that stay, and gives these objects links that only
    /// deleted objects had. Each object has room for one link, and in a one-to-one so does the
    /// other end. A link that both ends had before has priority, then the link of the first deleted
    /// object. The side that stores the key makes no difference.
    private func moveStatements(
        _ table: Table, _ key: String, _ relationship: Relationship, of source: Entity,
        to end: Entity
    ) -> [MigrationStatement] {
        let name = SQLText.identifier(table.name)
        let isOneToOne = model.inverse(of: relationship)?.relationship.isToMany == false
        let (sourceGoes, endGoes) = (
            table.name == root.name, model.root(of: end).name == root.name
        )
        let (from, to) = (
            sourceGoes ? "coalesce(one.\"kept\", link.\"_id\")" : "link.\"_id\"",
            endGoes ? "coalesce(other.\"kept\", link.\(key))" : "link.\(key)"
        )
        var (columns, values) = ([key], ["\(Self.moved).\"destination\""])
        if case .key(_, let entityColumn?) = model.storage(of: relationship, of: source) {
            columns.append(SQLText.identifier(entityColumn))
            values.append(
                """
                (SELECT other."_entity" FROM \(SQLText.identifier(model.root(of: end).name)) \
                AS other WHERE other."_id" = \(Self.moved)."destination")
                """)
        }
        var place: String?
        if let position = model.inversePositionColumn(of: relationship, of: source) {
            columns.append(SQLText.identifier(position))
            values.append("\(Self.moved).\"position\"")
            place = "link.\(SQLText.identifier(position))"
        }
        let isListed = endGoes && place != nil
        let position = place ?? dialect.noInteger
        // Links of and to objects that stay keep their position.
        var concerned: [String] = []
        var joins = ""
        if sourceGoes {
            joins += " LEFT JOIN \(pairs) AS one ON one.\"old\" = link.\"_id\""
            concerned += ["one.\"old\" IS NOT NULL", isStaying("link.\"_id\"")]
        }
        if endGoes {
            joins += " LEFT JOIN \(pairs) AS other ON other.\"old\" = link.\(key)"
            concerned += ["other.\"old\" IS NOT NULL"]
            if isOneToOne || isListed { concerned.append(isStaying("link.\(key)")) }
        }
        var conditions = [
            "link.\(key) IS NOT NULL", "(\(concerned.joined(separator: " OR ")))",
        ]
        if sourceGoes { conditions += membership(of: from, in: source) }
        if endGoes { conditions += membership(of: to, in: end) }
        if sourceGoes, endGoes {
            // A link between equal objects would link an object to itself. It is kept only if it is
            // required.
            var isMeant = ["\(from) <> \(to)", "link.\"_id\" = link.\(key)"]
            if !relationship.isOptional { isMeant.append("one.\"old\" IS NULL") }
            conditions.append("(\(isMeant.joined(separator: " OR ")))")
        }
        // The list of the object that stays comes first, then the lists of the others. For other
        // lists, not all links are here, and they keep their positions.
        let number =
            """
            CASE WHEN \(isStaying(to)) THEN row_number() OVER (PARTITION BY \(to) ORDER BY \
            coalesce(other."place", 0), \(position) NULLS LAST, link."_id") \
            * \(Model.positionGap) ELSE \(position) END
            """
        let order =
            (sourceGoes ? ["coalesce(one.\"place\", 0)"] : [])
            + (endGoes && (isOneToOne || !sourceGoes) ? ["coalesce(other.\"place\", 0)"] : [])
        return [
            .create(
                Self.movedName,
                """
                ("source" \(dialect.integer) PRIMARY KEY, "destination" \(dialect.integer) \
                NOT NULL\(isOneToOne ? " UNIQUE" : ""), \
                "position" \(dialect.integer))\(dialect.tableOptions)
                """),
            dialect.insertionOfFirst(
                into: Self.movedName, ["source", "destination", "position"],
                """
                SELECT \(from), \(to), \(isListed ? number : position) \
                FROM \(name) AS link\(joins)\n\
                WHERE \(conditions.joined(separator: " AND "))\n\
                ORDER BY \(order.joined(separator: " + ")), 1, 2
                """, from: [table.name, pairsName, root.name]),
            .update(
                table.name,
                set: """
                    (\(columns.joined(separator: ", "))) = (\
                    SELECT \(values.joined(separator: ", ")) FROM \(Self.moved) \
                    WHERE \(Self.moved)."source" = \(name)."_id")
                    """,
                where: "\"_id\" IN (SELECT \"source\" FROM \(Self.moved))",
                from: [Self.movedName, model.root(of: end).name]),
            .drop(Self.movedName),
        ]
    }

    private func isGoing(_ key: String) -> String {
        "\(key) IN (SELECT \"old\" FROM \(pairs))"
    }

    /// Returns a condition that an object stays in place of deleted ones.
    private func isStaying(_ key: String) -> String {
        "\(key) IN (SELECT \"kept\" FROM \(pairs))"
    }

    /// A condition that an object is of an entity, if deleted and kept objects may be of another
    /// one.
    private func membership(of key: String, in end: Entity) -> [String] {
        guard !model.entity(entity, isKindOf: end) else { return [] }
        return [
            """
            (SELECT object."_entity" FROM \(SQLText.identifier(root.name)) AS object \
            WHERE object."_id" = \(key)) IN (\(names(of: end)))
            """
        ]
    }

    private func names(of entity: Entity) -> String {
        SQLText.literals(model.family(of: entity).names)
    }

    // Queries while the statements run.

    /// Counts the objects that were chosen and are still there, by their entities.
    ///
    /// - Parameter number: The number of the removal.
    static func chosen(of entity: Entity, in model: Model, by number: Int = 0) -> String {
        let root = model.root(of: entity)
        let name =
            model.hasSubentities(root) ? "object.\"_entity\"" : SQLText.literal(root.name)
        return """
            SELECT \(name), count(*) FROM \(pairs(number)) AS pair JOIN \
            \(SQLText.identifier(root.name)) AS object ON object."_id" = pair."old" GROUP BY 1
            """
    }
}

/// Deletes objects that are equal in a new unique constraint, as the author declares. It runs on
/// the new tables, before the index that would reject the objects is created.
struct DuplicateRemoval {
    let dialect: any MigrationDialect
    let model: Model
    let schema: Schema

    /// The statements of all de-duplications, in the order of their declaration.
    var statements: [MigrationStatement] {
        (model.migration?.deduplications ?? []).flatMap(statements)
    }

    /// The indexes that would reject objects that become equal. They are created after equal
    /// objects are deleted, even if they existed before.
    var indexNames: Set<String> {
        Set(
            (model.migration?.deduplications ?? []).compactMap { declared in
                model.entity(named: declared.entity)?.uniqueConstraints.first {
                    Set($0.properties) == Set(declared.properties)
                }.map {
                    ConstraintName.unique(entity: declared.entity, properties: $0.properties).text
                }
            })
    }

    private func statements(
        of declared: MigrationDeclaration.Deduplication
    ) -> [MigrationStatement] {
        guard let entity = model.entity(named: declared.entity) else { return [] }
        let removal = ObjectRemoval(
            dialect: dialect, model: model, schema: schema, entity: entity, links: declared.links)
        let columns = declared.properties.compactMap { column(of: $0, in: entity) }
        guard columns.count == declared.properties.count, !columns.isEmpty else { return [] }
        let conditions =
            columns.map { "\($0) IS NOT NULL" } + [removal.membership].compactMap { $0 }
        var order = declared.order.compactMap { order -> String? in
            guard let column = column(of: order.attribute, in: entity) else { return nil }
            return "\(column)\(order.isDescending ? " DESC" : "") NULLS LAST"
        }
        order.append("\"_id\"")
        let choice =
            """
            SELECT "_id", first_value("_id") OVER equal AS "first", \
            row_number() OVER equal AS "place" \
            FROM \(SQLText.identifier(model.root(of: entity).name)) \
            WHERE \(conditions.joined(separator: " AND ")) \
            WINDOW equal AS (PARTITION BY \(columns.joined(separator: ", ")) \
            ORDER BY \(order.joined(separator: ", ")))
            """
        return removal.statements(
            removing: """
                SELECT "_id", "first", "place" FROM \(dialect.source(choice))\n\
                WHERE "_id" <> "first"
                """, from: [model.root(of: entity).name])
            + refusal(declared, of: entity, choice)
    }

    /// Rejects objects that reference merged objects of their own entity, and become equal after
    /// the merge. The merge would have to run again, and a plan cannot determine how often.
    private func refusal(
        _ declared: MigrationDeclaration.Deduplication, of entity: Entity, _ choice: String
    ) -> [MigrationStatement] {
        let root = model.root(of: entity).name
        let pointsBack = declared.properties.contains { name in
            model.relationship(name, of: entity).flatMap { model.entity(named: $0.destination) }
                .map { model.root(of: $0).name == root } ?? false
        }
        guard pointsBack, declared.links == .move else { return [] }
        let list = declared.properties.joined(separator: ", ")
        return dialect.refusal(
            """
            SELECT "_id", NULL FROM \(SQLText.identifier(root))\nWHERE "_id" IN (\
            SELECT "_id" FROM \(dialect.source(choice)) WHERE "_id" <> "first") LIMIT 1
            """,
            of: root, with: [], type: nil,
            reason: """
                objects of \(entity.name) become equal in \(list) because the objects that they \
                reference become equal: delete them in a step, or with the program before this \
                version
                """)
    }

    private func column(of property: String, in entity: Entity) -> String? {
        model.declarer(of: property, in: entity).map {
            SQLText.identifier(model.column(of: property, in: $0))
        }
    }
}

/// Deletes objects that the author drops by a condition. It runs on the old tables before anything
/// else, so that later steps never see data that the new version cannot hold.
///
/// Every condition applies to the original store: all objects are chosen before the first one is
/// deleted. The order of the drops therefore makes no difference, and no drop deletes an object
/// that the condition of another one uses.
struct ConditionalDrops {
    let match: ModelMatch
    /// The tables of the old version.
    let schema: Schema

    /// The step, or nil if no object is dropped.
    var step: MigrationStep? {
        let drops = match.conditionalDrops.compactMap { drop in
            match.rows(where: drop.condition, of: drop.entity).map { (drop: drop, rows: $0) }
        }
        guard !drops.isEmpty else { return nil }
        let removals = drops.indices.map { index in
            ObjectRemoval(
                dialect: match.dialect, model: match.old, schema: schema,
                entity: drops[index].drop.entity, links: .drop,
                number: index)
        }
        let roots = drops.map { match.old.root(of: $0.drop.entity).name }
        let choices = drops.indices.flatMap { index in
            removals[index].choice(
                query(of: drops[index].rows.sql, in: roots[index], besides: roots[..<index]),
                from: [roots[index]] + drops[index].rows.tables.sorted())
        }
        return MigrationStep(
            summary: "Drop " + drops.map { $0.drop.words }.unique.joined(separator: "; "),
            kind: .lossy, tables: roots.unique,
            statements: choices + removals.flatMap { $0.deletion }
                + removals.flatMap { $0.linkUpdates }
                + removals.flatMap { $0.ending })
    }

    /// Returns the query for the objects of a drop, without the objects of earlier drops.
    ///
    /// - Parameter earlier: The tables of the earlier drops, by their numbers.
    private func query(
        of condition: String, in root: String, besides earlier: ArraySlice<String>
    ) -> String {
        let others = earlier.indices.filter { earlier[$0] == root }.map {
            " AND \"_id\" NOT IN (SELECT \"old\" FROM \(ObjectRemoval.pairs($0)))"
        }
        return "SELECT \"_id\", \"_id\", 1 FROM \(SQLText.identifier(root))\nWHERE \(condition)"
            + others.joined()
    }
}

extension [String] {
    /// The elements without repetitions, each at its first position.
    fileprivate var unique: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
