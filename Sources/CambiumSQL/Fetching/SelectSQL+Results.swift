import CambiumModel

extension SelectSQL {
    /// The statement that computes results out of the rows.
    ///
    /// Every order is total: results that are equal in it come in the order of their rows' keys;
    /// groups in the order of what their rows have in common; distinct results in that of their
    /// columns.
    package func results(
        _ query: TypedResults, _ selection: Selection, includesSubentities: Bool = true,
        limit: Int? = nil, offset: Int = 0, now: Date = .now
    ) throws -> (sql: String, parameters: [StoredValue]) {
        var lowering = self.lowering
        let columns = try query.columns.map { try lowering.column($0) }
        let groups = try query.groups.map { try lowering.value($0) }
        let having = try query.having.map { try lowering.test($0) }
        var order: [SQLFragment] = []
        for term in query.order {
            order.append(
                lowering.dialect.order(
                    by: try lowering.column(term.column), isDescending: term.isDescending,
                    texts: term.texts, placesNilLast: term.placesNilLast))
        }
        if query.isDistinct {
            order += columns.indices.map { SQLFragment(raw: String($0 + 1)) }
        } else if query.isGrouped {
            order += groups
        } else {
            order.append(SQLFragment(raw: column(SystemColumn.key)))
        }
        let (source, values) = try source(selection, includesSubentities, &lowering)

        var sql = SQLFragment(raw: query.isDistinct ? "SELECT DISTINCT " : "SELECT ")
        sql.append(columns.joined())
        var parameters = try sql.bindings(now: now) + values
        var rest: SQLFragment = ""
        if !groups.isEmpty { rest = "\(rest) GROUP BY \(groups.joined())" }
        if let having { rest = "\(rest) HAVING \(having)" }
        if !order.isEmpty { rest = "\(rest) ORDER BY \(order.joined())" }
        rest.append(lowering.dialect.slice(limit: limit, offset: offset))
        parameters += try rest.bindings(now: now)
        return ("\(sql.text) \(source)\(rest.text)", parameters)
    }

    /// The statement that returns the far ends of a relationship of many owners, whose keys are in
    /// the `pending` table: the owner's key, the member's, and its entity where the table has that
    /// column; owner by owner, each list in its order.
    ///
    /// - Parameter selection: What selects the members of one owner.
    /// - Returns: nil for a selection that is none of a relationship.
    package func members(_ selection: Selection) -> String? {
        let table = "\(SQLText.identifier(root.name)) AS \(SQLText.identifier(Self.alias))"
        let source: String
        var member = column(SystemColumn.key)
        switch selection {
        case .referring(let name, _):
            source = "CROSS JOIN \(table) ON \(column(name)) = p.key"
        case .linked(let join, let sourceColumn, let destination, _):
            let pairs =
                """
                CROSS JOIN \(SQLText.identifier(join)) AS \(SQLText.identifier(Self.join)) ON \
                \(SQLText.column(sourceColumn, of: Self.join)) = p.key
                """
            let far = SQLText.column(destination, of: Self.join)
            if hasEntityColumn {
                source = "\(pairs) CROSS JOIN \(table) ON \(member) = \(far)"
            } else {
                source = pairs
                member = far
            }
        case .matching, .key, .pendingKeys, .keyRange: return nil
        }
        let names = ["p.key", member] + (hasEntityColumn ? [column(SystemColumn.entity)] : [])
        let order = ["p.key"] + (selection.position.map { ["\($0) NULLS LAST"] } ?? []) + [member]
        return """
            SELECT \(names.joined(separator: ", ")) FROM pending AS p \(source) \
            ORDER BY \(order.joined(separator: ", "))
            """
    }
}

extension [SQLFragment] {
    /// One behind the other, with commas.
    fileprivate func joined() -> SQLFragment {
        var result: SQLFragment = ""
        for (index, fragment) in enumerated() {
            if index > 0 { result.append(", ") }
            result.append(fragment)
        }
        return result
    }
}

extension ExpressionSQL {
    fileprivate mutating func column(
        _ column: TypedResults.Column
    ) throws(ExpressionDiagnostics) -> SQLFragment {
        guard let function = column.function else { return try value(column.operand) }
        return try aggregate(function, column.operand)
    }

    /// One value out of the rows of a group.
    private mutating func aggregate(
        _ function: AggregateFunction, _ operand: TypedExpression
    ) throws(ExpressionDiagnostics) -> SQLFragment {
        let element = try value(operand)
        if let simple = aggregate(function, of: operand, element) { return simple }
        // sum() itself fails where 64 bits do not hold it: sums of the upper and the lower halves.
        let high: SQLFragment = "coalesce(sum(\(element) >> 32), 0)"
        let low: SQLFragment = "coalesce(sum(\(element) & 4294967295), 0)"
        let sum = dialect.whole("(\(high) + (\(low) >> 32)) * 4294967296 + (\(low) & 4294967295)")
        guard function == .average else { return sum }
        let divisor = String(DecimalStorage.powerOfTen(operand.type.scale ?? 0))
        return "(\(dialect.real(sum)) / count(\(element)) / \(raw: divisor).0)"
    }

    /// A condition over groups: 0 or 1, never NULL.
    fileprivate mutating func test(
        _ test: TypedResults.Test
    ) throws(ExpressionDiagnostics) -> SQLFragment {
        switch test {
        case .comparison(let column, let relation, let value):
            let left = try self.column(column)
            let constant = constant(column.type.stored(value) ?? .null)
            return switch relation {
            case .equal: "(\(dialect.areSame(left, constant)))"
            case .notEqual: "(\(dialect.areDifferent(left, constant)))"
            default: "((\(left) \(raw: relation.rawValue) \(constant)) IS TRUE)"
            }
        case .and(let tests): return try joined(tests, by: " AND ", empty: true)
        case .or(let tests): return try joined(tests, by: " OR ", empty: false)
        case .not(let test): return "(NOT \(try self.test(test)))"
        }
    }

    private mutating func joined(
        _ tests: [TypedResults.Test], by operation: String, empty: Bool
    ) throws(ExpressionDiagnostics) -> SQLFragment {
        guard !tests.isEmpty else { return dialect.condition(empty) }
        var result: SQLFragment = "("
        for (index, test) in tests.enumerated() {
            if index > 0 { result.append(SQLFragment(raw: operation)) }
            result.append(try self.test(test))
        }
        result.append(")")
        return result
    }
}
