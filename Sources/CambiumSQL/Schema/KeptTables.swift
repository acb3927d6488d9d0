import CambiumModel

/// The tables that a version of a model has in common with the version before. In a long chain a
/// step changes a few of a hundred, and laying out the others anew would be most of the work.
struct KeptTables {
    private let tables: [String: Table]
    private let statements: [String: String]

    /// Finds the tables of the earlier version that are made of entities which both have, alike to
    /// the last word, and which lead only to such entities: nothing else has a say in a table.
    init(from old: Model, _ schema: Schema, to new: Model) {
        // Attributes only name these.
        guard old.enumerations == new.enumerations, old.composites == new.composites else {
            (tables, statements) = ([:], [:])
            return
        }
        let kept = Self.keptEntities(from: old, to: new)
        var tables: [String: Table] = [:]
        var statements: [String: String] = [:]
        for (table, statement) in zip(schema.tables, schema.statements) {
            switch table.content {
            case .objects(let entity), .links(let entity, _):
                guard kept.contains(entity) else { continue }
                tables[table.name] = table
                statements[table.name] = statement
            case .system: continue
            }
        }
        (self.tables, self.statements) = (tables, statements)
    }

    /// The table of a root entity, if it is the one of the version before.
    func table(of root: Entity) -> Table? {
        tables[root.name].flatMap { $0.content == .objects(root: root.name) ? $0 : nil }
    }

    /// The table of a relationship's links, if it is the one of the version before.
    func table(ofLinks relationship: Relationship, of entity: Entity, named name: String) -> Table?
    {
        let content = Table.Content.links(entity: entity.name, relationship: relationship.name)
        return tables[name].flatMap { $0.content == content ? $0 : nil }
    }

    /// The statement that makes a table which is one of the version before.
    func statement(of table: Table) -> String? {
        tables[table.name] == table ? statements[table.name] : nil
    }

    private static func keptEntities(from old: Model, to new: Model) -> Set<String> {
        var same: [String: [Entity]] = [:]
        for root in new.roots {
            let family = new.family(of: root)
            guard let oldRoot = old.entity(named: root.name), oldRoot.parent == nil,
                old.family(of: oldRoot) == family
            else { continue }
            same[root.name] = family
        }
        let leadsToSame = { (relationship: Relationship) in
            new.entity(named: relationship.destination)
                .map { same[new.root(of: $0).name] != nil } ?? false
        }
        let kept = same.values.filter { family in
            family.allSatisfy { $0.relationships.allSatisfy(leadsToSame) }
        }
        return Set(kept.joined().map(\.name))
    }
}
