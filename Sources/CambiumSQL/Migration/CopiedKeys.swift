import CambiumModel

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
    }

    private var sources: [String: [Source]] = [:]

    /// Reads the statements of a migration that have run, and the one that has not.
    package init(after statements: [String]) {
        for statement in statements {
            switch StatementReach(of: statement).effect {
            case .fills(let table):
                sources[table, default: []] += [Self.source(of: statement)].compactMap(\.self)
            case .renames(let table, let name):
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

    /// The old table that a statement takes rows with other keys over from, if it does.
    package static func source(of statement: String) -> Source? {
        guard let end = statement.firstRange(of: "\" AS old"),
            let start = statement[..<end.lowerBound].lastIndex(of: "\""),
            statement.contains("    old.\"_id\"")
        else { return nil }
        let table = String(statement[statement.index(after: start)..<end.lowerBound])
        guard let sum = statement.firstRange(of: "    old.\"_id\" + "),
            let name = statement[sum.upperBound...].firstRange(of: " AS \"_id\"")
        else { return Source(table: table, shift: nil) }
        return Source(
            table: table, shift: "SELECT \(statement[sum.upperBound..<name.lowerBound])")
    }
}
