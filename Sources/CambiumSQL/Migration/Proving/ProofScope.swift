import CambiumModel
import CambiumPlan

/// The tables that a migration can change, and those next to them: all that its proof has to look
/// at. No statement reaches the others, and both versions have them alike.
package struct ProofScope {
    /// The tables of the old version.
    package let old: Schema
    /// The tables of the new version.
    package let new: Schema

    /// Finds the tables.
    ///
    /// - Parameter operations: All that the migration does.
    package init(of operations: [SchemaOperation], from old: Schema, to new: Schema) {
        let tables = old.tables + new.tables
        let names = Set(tables.map(\.name))
        var changed = Self.differentTables(old, new)
        for operation in operations { changed.formUnion(names.intersection(operation.tables)) }
        var chosen = changed
        for table in tables {
            if changed.contains(table.name) {
                chosen.formUnion(table.links)
            } else if !table.links.isDisjoint(with: changed) {
                chosen.insert(table.name)
            }
        }
        // An object needs those that it requires, and a link both of its ends.
        var border = chosen
        while !border.isEmpty {
            let needed = tables.filter { border.contains($0.name) }.flatMap(\.requiredLinks)
            border = Set(needed).subtracting(chosen)
            chosen.formUnion(border)
        }
        let selection = chosen
        self.old = old.part { $0.content == .system || selection.contains($0.name) }
        self.new = new.part { $0.content == .system || selection.contains($0.name) }
    }

    /// The names of the tables that only one of the two has, or that are not the same in both.
    private static func differentTables(_ old: Schema, _ new: Schema) -> Set<String> {
        let oldTables = Dictionary(
            old.tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var names = Set(oldTables.keys)
        for table in new.tables {
            if oldTables[table.name] == table {
                names.remove(table.name)
            } else {
                names.insert(table.name)
            }
        }
        return names
    }
}

extension Table {
    /// The tables that its columns have keys of.
    fileprivate var links: Set<String> { Set(columns.compactMap(\.destination)) }

    /// Those that rows, or the rows of some entity, may need.
    fileprivate var requiredLinks: [String] {
        columns.filter { column in
            column.isRequired || checks.contains { $0.columns.contains(column.name) }
        }.compactMap(\.destination)
    }
}

extension Schema {
    /// Some of the tables, and everything that a fresh store says about itself.
    fileprivate func part(where isMeant: (Table) -> Bool) -> Schema {
        let tables = tables.filter(isMeant)
        return Schema(
            tables: tables,
            statements: tables.map { $0.createStatement() }
                + tables.flatMap(\.indexes).map(\.createStatement)
                + statements.suffix(recordCount),
            metadata: metadata)
    }
}
