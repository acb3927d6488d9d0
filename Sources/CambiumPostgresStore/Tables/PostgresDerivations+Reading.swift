import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

extension PostgresDerivations.Maintained {
    /// The statement that writes the values of some rows if they differ.
    ///
    /// - Parameters:
    ///   - value: The SQL of the values, with the joined tables.
    ///   - condition: The condition of the rows, in SQL.
    func update(
        to value: (fragment: PostgresFragment, joins: String), where condition: String,
        in layout: PostgresLayout
    ) -> PostgresFragment {
        let table = layout.tables[attribute.rootIndex]
        return """
            UPDATE \(raw: table.name) AS t SET \(raw: column) = n.v \
            FROM (SELECT t."_id" AS k, (\(value.fragment))::\(raw: type.name) AS v \
            FROM \(raw: table.source)\(raw: value.joins) WHERE \(raw: condition)) AS n \
            WHERE t."_id" = n.k AND t.\(raw: column) IS DISTINCT FROM n.v
            """
    }
}

extension PostgresDerivations {
    private var model: ModelDescription { layout.model }

    /// The statement that reads the derived values of written rows; nil if the rows have none.
    func read(_ keys: [Int64], root: Int) -> PostgresStatement? {
        guard !keys.isEmpty, !columns[root].isEmpty else { return nil }
        let entity = model.entities[root]
        let names =
            [SystemColumn.key] + (entity.hasEntityColumn ? [SystemColumn.entity] : [])
            + columns[root]
        var parameters = PostgresParameters()
        parameters.appendArray(of: keys)
        return PostgresStatement(
            """
            SELECT \(names.map { PostgresName.identifier($0) }.joined(separator: ", ")) \
            FROM \(layout.table(of: entity.entity)) WHERE "_id" = ANY($1)
            """, parameters)
    }

    func rows(_ rows: PostgresRows, root: Int) -> [DerivedRow] {
        let hasEntity = model.entities[root].hasEntityColumn
        let first = hasEntity ? 2 : 1
        return (0..<rows.count).map { row in
            let number = hasEntity ? model.index(named: rows.text(row, 1)) ?? root : root
            let entity = model.entities[number]
            return DerivedRow(
                entity: number, key: rows.integer(row, 0),
                values: slots[number].map { slot, column in
                    guard !rows.isNull(row, first + column) else { return (slot, .null) }
                    let type = PostgresTable.type(ofSlot: slot, of: entity)
                    return (slot, type.value(of: rows.bytes(row, first + column)))
                })
        }
    }
}
