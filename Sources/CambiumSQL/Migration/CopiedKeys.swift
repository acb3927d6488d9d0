import CambiumPlan

/// What the keys in tables that a migration makes were in the old store.
///
/// Where the objects of several old tables come together, those of the first keep their keys, and
/// those of the others get keys after all that were ever given there.
package struct CopiedKeys: Sendable {
    /// Rows of an old table in a new one.
    package struct Source: Sendable, Hashable {
        /// The old table.
        package let table: String
        /// A query of the number that is added to its keys; nil where they stay.
        package let shift: String?

        /// The old table of a copy; nil where its rows have no keys.
        package init?(_ copy: RowCopy) {
            guard copy.isOfObjects else { return nil }
            table = copy.source
            shift =
                copy.precedingRoots.isEmpty
                ? nil : "SELECT \(ModelMatch.keyCount(of: copy.precedingRoots))"
        }
    }

    private var sources: [String: [Source]] = [:]

    /// Follows the operations of a migration that were carried out.
    package init(after operations: some Sequence<SchemaOperation>) {
        for operation in operations {
            switch operation {
            case .copyRows(let copy):
                sources[copy.destination, default: []] += [Source(copy)].compactMap(\.self)
            case .renameTable(let table, let name):
                sources[name] = sources.removeValue(forKey: table)
            default: break
            }
        }
    }

    /// Where the rows of a table come from, as it is called at that moment; none where it is one of
    /// the old store, or its rows have the keys that they had.
    package func sources(of table: String) -> [Source] {
        let found = sources[table] ?? []
        return found.contains { $0.shift != nil } ? found : []
    }
}
