import CambiumModel

/// The whole SQL of a fresh store of a model: the file format that the design's table of storage
/// forms describes.
package struct Schema: Sendable, Hashable {
    /// The version of the file format itself.
    package static let formatVersion = 1

    /// The tables in order of their making: the runtime's own, one per root entity, one per
    /// relationship that needs pairs.
    package let tables: [Table]
    /// The statements that fill the runtime's own tables.
    package let records: [String]

    /// Lays out the tables of a model.
    package init(of model: Model) {
        tables =
            Self.systemTables
            + model.roots.map { root in ObjectTableBuilder(root: root, model: model).table }
            + model.joinTables
        let layout = Self.statements(of: tables)
        records =
            model.roots.map { root in
                "INSERT INTO \"_keys\" (\"entity\", \"next\") VALUES "
                    + "(\(SQLText.literal(.text(root.name))), 1)"
            }
            + StoreMetadata(of: model, schemaHash: Self.hash(of: layout)).insertStatements
    }

    /// Every statement of a fresh store, in order.
    package var statements: [String] {
        Self.statements(of: tables) + records
    }

    /// A hash of the tables and indexes: unlike the version hash it changes with limits, rules,
    /// defaults and indexes too, which a store must learn of although it stays readable.
    package var hash: String {
        Self.hash(of: Self.statements(of: tables))
    }

    /// The table of that name, or nil.
    package func table(named name: String) -> Table? {
        tables.first { $0.name == name }
    }

    private static func statements(of tables: [Table]) -> [String] {
        tables.map { $0.createStatement() } + tables.flatMap(\.indexes).map(\.createStatement)
    }

    private static func hash(of statements: [String]) -> String {
        SHA256.hexadecimal(of: statements.map { $0 + ";\n" }.joined())
    }
}

extension Model {
    /// A hash of the text of the tables and indexes of a fresh store. Lays out the whole schema on
    /// each call.
    package var schemaHash: String {
        Schema(of: self).hash
    }
}
