import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// The values of derived attributes that memory computes.
struct ComputedValues {
    let derivations: PostgresDerivations
    /// The time of the transaction.
    let now: Date
    private var layout: PostgresLayout { derivations.layout }
    private var model: ModelDescription { layout.model }

    /// Reads the rows of an attribute's objects.
    ///
    /// - Parameter condition: The condition of the rows, and their order.
    func select(_ maintained: PostgresDerivations.Maintained, _ condition: String) -> String {
        let table = layout.tables[entity(of: maintained.attribute).index]
        return "SELECT \(table.list) FROM \(table.source) WHERE \(condition)"
    }

    private func entity(of attribute: MaintainedAttribute) -> EntityDescription {
        model.entities[model.index(named: attribute.entity.name) ?? attribute.rootIndex]
    }

    /// The values that differ from those of the rows.
    func changed(
        _ attribute: MaintainedAttribute, _ rows: PostgresRows, _ snapshot: PostgresSnapshot
    ) throws -> [(key: Int64, value: StoredValue)] {
        guard let derivation = attribute.attribute.derivation else { throw UnsupportedExpression() }
        let evaluator = try ExpressionEvaluator(
            value: derivation, as: attribute.attribute.type, entity: attribute.entity,
            model: model.model)
        let type = ExpressionType(attribute.attribute.type)
        let values = try snapshot.subjects(rows, entity(of: attribute)).compactMap { subject in
            let value = type.stored(try evaluator.evaluate(subject, now: now)) ?? .null
            return subject.storedValue(ofAttribute: attribute.attribute.name) == value
                ? nil : (key: subject.expressionKey, value: value)
        }
        if let failure = snapshot.failure { throw failure }
        return values
    }

    /// Writes them.
    func update(
        _ values: [(key: Int64, value: StoredValue)], _ maintained: PostgresDerivations.Maintained
    ) -> PostgresStatement {
        var parameters = PostgresParameters()
        parameters.appendArray(of: values.map(\.key))
        parameters.appendArray(of: maintained.type, count: values.count) {
            maintained.type.append(values[$0].value, to: &$1)
        }
        let table = layout.tables[maintained.attribute.rootIndex]
        return PostgresStatement(
            """
            UPDATE \(table.name) AS t SET \(maintained.column) = n.v \
            FROM unnest($1, $2) AS n(k, v) \
            WHERE t."_id" = n.k AND t.\(maintained.column) IS DISTINCT FROM n.v
            """, parameters)
    }

    private static let rowsAtOnce = 2_000

    /// Updates computed values in all rows, in a transaction without other writers. It updates the
    /// values that are computed in memory, and the values that the server computes from these.
    func updateAll(
        _ connection: PostgresConnection,
        _ updateOfAll: (PostgresDerivations.Maintained) -> String?
    ) throws {
        for maintained in derivations.maintained {
            guard maintained.isComputedInMemory else {
                if maintained.stage > 0, let sql = updateOfAll(maintained) {
                    _ = try connection.run(sql)
                }
                continue
            }
            try differing(maintained, { try $0(connection) }) { values in
                if !values.isEmpty { _ = try connection.run([update(values, maintained)]) }
            }
        }
    }

    /// Computes the values of all rows, and delivers the ones that differ, page by page.
    ///
    /// - Parameter withConnection: Runs a body with a connection that reads.
    func differing(
        _ maintained: PostgresDerivations.Maintained,
        _ withConnection: ((PostgresConnection) throws -> Page) throws -> Page,
        _ receive: ([(key: Int64, value: StoredValue)]) throws -> Void
    ) throws {
        let family = layout.tables[entity(of: maintained.attribute).index].ofFamily
        var last = Int64.min
        while true {
            let next = "t.\"_id\" > \(last)\(family.map { " AND \($0)" } ?? "")"
            let page = try withConnection { connection -> Page in
                let rows = try connection.run(
                    select(
                        maintained, "\(next) ORDER BY t.\"_id\" LIMIT \(Self.rowsAtOnce)"))
                guard rows.count > 0 else { return Page() }
                return Page(
                    last: rows.integer(rows.count - 1, 0),
                    values: try changed(
                        maintained.attribute, rows, PostgresSnapshot(layout, connection)))
            }
            guard let end = page.last else { return }
            last = end
            try receive(page.values)
        }
    }

    /// The changed values of some rows.
    struct Page {
        /// The last key that was read; nil if there was none.
        var last: Int64?
        var values: [(key: Int64, value: StoredValue)] = []
    }
}
