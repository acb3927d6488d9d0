import CambiumModel

/// Takes objects away that are equal in what is unique from now on, as the author says. It runs on
/// the new tables, before the index that would refuse them is made.
struct DuplicateRemoval {
    let model: Model
    let schema: Schema

    /// The statements of all de-duplications, in the order of their declaration.
    var statements: [String] {
        (model.migration?.deduplications ?? []).flatMap(statements)
    }

    /// The helper table: the key of each object that goes, with that of the one that stays for it.
    private static let pairs = "\"_duplicate\""

    private func statements(of declared: MigrationDeclaration.Deduplication) -> [String] {
        guard let entity = model.entity(named: declared.entity) else { return [] }
        let root = model.root(of: entity)
        let table = SQLText.identifier(root.name)
        let columns = declared.properties.compactMap { column(of: $0, in: entity) }
        guard columns.count == declared.properties.count, !columns.isEmpty else { return [] }
        var conditions = columns.map { "\($0) IS NOT NULL" }
        if entity.parent != nil {
            conditions.append("\"_entity\" IN (\(names(of: entity)))")
        }
        var order = declared.order.compactMap { order -> String? in
            guard let column = column(of: order.attribute, in: entity) else { return nil }
            return "\(column)\(order.isDescending ? " DESC" : "") NULLS LAST"
        }
        order.append("\"_id\"")
        let first =
            "first_value(\"_id\") OVER (PARTITION BY \(columns.joined(separator: ", ")) "
            + "ORDER BY \(order.joined(separator: ", ")))"
        let choice =
            "SELECT \"_id\", \(first) AS \"first\" FROM \(table) "
            + "WHERE \(conditions.joined(separator: " AND "))"
        var statements = [
            "CREATE TABLE \(Self.pairs) "
                + "(\"old\" INTEGER PRIMARY KEY, \"kept\" INTEGER NOT NULL) STRICT",
            "INSERT INTO \(Self.pairs) (\"old\", \"kept\")\nSELECT \"_id\", \"first\" "
                + "FROM (\(choice))\nWHERE \"_id\" <> \"first\"",
        ]
        for other in schema.tables {
            statements += linkStatements(in: other, to: entity, root, declared.links)
        }
        statements.append("DELETE FROM \(table) WHERE \(isGoing("\"_id\""))")
        statements.append("DROP TABLE \(Self.pairs)")
        return statements
    }

    // MARK: Links

    private func linkStatements(
        in table: Table, to entity: Entity, _ root: Entity,
        _ rule: MigrationDeclaration.Deduplication.Links
    ) -> [String] {
        switch table.content {
        case .system: return []
        case .links(let owner, let name):
            guard let source = model.entity(named: owner),
                let relationship = source.relationships.first(where: { $0.name == name }),
                let destination = model.entity(named: relationship.destination)
            else { return [] }
            return [("_source", source), ("_destination", destination)]
                .filter { model.root(of: $0.1).name == root.name }
                .flatMap { side, end in pairStatements(table, side, to: end, entity, rule) }
        case .objects:
            return table.columns.flatMap { column -> [String] in
                guard case .key(let owner, let name) = column.content,
                    let source = model.entity(named: owner),
                    let relationship = source.relationships.first(where: { $0.name == name }),
                    let destination = model.entity(named: relationship.destination),
                    model.root(of: destination).name == root.name
                else { return [] }
                return keyStatements(
                    table, column.name, relationship, of: source, to: destination, entity, rule)
            }
        }
    }

    /// Links that are pairs: what would be there twice is there once.
    private func pairStatements(
        _ table: Table, _ side: String, to end: Entity, _ entity: Entity,
        _ rule: MigrationDeclaration.Deduplication.Links
    ) -> [String] {
        let name = SQLText.identifier(table.name)
        let column = SQLText.identifier(side)
        let move =
            "UPDATE OR IGNORE \(name) SET \(column) = \(kept("\(name).\(column)")) "
            + "WHERE \(isGoing(column))\(mayLead(from: "\(name).\(column)", to: end, entity))"
        return (rule == .move ? [move] : []) + ["DELETE FROM \(name) WHERE \(isGoing(column))"]
    }

    /// Links that are keys in rows.
    private func keyStatements(
        _ table: Table, _ column: String, _ relationship: Relationship, of source: Entity,
        to end: Entity, _ entity: Entity, _ rule: MigrationDeclaration.Deduplication.Links
    ) -> [String] {
        let name = SQLText.identifier(table.name)
        let key = SQLText.identifier(column)
        let kept = self.kept("\(name).\(key)")
        var nothing = "\(key) = NULL"
        var move = "\(key) = \(kept)"
        if case .key(_, let entityColumn?) = model.storage(of: relationship, of: source) {
            let other = SQLText.identifier(entityColumn)
            let root = model.root(of: end)
            nothing += ", \(other) = NULL"
            if model.hasSubentities(root) {
                move +=
                    ", \(other) = (SELECT \"_entity\" FROM \(SQLText.identifier(root.name)) "
                    + "AS other WHERE other.\"_id\" = \(kept))"
            }
        }
        var statements: [String] = []
        if rule == .move {
            // The other end of a one-to-one has room for one: the eldest.
            let isOneToOne = model.inverse(of: relationship)?.relationship.isToMany == false
            let earlier = "SELECT 1 FROM \(name) AS other WHERE other.\(key) = \(kept)"
            let eldest =
                "SELECT min(other.\"_id\") FROM \(name) AS other "
                + "JOIN \(Self.pairs) AS one ON one.\"old\" = other.\(key) "
                + "WHERE one.\"kept\" = \(kept)"
            let isFree = "NOT EXISTS (\(earlier)) AND \"_id\" = (\(eldest))"
            statements.append(
                "UPDATE \(name) SET \(move) WHERE \(isGoing(key))"
                    + mayLead(from: "\(name).\(key)", to: end, entity)
                    + (isOneToOne ? " AND \(isFree)" : ""))
        }
        return statements + ["UPDATE \(name) SET \(nothing) WHERE \(isGoing(key))"]
    }

    private func kept(_ key: String) -> String {
        "(SELECT pair.\"kept\" FROM \(Self.pairs) AS pair WHERE pair.\"old\" = \(key))"
    }

    private func isGoing(_ key: String) -> String {
        "\(key) IN (SELECT \"old\" FROM \(Self.pairs))"
    }

    /// A condition that the object that stays is one that a link may lead to.
    private func mayLead(from key: String, to end: Entity, _ entity: Entity) -> String {
        guard !model.entity(entity, isKindOf: end) else { return "" }
        let root = SQLText.identifier(model.root(of: end).name)
        return " AND (SELECT \"_entity\" FROM \(root) AS other "
            + "WHERE other.\"_id\" = \(kept(key))) IN (\(names(of: end)))"
    }

    private func names(of entity: Entity) -> String {
        model.family(of: entity).map { SQLText.literal(.text($0.name)) }.joined(separator: ", ")
    }

    private func column(of property: String, in entity: Entity) -> String? {
        model.declarer(of: property, in: entity).map {
            SQLText.identifier(model.column(of: property, in: $0))
        }
    }
}
