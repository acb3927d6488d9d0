import CambiumModel
import CambiumPlan

/// Plans how a migration takes the history of a store along.
final class HistoryPlanner {
    private let difference: ModelDifference
    private let match: ModelMatch
    private let oldSchema: Schema
    private let newSchema: Schema
    private let translation: HistoryTranslation

    init(_ difference: ModelDifference, _ oldSchema: Schema, _ newSchema: Schema) {
        self.difference = difference
        match = difference.match
        self.oldSchema = oldSchema
        self.newSchema = newSchema
        translation = HistoryTranslation(match, oldSchema, newSchema)
    }

    var history: MigrationHistory {
        if StepCoverage(difference) != nil {
            return MigrationHistory(
                obstacle: "The program's own steps change objects, and nobody can say which")
        }
        return MigrationHistory(
            before: translation.statements + [Self.mark] + (deletesObjects ? deletions : []),
            after: (deletesObjects ? survivors : []) + updates)
    }

    /// A change of no object, so that the migration is a transaction in any case.
    private static let mark =
        "INSERT INTO \(HistorySQL.changes) (\"kind\", \"entity\", \"key\") VALUES (1, '', 0)"

    // MARK: Deletions

    private var deletesObjects: Bool { difference.deletesObjects }

    /// What is in the history after the last transaction.
    private static let isOfMigration =
        "> (SELECT coalesce(max(\"last\"), 0) FROM \(HistorySQL.transactions))"

    /// Says of all objects that they are deleted, under their new keys and names.
    private var deletions: [String] {
        match.old.entities.flatMap { entity -> [String] in
            let root = match.old.root(of: entity)
            guard !entity.isAbstract, let heir = translation.heir(of: entity)?.new else {
                return []
            }
            let shift = translation.keyShift(of: entity)
            let (table, name) = (SQLText.identifier(root.name), SQLText.literal(heir.name))
            let condition = condition(entity, in: match.old)
            let deletion =
                """
                INSERT INTO \(HistorySQL.changes) ("kind", "entity", "key") \
                SELECT \(HistoryKind.delete.rawValue), \(name), \
                "_id"\(shift.map { " + \($0)" } ?? "") FROM \(table)\(condition)
                """
            let tombstones = preservedColumns(of: entity, as: heir).map { old, new in
                let (value, condition) = (
                    SQLText.identifier(old), condition + (condition.isEmpty ? " WHERE " : " AND ")
                )
                return """
                    INSERT INTO \(HistorySQL.values) ("change", "column", "old") \
                    SELECT "number", \(SQLText.literal(new)), \(value) \
                    FROM \(HistorySQL.changes) JOIN \(table) \
                    ON "_id" = "key"\(shift.map { " - \($0)" } ?? "")\(condition)\
                    "number" \(Self.isOfMigration) AND "kind" = \(HistoryKind.delete.rawValue) \
                    AND "entity" = \(name) AND \(value) IS NOT NULL
                    """
            }
            return [deletion] + tombstones
        }
    }

    /// The columns whose values tombstones keep, by their old and new names in order.
    private func preservedColumns(of oldEntity: Entity, as heir: Entity) -> [(String, String)] {
        let root = match.old.root(of: oldEntity).name
        guard let table = oldSchema.tables.first(where: { $0.content == .objects(root: root) })
        else { return [] }
        let names = translation.columns(of: oldEntity, in: table)
        let preserved = match.new.attributes(of: heir).filter {
            $0.isPreservedAfterDeletion && !$0.usesExternalForm
        }
        return table.columns.compactMap { column in
            guard case .attribute = column.content, let new = names[column.name],
                preserved.contains(where: { attribute in
                    match.new.declarer(of: attribute.name, in: heir).map {
                        match.new.column(of: attribute.name, in: $0) == new
                    } ?? false
                })
            else { return nil }
            return (column.name, new)
        }
    }

    /// Takes that back for those that exist in the end.
    private var survivors: [String] {
        match.new.roots.map { root in
            """
            DELETE FROM \(HistorySQL.changes) \
            WHERE "kind" = \(HistoryKind.delete.rawValue) \
            AND "number" \(Self.isOfMigration) \
            AND "entity" IN (\(SQLText.literals(match.new.family(of: root).map(\.name)))) \
            AND "key" IN (SELECT "_id" FROM \(SQLText.identifier(root.name)))
            """
        } + [
            """
            DELETE FROM \(HistorySQL.values) WHERE "change" \(Self.isOfMigration) \
            AND "change" NOT IN (SELECT "number" FROM \(HistorySQL.changes))
            """
        ]
    }

    // MARK: Updates

    /// Says which properties the objects of each entity may have other values of.
    private var updates: [String] {
        let changed = ChangedProperties(difference)
        return match.new.entities.compactMap { entity in
            guard !entity.isAbstract, match.oldEntity(of: entity) != nil else { return nil }
            let names = changed.names(of: entity)
            guard !names.isEmpty else { return nil }
            let list = names.map { " " + $0 }.joined()
            let root = match.new.root(of: entity)
            return """
                INSERT INTO \(HistorySQL.changes) \
                ("kind", "entity", "key", "properties") \
                SELECT \(HistoryKind.update.rawValue), \(SQLText.literal(entity.name)), \
                "_id", \(SQLText.literal(list)) \
                FROM \(SQLText.identifier(root.name))\(condition(entity, in: match.new))
                """
        }
    }

    /// Which rows of its table are objects of an entity.
    private func condition(_ entity: Entity, in model: Model) -> String {
        model.hasSubentities(model.root(of: entity))
            ? " WHERE \"_entity\" = \(SQLText.literal(entity.name))" : ""
    }
}
