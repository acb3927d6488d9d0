import CambiumModel

/// The whole SQL of a fresh store of a model: the file format.
package final class Schema: Sendable, Equatable {
    /// The version of the file format itself.
    package static let formatVersion = 1

    /// The tables in order of their making: the runtime's own, one per root entity, one per
    /// relationship that needs pairs.
    package let tables: [Table]
    /// Every statement of a fresh store, in order.
    package let statements: [String]
    /// The metadata of a fresh store.
    package let metadata: StoreMetadata

    /// Lays out the tables of a model.
    ///
    /// - Parameter earlier: The tables of the previous version, if there is one. Unchanged tables
    ///   are taken from it, and share its memory.
    package init(of model: Model, after earlier: (model: Model, schema: Schema)? = nil) {
        let kept = earlier.map { KeptTables(from: $0.model, $0.schema, to: model) }
        tables =
            Self.systemTables
            + model.roots.map { root in
                kept?.table(of: root) ?? Self.table(of: root, in: model)
            } + model.joinTables(kept)
        let layout =
            tables.map { kept?.statement(of: $0) ?? $0.createStatement() }
            + tables.flatMap { $0.indexes }.map { $0.createStatement }
        metadata = StoreMetadata(of: model, schemaHash: Self.hash(of: layout))
        statements =
            layout
            + model.roots.map { root in
                """
                INSERT INTO "_keys" ("entity", "next") VALUES \
                (\(SQLText.literal(root.name)), 1)
                """
            } + metadata.insertStatements
    }

    package init(tables: [Table], statements: [String], metadata: StoreMetadata) {
        self.tables = tables
        self.statements = statements
        self.metadata = metadata
    }

    package static func == (left: Schema, right: Schema) -> Bool {
        left.metadata == right.metadata && left.statements == right.statements
            && left.tables == right.tables
    }

    /// The number of statements at the end that fill the runtime's own tables.
    package var recordCount: Int {
        tables.reduce(statements.count - tables.count) { $0 - $1.indexes.count }
    }

    /// A hash of the tables and indexes. Unlike the version hash, it also changes with limits,
    /// rules, defaults and indexes. A store must be updated for these although it stays readable.
    package var hash: String { metadata.schemaHash }

    /// The table of a root entity and its sub-entities.
    package static func table(of root: Entity, in model: Model) -> Table {
        ObjectTableBuilder(root: root, model: model).table
    }

    /// Returns the checks of a root entity's table that other engines can create with the same
    /// text: values that sub-entities require, and complete composite values.
    ///
    /// - Parameter identifier: Writes the name of a column.
    package static func requirements(
        of root: Entity, in model: Model, _ identifier: @escaping (String) -> String
    ) -> [Table.Check] {
        ObjectTableBuilder(root: root, model: model, identifier: identifier).requirements
    }

    /// The table of that name, or nil.
    package func table(named name: String) -> Table? {
        tables.first { $0.name == name }
    }

    private static func hash(of statements: [String]) -> String {
        var text = ""
        for statement in statements {
            text += statement
            text += ";\n"
        }
        return SHA256.hexadecimal(of: text)
    }

    /// The statements that mark the keys of all objects as used in the key table.
    package var keyRepairs: [String] {
        tables.compactMap { table in
            guard case .objects(let root) = table.content else { return nil }
            return """
                UPDATE "_keys" SET "next" = (SELECT coalesce(max("_id"), 0) + 1 FROM \
                \(SQLText.identifier(table.name))) \
                WHERE "entity" = \(SQLText.literal(root))
                """
        }
    }

    package static let systemTables = [
        systemTable("_metadata", "name", ("value", .text)),
        systemTable("_keys", "entity", ("next", .integer)),
    ]

    private static func systemTable(
        _ name: String, _ key: String, _ value: (name: String, type: StorageClass)
    ) -> Table {
        Table(
            name: name,
            columns: [
                Table.Column(
                    name: key, type: .text, isRequired: true, isPrimaryKey: true, content: .system),
                Table.Column(
                    name: value.name, type: value.type, isRequired: true, content: .system),
            ], options: "STRICT, WITHOUT ROWID", content: .system)
    }
}

/// The tables that two successive versions of a model have in common. A step of a long chain
/// changes only a few of a hundred tables, and laying out the others again would be most of the
/// work.
struct KeptTables {
    private let tables: [String: Table]
    private let statements: [String: String]

    /// Finds the tables of the earlier version that the new one shares. All of their entities are
    /// equal in both versions and reference only such entities. A table depends on nothing else.
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

    /// Returns the statement that creates a table of the previous version.
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
        let pointsToSame = { (relationship: Relationship) in
            new.entity(named: relationship.destination)
                .map { same[new.root(of: $0).name] != nil } ?? false
        }
        let kept = same.values.filter { family in
            family.allSatisfy { $0.relationships.allSatisfy(pointsToSame) }
        }
        return Set(kept.joined().map { $0.name })
    }
}

extension Model {
    /// Returns a table for each relationship that stores its links as pairs.
    func joinTables(_ kept: KeptTables?) -> [Table] {
        var tables: [Table] = []
        for entity in entities {
            for relationship in entity.relationships {
                // The other side of a many-to-many names the same table; the first side creates it.
                guard
                    case .joinTable(let name, "_source", _) =
                        storage(of: relationship, of: entity),
                    !tables.contains(where: { $0.name == name })
                else { continue }
                tables.append(
                    kept?.table(ofLinks: relationship, of: entity, named: name)
                        ?? joinTable(name, of: relationship, of: entity))
            }
        }
        return tables
    }

    private func joinTable(
        _ name: String, of relationship: Relationship, of entity: Entity
    ) -> Table {
        func side(_ column: String, _ destination: String) -> Table.Column {
            Table.Column(
                name: column, type: .integer, isRequired: true,
                destination: rootName(of: destination), content: .system)
        }
        // A relationship may be its own inverse.
        let ends =
            [(relationship, entity)]
            + [inverse(of: relationship)].compactMap { $0 }.filter { $0 != (relationship, entity) }
        let positions = ends.compactMap { end, declarer -> Table.Column? in
            guard let column = positionColumn(of: end, of: declarer) else { return nil }
            return Table.Column(
                name: column, type: .integer,
                content: .position(entity: declarer.name, relationship: end.name))
        }
        let index = "\(entity.name).key.\(relationship.name)"
        return Table(
            name: name,
            columns: [
                side("_source", entity.name), side("_destination", relationship.destination),
            ] + positions,
            primaryKey: ["_source", "_destination"], options: "STRICT, WITHOUT ROWID",
            indexes: [
                TableIndex(
                    name: index, table: name,
                    elements: [.column("_destination"), .column("_source")])
            ] + orderIndexes(of: ends, in: name),
            content: .links(entity: entity.name, relationship: relationship.name))
    }

    /// Returns the indexes for finding the end of an ordered list, and for reading it in order.
    private func orderIndexes(
        of ends: [(Relationship, Entity)], in table: String
    ) -> [TableIndex] {
        ends.compactMap { relationship, entity in
            guard case .joinTable(_, let owner, let member) = storage(of: relationship, of: entity),
                let position = positionColumn(of: relationship, of: entity)
            else { return nil }
            return TableIndex(
                name: "\(entity.name).order.\(relationship.name)", table: table,
                elements: [owner, position, member].map { .column($0) })
        }
    }

    /// Returns the name of an entity's root entity, which is the name of its table.
    func rootName(of name: String) -> String {
        entity(named: name).map { root(of: $0).name } ?? name
    }
}

extension Schema {
    /// The names of the tables of a root entity: its own, and those of the pairs of its hierarchy's
    /// relationships.
    package func tables(of root: Entity, in model: Model) -> [String] {
        tables.filter { table in
            switch table.content {
            case .objects(let name): name == root.name
            case .links(let name, _):
                model.entity(named: name).map { model.root(of: $0).name == root.name } ?? false
            case .system: false
            }
        }.map(\.name)
    }
}
