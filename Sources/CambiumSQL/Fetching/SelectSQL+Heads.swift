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
        try rows(
            heads(version: column(SystemColumn.version)), selection, includesSubentities, sort,
            limit, offset)
    }

    /// What computes values for attributes.
    package struct ComputedValues {
        package fileprivate(set) var sql = ""
        package fileprivate(set) var parameters: [StoredValue] = []
        /// What the values are: of the attributes' types, but for what is to be rounded to a
        /// decimal.
        package fileprivate(set) var types: [ExpressionType] = []
        /// Whether they depend on nothing but their own rows.
        package fileprivate(set) var isOfOwnRow = true
    }

    /// The statement that computes expressions over the rows whose keys are in `pending`: the key,
    /// then the values in the stored forms of their types.
    ///
    /// - Parameter expressions: What is computed, and the type of the attribute that gets it.
    /// - Throws: ``ExpressionDiagnostics`` where an expression does not fit the entity.
    package func values(
        of expressions: [(expression: ModelExpression, type: AttributeType)], now: Date
    ) throws(ExpressionDiagnostics) -> ComputedValues {
        var computed = ComputedValues()
        var names = [column(SystemColumn.key)]
        for (expression, type) in expressions {
            let roundedType = roundedType(of: expression, for: type)
            let fragment = try ExpressionSQL.value(
                expression, as: roundedType == nil ? type : nil, entity: entity, model: model,
                alias: Self.alias)
            names.append("(\(fragment.text))")
            computed.parameters += try fragment.bindings(now: now)
            computed.types.append(roundedType ?? ExpressionType(type))
            computed.isOfOwnRow = computed.isOfOwnRow && fragment.isPure
        }
        computed.sql =
            "SELECT \(names.joined(separator: ", ")) FROM pending AS p "
            + "CROSS JOIN \(SQLText.identifier(root.name)) AS \(SQLText.identifier(Self.alias))"
            + " WHERE \(column(SystemColumn.key)) = p.key"
        return computed
    }

    /// The type of what is computed for a decimal attribute and has to be rounded for it: a decimal
    /// of more places, or a quotient. nil where nothing has.
    private func roundedType(
        of expression: ModelExpression, for type: AttributeType
    ) -> ExpressionType? {
        guard case .decimal(let scale) = type,
            let found = try? ExpressionCompiler.typedValue(
                expression, entity: entity, model: model, allowsParameters: true)
        else { return nil }
        // A constant that does not fit is a mistake.
        if case .literal = expression { return nil }
        switch found.type {
        case .decimal(let own) where own > scale: return found.type
        case .float, .double: return found.type
        default: return nil
        }
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
