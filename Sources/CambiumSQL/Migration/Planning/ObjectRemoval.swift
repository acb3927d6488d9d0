import CambiumModel

/// Takes objects of an entity away, and the links to them. It runs while foreign keys are off.
struct ObjectRemoval {
    let model: Model
    let schema: Schema
    let entity: Entity
    /// What becomes of links to the objects that go.
    let links: MigrationDeclaration.Deduplication.Links

    private var root: Entity { model.root(of: entity) }

    /// The helper table: the key of each object that goes, with that of the one that stays for it.
    private static let pairs = "\"_duplicate\""

    /// The statements.
    ///
    /// - Parameter query: The keys of the objects that go, each with that of the one that its links
    ///   lead to from now on; where they go as well, that is of no importance.
    func statements(removing query: String) -> [String] {
        var statements = [
            "CREATE TABLE \(Self.pairs) "
                + "(\"old\" INTEGER PRIMARY KEY, \"kept\" INTEGER NOT NULL) STRICT",
            "INSERT INTO \(Self.pairs) (\"old\", \"kept\")\n\(query)",
        ]
        for table in schema.tables { statements += linkStatements(in: table) }
        statements.append(
            "DELETE FROM \(SQLText.identifier(root.name)) WHERE \(isGoing("\"_id\""))")
        statements.append("DROP TABLE \(Self.pairs)")
        return statements
    }

    /// A condition that a row is one of the entity's objects; nil where all are.
    var membership: String? {
        entity.parent == nil ? nil : "\"_entity\" IN (\(names(of: entity)))"
    }

    // MARK: Links

    private func linkStatements(in table: Table) -> [String] {
        switch table.content {
        case .system: return []
        case .links(let owner, let name):
            guard let source = model.entity(named: owner),
                let relationship = source.relationships.first(where: { $0.name == name }),
                let destination = model.entity(named: relationship.destination)
            else { return [] }
            return [("_source", source), ("_destination", destination)]
                .filter { model.root(of: $0.1).name == root.name }
                .flatMap { side, end in pairStatements(table, side, to: end) }
        case .objects:
            return table.columns.flatMap { column -> [String] in
                guard case .key(let owner, let name) = column.content,
                    let source = model.entity(named: owner),
                    let relationship = source.relationships.first(where: { $0.name == name }),
                    let destination = model.entity(named: relationship.destination),
                    model.root(of: destination).name == root.name
                else { return [] }
                return keyStatements(
                    table, column.name, relationship, of: source, to: destination)
            }
        }
    }

    /// Links that are pairs: what would be there twice is there once.
    private func pairStatements(_ table: Table, _ side: String, to end: Entity) -> [String] {
        let name = SQLText.identifier(table.name)
        let column = SQLText.identifier(side)
        let move =
            "UPDATE OR IGNORE \(name) SET \(column) = \(kept("\(name).\(column)")) "
            + "WHERE \(isGoing(column))\(mayLead(from: "\(name).\(column)", to: end))"
        return (links == .move ? [move] : []) + ["DELETE FROM \(name) WHERE \(isGoing(column))"]
    }

    /// Links that are keys in rows.
    private func keyStatements(
        _ table: Table, _ column: String, _ relationship: Relationship, of source: Entity,
        to end: Entity
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
        if links == .move {
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
                    + mayLead(from: "\(name).\(key)", to: end)
                    + (isOneToOne ? " AND \(isFree)" : ""))
        }
        return statements + ["UPDATE \(name) SET \(nothing) WHERE \(isGoing(key))\(staying(table))"]
    }

    /// A condition that the row itself stays: what it requires may go with it.
    private func staying(_ table: Table) -> String {
        table.name == root.name && links == .drop ? " AND NOT \(isGoing("\"_id\""))" : ""
    }

    private func kept(_ key: String) -> String {
        "(SELECT pair.\"kept\" FROM \(Self.pairs) AS pair WHERE pair.\"old\" = \(key))"
    }

    private func isGoing(_ key: String) -> String {
        "\(key) IN (SELECT \"old\" FROM \(Self.pairs))"
    }

    /// A condition that the object that stays is one that a link may lead to.
    private func mayLead(from key: String, to end: Entity) -> String {
        guard !model.entity(entity, isKindOf: end) else { return "" }
        let root = SQLText.identifier(model.root(of: end).name)
        return " AND (SELECT \"_entity\" FROM \(root) AS other "
            + "WHERE other.\"_id\" = \(kept(key))) IN (\(names(of: end)))"
    }

    private func names(of entity: Entity) -> String {
        model.family(of: entity).map { SQLText.literal(.text($0.name)) }.joined(separator: ", ")
    }
}
