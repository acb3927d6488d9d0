import CambiumModel
import CambiumPlan

/// Takes objects away that are equal in what is unique from now on, as the author says. It runs on
/// the new tables, before the index that would refuse them is made.
struct DuplicateRemoval {
    let model: Model
    let schema: Schema

    /// The statements of all de-duplications, in the order of their declaration.
    var statements: [MigrationStatement] {
        (model.migration?.deduplications ?? []).flatMap(statements)
    }

    /// The indexes that would refuse objects which become equal: they are made when equal ones are
    /// deleted, also where they existed before.
    var indexNames: Set<String> {
        Set(
            (model.migration?.deduplications ?? []).compactMap { declared in
                model.entity(named: declared.entity)?.uniqueConstraints.first {
                    Set($0.properties) == Set(declared.properties)
                }.map {
                    ConstraintName.unique(entity: declared.entity, properties: $0.properties).text
                }
            })
    }

    private func statements(
        of declared: MigrationDeclaration.Deduplication
    ) -> [MigrationStatement] {
        guard let entity = model.entity(named: declared.entity) else { return [] }
        let removal = ObjectRemoval(
            model: model, schema: schema, entity: entity, links: declared.links)
        let columns = declared.properties.compactMap { column(of: $0, in: entity) }
        guard columns.count == declared.properties.count, !columns.isEmpty else { return [] }
        let conditions =
            columns.map { "\($0) IS NOT NULL" } + [removal.membership].compactMap(\.self)
        var order = declared.order.compactMap { order -> String? in
            guard let column = column(of: order.attribute, in: entity) else { return nil }
            return "\(column)\(order.isDescending ? " DESC" : "") NULLS LAST"
        }
        order.append("\"_id\"")
        let choice =
            """
            SELECT "_id", first_value("_id") OVER equal AS "first", \
            row_number() OVER equal AS "place" \
            FROM \(SQLText.identifier(model.root(of: entity).name)) \
            WHERE \(conditions.joined(separator: " AND ")) \
            WINDOW equal AS (PARTITION BY \(columns.joined(separator: ", ")) \
            ORDER BY \(order.joined(separator: ", ")))
            """
        return removal.statements(
            removing: """
                SELECT "_id", "first", "place" FROM (\(choice))\n\
                WHERE "_id" <> "first"
                """, from: [model.root(of: entity).name])
            + refusal(declared, of: entity, choice)
    }

    /// Objects that reference equal ones of their own entity are equal when those are one, and then
    /// it starts again: how often, no plan knows.
    private func refusal(
        _ declared: MigrationDeclaration.Deduplication, of entity: Entity, _ choice: String
    ) -> [MigrationStatement] {
        let root = model.root(of: entity).name
        let leadsBack = declared.properties.contains { name in
            model.relationship(name, of: entity).flatMap { model.entity(named: $0.destination) }
                .map { model.root(of: $0).name == root } ?? false
        }
        guard leadsBack, declared.links == .move else { return [] }
        let list = declared.properties.joined(separator: ", ")
        return RefusalSQL.statements(
            """
            SELECT "_id", NULL FROM \(SQLText.identifier(root))\nWHERE "_id" IN (\
            SELECT "_id" FROM (\(choice)) WHERE "_id" <> "first") LIMIT 1
            """,
            of: root,
            reason: """
                objects of \(entity.name) become equal in \(list) as those that they lead to \
                become one: let a step take them away, or the program before this version
                """)
    }

    private func column(of property: String, in entity: Entity) -> String? {
        model.declarer(of: property, in: entity).map {
            SQLText.identifier(model.column(of: property, in: $0))
        }
    }
}

/// Deletes objects that the author drops by a condition. It runs on the old tables before anything
/// else, so that nothing later meets what the new version cannot hold.
///
/// Every condition is about the store as it was: all objects are chosen before the first one is
/// deleted, so the order of the drops makes no difference, and no drop takes what another one
/// references.
struct ConditionalDrops {
    let match: ModelMatch
    /// The tables of the old version.
    let schema: Schema

    /// The step, or nil where no object is dropped.
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
