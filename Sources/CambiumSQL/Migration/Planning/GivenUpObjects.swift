import CambiumModel
import CambiumPlan

/// Takes objects away that the author gives up by a condition. It runs on the old tables before
/// anything else, so that nothing later meets what the new version cannot hold.
///
/// Every condition is about the store as it was: all objects are chosen before the first one goes,
/// so the order of the drops makes no difference, and no drop takes what another one leads to.
struct GivenUpObjects {
    let match: ModelMatch
    /// The tables of the old version.
    let schema: Schema

    /// The step, or nil where nothing is given up.
    var step: MigrationStep? {
        let drops = match.conditionalDrops.compactMap { drop in
            match.rows(where: drop.condition, of: drop.entity).map { (drop: drop, rows: $0) }
        }
        guard !drops.isEmpty else { return nil }
        let removals = drops.indices.map { index in
            ObjectRemoval(
                model: match.old, schema: schema, entity: drops[index].drop.entity, links: .drop,
                number: index)
        }
        let roots = drops.map { match.old.root(of: $0.drop.entity).name }
        let choices = drops.indices.flatMap { index in
            removals[index].choice(
                query(of: drops[index].rows.sql, in: roots[index], besides: roots[..<index]),
                from: [roots[index]] + drops[index].rows.tables.sorted())
        }
        return MigrationStep(
            summary: "Drop " + drops.map(\.drop.words).unique.joined(separator: "; "),
            kind: .lossy, tables: roots.unique,
            statements: choices + removals.flatMap(\.deletion) + removals.flatMap(\.linkUpdates)
                + removals.flatMap(\.ending))
    }

    /// The objects of a drop, without those that an earlier one takes.
    ///
    /// - Parameter earlier: The tables of the earlier drops, by their numbers.
    private func query(
        of condition: String, in root: String, besides earlier: ArraySlice<String>
    ) -> String {
        let others = earlier.indices.filter { earlier[$0] == root }.map {
            " AND \"_id\" NOT IN (SELECT \"old\" FROM \(ObjectRemoval.pairs($0)))"
        }
        return "SELECT \"_id\", \"_id\", 1 FROM \(SQLText.identifier(root))\nWHERE \(condition)"
            + others.joined()
    }
}

extension [String] {
    /// Each once, where it stands first.
    fileprivate var unique: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
