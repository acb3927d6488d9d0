import CambiumModel

/// Takes objects away that the author gives up by a condition. It runs on the old tables before
/// anything else, so that nothing later meets what the new version cannot hold.
struct GivenUpObjects {
    let match: ModelMatch
    /// The tables of the old version.
    let schema: Schema

    /// The step, or nil where nothing is given up.
    var step: MigrationStep? {
        let drops = match.conditionalDrops
        guard !drops.isEmpty else { return nil }
        let roots = drops.map { match.old.root(of: $0.entity).name }
        return MigrationStep(
            summary: "Drop " + drops.map(\.words).unique.joined(separator: "; "),
            kind: .lossy, tables: roots.unique, sql: drops.flatMap(statements))
    }

    private func statements(of drop: ModelMatch.ConditionalDrop) -> [String] {
        let removal = ObjectRemoval(
            model: match.old, schema: schema, entity: drop.entity, links: .drop)
        let table = SQLText.identifier(match.old.root(of: drop.entity).name)
        return removal.statements(
            removing: "SELECT \"_id\", \"_id\", 1 FROM \(table)\nWHERE \(drop.sql)")
    }
}

extension [String] {
    /// Each once, where it stands first.
    fileprivate var unique: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
