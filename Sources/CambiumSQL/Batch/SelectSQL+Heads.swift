import CambiumModel

// The heads of rows: the key, the version, and the entity where the table has that column.
extension SelectSQL {
    /// The statement that returns the heads of the rows of a selection.
    ///
    /// Without an order and a limit they come in the order of their keys.
    package func heads(
        _ selection: Selection, includesSubentities: Bool = true, sort: [SortTerm] = [],
        limit: Int? = nil, offset: Int = 0
    ) throws -> (sql: String, parameters: [StoredValue]) {
        var lowering = self.lowering
        let terms = try lowering.order(sort)
        var (source, parameters) = try source(selection, includesSubentities, &lowering)
        source +=
            " ORDER BY "
            + (terms.map(\.text) + [column(SystemColumn.key)]).joined(separator: ", ")
        for term in terms { parameters += try term.bindings() }
        if limit != nil || offset > 0 {
            source += " LIMIT ? OFFSET ?"
            parameters += [.integer(Int64(limit ?? -1)), .integer(Int64(offset))]
        }
        var names = [column(SystemColumn.key), column(SystemColumn.version)]
        if hasEntityColumn { names.append(column(SystemColumn.entity)) }
        return ("SELECT \(names.joined(separator: ", ")) \(source)", parameters)
    }

    /// The statement that computes expressions over the rows whose keys are in `pending`: the key,
    /// then the values in the stored forms of the attributes.
    ///
    /// - Parameter expressions: What is computed, and the type of the attribute that gets it.
    /// - Returns: Also whether the values depend on nothing but their own rows.
    /// - Throws: ``ExpressionDiagnostics`` where an expression does not fit the entity.
    package func values(
        of expressions: [(expression: ModelExpression, type: AttributeType)], now: Date
    ) throws(ExpressionDiagnostics) -> (
        sql: String, parameters: [StoredValue], isOfOwnRow: Bool
    ) {
        var values: [String] = []
        var parameters: [StoredValue] = []
        var isOfOwnRow = true
        for (expression, type) in expressions {
            let fragment = try ExpressionSQL.value(
                expression, as: type, entity: entity, model: model, alias: Self.alias)
            values.append("(\(fragment.text))")
            parameters += try fragment.bindings(now: now)
            isOfOwnRow = isOfOwnRow && fragment.isPure
        }
        let names = [column(SystemColumn.key)] + values
        return (
            "SELECT \(names.joined(separator: ", ")) FROM pending AS p "
                + "CROSS JOIN \(SQLText.identifier(root.name)) AS \(SQLText.identifier(Self.alias))"
                + " WHERE \(column(SystemColumn.key)) = p.key",
            parameters, isOfOwnRow
        )
    }

    /// The statement that returns the keys of those rows of `pending` that do not meet a condition.
    ///
    /// - Throws: ``ExpressionDiagnostics`` where the store cannot look at it.
    package func violations(
        of condition: ModelExpression, now: Date
    ) throws(ExpressionDiagnostics) -> (sql: String, parameters: [StoredValue]) {
        let fragment = try ExpressionSQL.condition(
            condition, use: .truth, entity: entity, model: model, alias: Self.alias)
        return (
            "SELECT \(column(SystemColumn.key)) FROM pending AS p "
                + "CROSS JOIN \(SQLText.identifier(root.name)) AS \(SQLText.identifier(Self.alias))"
                + " WHERE \(column(SystemColumn.key)) = p.key AND NOT (\(fragment.text)) LIMIT 1",
            try fragment.bindings(now: now)
        )
    }
}
