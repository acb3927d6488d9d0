import CambiumPlan
import CambiumSQL

/// The columns that other programs have added to the model's tables, on their way through a
/// migration that leaves them: where a table is rebuilt, the new one gets them too.
struct AddedColumns {
    /// The columns of each table.
    private(set) var tables: [String: [Catalogue.Part]] = [:]
    /// Whether they go: a copy of the store was made that has them.
    let areRepaired: Bool

    /// None that is known of.
    init(areRepaired: Bool = false) {
        self.areRepaired = areRepaired
    }

    /// Those that a comparison has found.
    init(_ differences: [StoreDifference], in catalogue: Catalogue) {
        areRepaired = false
        for difference in differences {
            let names = Set(difference.parts.filter { $0.kind == .external }.map(\.name))
            let columns = (catalogue.parts(of: difference.name) ?? [])
                .filter { $0.isColumn && names.contains($0.name) }
            if !columns.isEmpty { tables[difference.name] = columns }
        }
    }

    /// Their names, by their table's.
    var names: [String: Set<String>] { tables.mapValues { Set($0.map(\.name)) } }

    /// The statements that give a new version's tables the columns, of those that it has.
    var additions: [MigrationStatement] {
        tables.sorted { $0.key < $1.key }.flatMap { table, columns in
            columns.map { MigrationStatement.add($0.name, $0.definition, to: table) }
        }
    }

    /// Adds the columns that tables have besides those of a schema, as far as they are not known.
    ///
    /// - Parameter isOfOthers: Whether a column is not the model's own.
    /// - Returns: The tables that have some.
    mutating func add(
        besides schema: Schema, in catalogue: Catalogue,
        where isOfOthers: (Catalogue.Part) -> Bool = { _ in true }
    ) -> [StoreDifference] {
        schema.tables.compactMap { table in
            let expected = Set(table.columns.map { $0.name.lowercased() })
            let known = names[table.name] ?? []
            let more = (catalogue.parts(of: table.name) ?? []).filter {
                $0.isColumn && !expected.contains($0.name.lowercased()) && !known.contains($0.name)
                    && isOfOthers($0)
            }
            guard !more.isEmpty else { return nil }
            tables[table.name, default: []] += more
            return StoreDifference(
                name: table.name, kind: .changed,
                parts: more.map { .init(name: $0.name, kind: .external) })
        }
    }

    // MARK: On the way

    /// The tables whose columns have no place in a migration: their rows go elsewhere, or to more
    /// than one table, or they go; or the new version has a column of that name.
    func lost(in migration: Migration) -> [String] {
        let operations = migration.operations
        return tables.keys.sorted().filter { table in
            let made = TableCopies.columnsMade(in: table, by: operations)
            let names = tables[table, default: []].map { $0.name.lowercased() }
            if names.contains(where: made.contains) { return true }
            return operations.contains(.dropTable(table))
                && !TableCopies.isCarried(table, by: operations)
        }
    }

    /// What has to run before a statement of the migration: where an old table is dropped, the new
    /// one has its rows already.
    func statements(before operation: SchemaOperation) -> [MigrationStatement] {
        guard case .dropTable(let table) = operation,
            let columns = tables[table]
        else { return [] }
        return columns.flatMap { column in
            MigrationStatement.carry(column, of: table)
        }
    }
}
