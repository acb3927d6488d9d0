/// What the operations that rebuild tables mean for them.
package enum TableCopies {
    /// The name of the table that has the rows of a root entity while steps of the program write them.
    package static func workingName(of root: String) -> String { "_step_\(root)" }

    /// The name that a new table has while the old one is there.
    package static func temporaryName(of table: String) -> String { "_new_\(table)" }

    /// The name that a table has after some operations.
    package static func lastingName(
        of table: String, after operations: some Sequence<SchemaOperation>
    ) -> String {
        operations.reduce(table) { name, operation in
            if case .renameTable(name, let new) = operation { new } else { name }
        }
    }

    /// Whether the rows of a table that is dropped are in the new one of the same name, with the same
    /// keys, and nowhere else.
    package static func isCarried(_ table: String, by operations: [SchemaOperation]) -> Bool {
        let copies = operations.copies(of: table)
        return copies.count == 1 && copies[0].isOfObjects && copies[0].precedingRoots.isEmpty
            && replacements(of: table).contains(copies[0].destination)
    }

    /// The names of the new table of the same name while the old one is there.
    private static func replacements(of table: String) -> [String] {
        [temporaryName(of: table), workingName(of: table)]
    }

    /// The columns, in lower case, that the new table of the same name takes from other columns of the
    /// old one; nil if there is no new table with its rows and their keys.
    package static func columnsMadeOfOthers(
        of table: String, by operations: [SchemaOperation]
    ) -> [String]? {
        let names = replacements(of: table).map { $0.lowercased() }
        for operation in operations {
            switch operation {
            case .copyRows(let copy)
            where copy.source == table && copy.precedingRoots.isEmpty
                && names.contains(copy.destination.lowercased()):
                return copy.columnsMadeOfOthers.map { $0.lowercased() }
            // Links of the same table alone.
            case .insertRows(let new, [table]) where names.contains(new.lowercased()): return []
            default: continue
            }
        }
        return nil
    }

    /// The columns, in lower case, that operations give a table, or the one that replaces it.
    package static func columnsMade(
        in table: String, by operations: [SchemaOperation]
    ) -> Set<String> {
        var columns: Set<String> = []
        for operation in operations {
            switch operation {
            case .addColumn(let column, table): columns.insert(column.lowercased())
            case .copyRows(let copy) where replacements(of: table).contains(copy.destination):
                columns.formUnion((copy.columns + copy.computed).map { $0.lowercased() })
            default: continue
            }
        }
        return columns
    }
}

extension Sequence<SchemaOperation> {
    /// The copies of a table's rows.
    func copies(of table: String) -> [RowCopy] {
        compactMap { if case .copyRows(let copy) = $0, copy.source == table { copy } else { nil } }
    }

    /// The columns of old tables that copies read.
    package var columnsRead: Set<String> {
        reduce(into: []) { columns, operation in
            if case .copyRows(let copy) = operation { columns.formUnion(copy.columnsRead) }
        }
    }

    /// The columns that a table must have had, sorted: those that copies read, until it is dropped.
    package func columnsRead(of table: String) -> [String] {
        var columns: Set<String> = []
        var added: Set<String> = []
        for operation in self {
            switch operation {
            case .addColumn(let column, table): added.insert(column)
            case .copyRows(let copy) where copy.source == table:
                columns.formUnion(copy.columnsRead.subtracting(added))
            case .dropTable(table), .renameTable(table, _): return columns.sorted()
            default: continue
            }
        }
        return columns.sorted()
    }
}
