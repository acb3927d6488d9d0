/// Brings the checks, defaults and indexes of a store up to date whose tables hold the right
/// columns: a rule, a limit, a default or an index changes no version hash, but a store must learn
/// of it.
package struct SchemaRefresh: Sendable {
    /// The statements in order; empty where nothing differs.
    package let statements: [MigrationStatement]

    /// Compares a store with the schema it should have. What is not ours is left alone.
    ///
    /// - Parameters:
    ///   - old: The schema that the store was written with, where that is known: what its checks
    ///     imply needs no look at the rows then.
    ///   - target: The catalogue of a fresh store of the schema, where it is known already.
    ///   - mayRestate: Whether what a table says may be changed without writing its rows again; the
    ///     statements then run where SQLite lets its schema be written.
    package init(
        from catalogue: Catalogue, of old: Schema? = nil, to schema: Schema,
        _ target: Catalogue? = nil, mayRestate: Bool = true
    ) {
        let target = target ?? Catalogue(of: schema)
        let oldTables = (old?.tables ?? []).filter {
            Catalogue.normalized($0.createStatement()) == catalogue.entries[$0.name]
        }
        let different = Set(
            target.entries.keys.filter { catalogue.entries[$0] != target.entries[$0] })
        var restated: [MigrationStatement] = []
        let rebuilt = schema.tables.filter { table in
            guard different.contains(table.name) else { return false }
            guard mayRestate else { return true }
            let text = catalogue.tables[table.name].flatMap(TableText.init)
            let restatement = text.flatMap { text in
                Restatement(
                    from: text, of: oldTables.first { $0.name == table.name }, to: table)
            }
            guard let restatement, !restatement.isEmpty else { return true }
            restated += restatement.statements
            return false
        }
        let rebuiltNames = Set(rebuilt.map(\.name))
        let indexes = schema.tables.flatMap { table in
            table.indexes.filter {
                rebuiltNames.contains(table.name) || different.contains($0.name)
            }.map { (name: $0.name, creation: table.creation(of: $0)) }
        }
        let drops =
            Self.staleIndexes(in: catalogue, besides: target, of: schema)
            + indexes.map(\.name).filter { catalogue.entries[$0] != nil }
        statements =
            drops.map { .drop(index: $0) } + restated
            + rebuilt.flatMap { Self.rebuild($0, exists: catalogue.entries[$0.name] != nil) }
            + indexes.map(\.creation)
    }

    /// Indexes that an earlier form of the model had: their names begin with one of its entities.
    private static func staleIndexes(
        in catalogue: Catalogue, besides target: Catalogue, of schema: Schema
    ) -> [String] {
        return catalogue.entries.filter { name, sql in
            target.entries[name] == nil
                && (sql.hasPrefix("CREATE INDEX") || sql.hasPrefix("CREATE UNIQUE INDEX"))
                && TableIndex.mayBeOurs(name)
        }.keys.sorted()
    }

    private static func rebuild(_ table: Table, exists: Bool) -> [MigrationStatement] {
        exists
            ? table.rebuilding(table.columns.filter { !$0.isGenerated }.map(\.name))
            : [table.creation()]
    }
}
