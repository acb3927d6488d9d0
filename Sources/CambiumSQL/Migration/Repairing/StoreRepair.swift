/// Makes tables and indexes of a store what a version says.
package struct StoreRepair: Sendable {
    /// The statements in order.
    package let statements: [MigrationStatement]

    /// Repairs what differs.
    ///
    /// - Parameters:
    ///   - names: The tables and indexes that differ.
    ///   - tables: The tables of the version, as far as they are known.
    ///   - catalogue: What the store has.
    package init(of names: Set<String>, in catalogue: Catalogue, as tables: [Table]) {
        let made = tables.filter { names.contains($0.name) }
        let madeNames = Set(made.map(\.name))
        let indexes = tables.flatMap { table in
            table.indexes.filter { madeNames.contains(table.name) || names.contains($0.name) }
                .map { (name: $0.name, creation: table.creation(of: $0)) }
        }
        var statements = indexes.map {
            MigrationStatement(.other, "DROP INDEX IF EXISTS \(SQLText.identifier($0.name))")
        }
        statements += made.flatMap { TableRepair(of: $0, in: catalogue).statements }
        statements += indexes.map(\.creation)
        if madeNames.contains(KeySQL.table), catalogue.entries[KeySQL.table] == nil {
            statements += Self.keys(in: catalogue, besides: made)
        }
        self.statements = statements
    }

    /// The next number of the objects of each table, where the one that was to come is forgotten.
    private static func keys(in catalogue: Catalogue, besides made: [Table]) -> [MigrationStatement]
    {
        let kept = catalogue.tables.keys.filter { name in
            let columns = Set((catalogue.parts(of: name) ?? []).filter(\.isColumn).map(\.name))
            return columns.isSuperset(of: ["_id", "_version"])
        }
        let new = made.filter { if case .objects = $0.content { true } else { false } }.map(\.name)
        return Set(kept + new).sorted().map { name in
            .insert(
                into: KeySQL.table,
                "(\"entity\", \"next\")\n"
                    + "SELECT \(SQLText.literal(name)), coalesce(max(\"_id\"), 0) + 1 "
                    + "FROM \(SQLText.identifier(name))", from: [name])
        }
    }
}

extension Catalogue {
    /// The tables as a version had them of which the fingerprints alone are known: those that a later
    /// version has still, and those that have only got columns since.
    package static func tables(
        ofFingerprints expected: [String: String], from later: Schema
    ) -> [Table] {
        let catalogue = Catalogue(
            rows: later.tables.map { [.text($0.name), .text($0.createStatement())] })
        return later.tables.compactMap { table -> Table? in
            guard let fingerprint = expected[table.name] else { return nil }
            var former = table
            if catalogue.fingerprints[table.name] != fingerprint {
                let added = Set(
                    catalogue.columnsAdded(to: table.name, ofFingerprint: fingerprint).map(\.name))
                guard !added.isEmpty else { return nil }
                former.columns.removeAll { added.contains($0.name) }
            }
            former.indexes.removeAll {
                expected[$0.name] != Self.fingerprint(of: Self.normalized($0.createStatement))
            }
            return former
        }
    }
}
