import CambiumModel
import CambiumSQL

/// The query that finds the rows whose unique values records of the `pending` table want to have:
/// one for each unique constraint, and one for each to-one relationship whose destination may have
/// one partner only.
struct UniqueSQL: Sendable {
    /// For each record (`key`) that has a value in all of the columns, the keys of the other rows
    /// that hold the same values: the record's key, the row's.
    let holders: String

    /// - Parameters:
    ///   - columns: The columns, with the slots of their values in `pending`.
    ///   - entity: The entity that declares the properties; its family's rows count.
    init(_ columns: [(slot: Int, name: String)], of entity: Entity, in model: Model) {
        let root = model.root(of: entity)
        var conditions = columns.map { column in
            "t.\(SQLText.identifier(column.name)) = p.c\(column.slot)"
        }
        if entity.parent != nil {
            let names = model.family(of: entity).map { SQLText.literal(.text($0.name)) }
            let column = "t.\(SQLText.identifier(SystemColumn.entity))"
            // In the words of the partial index, so that SQLite uses it.
            conditions.append(
                names.count == 1
                    ? "\(column) = \(names[0])" : "\(column) IN (\(names.joined(separator: ", ")))")
        }
        let key = "t.\(SQLText.identifier(SystemColumn.key))"
        holders = """
            SELECT p.key, \(key) FROM pending AS p \
            CROSS JOIN \(SQLText.identifier(root.name)) AS t \
            WHERE \(conditions.joined(separator: " AND ")) AND \(key) <> p.key
            """
    }
}
