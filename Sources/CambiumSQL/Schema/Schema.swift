import CambiumModel

/// The whole SQL of a fresh store of a model: the file format that the design's table of storage
/// forms describes.
package struct Schema: Sendable, Hashable {
    /// The version of the file format itself.
    package static let formatVersion = 1

    /// The tables in order of their making: the runtime's own, one per root entity, one per
    /// relationship that needs pairs.
    package let tables: [Table]
    /// Every statement of a fresh store, in order.
    package let statements: [String]
    /// What a fresh store says about itself.
    package let metadata: StoreMetadata

    /// Lays out the tables of a model.
    ///
    /// - Parameter earlier: The tables of the version before, where there is one: those that are
    ///   the same are taken from there, and share its memory.
    package init(of model: Model, after earlier: (model: Model, schema: Schema)? = nil) {
        let kept = earlier.map { KeptTables(from: $0.model, $0.schema, to: model) }
        tables =
            Self.systemTables
            + model.roots.map { root in
                kept?.table(of: root) ?? Self.table(of: root, in: model)
            } + model.joinTables(kept)
        let layout =
            tables.map { kept?.statement(of: $0) ?? $0.createStatement() }
            + tables.flatMap(\.indexes).map(\.createStatement)
        metadata = StoreMetadata(of: model, schemaHash: Self.hash(of: layout))
        statements =
            layout
            + model.roots.map { root in
                "INSERT INTO \"_keys\" (\"entity\", \"next\") VALUES "
                    + "(\(SQLText.literal(root.name)), 1)"
            } + metadata.insertStatements
    }

    init(tables: [Table], statements: [String], metadata: StoreMetadata) {
        self.tables = tables
        self.statements = statements
        self.metadata = metadata
    }

    /// How many of the statements, the last ones, fill the runtime's own tables.
    package var recordCount: Int {
        tables.reduce(statements.count - tables.count) { $0 - $1.indexes.count }
    }

    /// A hash of the tables and indexes: unlike the version hash it changes with limits, rules,
    /// defaults and indexes too, which a store must learn of although it stays readable.
    package var hash: String { metadata.schemaHash }

    /// The table of a root entity and its sub-entities.
    package static func table(of root: Entity, in model: Model) -> Table {
        ObjectTableBuilder(root: root, model: model).table
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

    /// What makes the key table say that the keys of all objects were given.
    package var keyRepairs: [String] {
        tables.compactMap { table in
            guard case .objects(let root) = table.content else { return nil }
            return "UPDATE \"_keys\" SET \"next\" = (SELECT coalesce(max(\"_id\"), 0) + 1 FROM "
                + "\(SQLText.identifier(table.name))) "
                + "WHERE \"entity\" = \(SQLText.literal(root))"
        }
    }

    static let systemTables = [
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

extension Model {
    /// A hash of the text of the tables and indexes of a fresh store. Lays out the whole schema on
    /// each call.
    package var schemaHash: String {
        Schema(of: self).hash
    }
}
