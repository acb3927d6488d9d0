import CambiumModel

extension Catalogue {
    /// The beginning of a hash of what each table and index says, by its name: short enough to be
    /// kept for each version that a model ever had, long enough to tell a change by hand.
    package var fingerprints: [String: String] {
        entries.mapValues(Self.fingerprint)
    }

    static func fingerprint(of text: String) -> String {
        String(SHA256.hexadecimal(of: text).prefix(8))
    }

    fileprivate init(of tables: [Table]) {
        self.init(
            rows: tables.flatMap { table in
                [[.text(table.name), .text(table.createStatement())]]
                    + table.indexes.map { [.text($0.name), .text($0.createStatement)] }
            })
    }
}

extension Schema {
    /// The fingerprints of tables and indexes that are other ones than those of the version before;
    /// an empty text stands for what is gone.
    package func fingerprints(besides former: Schema?) -> [String: String] {
        let formerTables = Dictionary(
            uniqueKeysWithValues: (former?.tables ?? []).map { ($0.name, $0) })
        let names = Set(tables.map(\.name))
        let changed = tables.filter { formerTables[$0.name] != $0 }
        let old =
            changed.compactMap { formerTables[$0.name] }
            + formerTables.values.filter { !names.contains($0.name) }
        let oldFingerprints = Catalogue(of: old).fingerprints
        let newFingerprints = Catalogue(of: changed).fingerprints
        // An index may have gone from one table to another.
        let kept = Set(tables.flatMap(\.indexes).map(\.name)).union(names)
        return newFingerprints.filter { oldFingerprints[$0] != $1 }
            .merging(oldFingerprints.keys.filter { !kept.contains($0) }.map { ($0, "") }) { $1 }
    }
}
