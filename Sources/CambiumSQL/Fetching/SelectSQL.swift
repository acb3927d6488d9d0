import CambiumModel

/// A statement that reads the rows of an entity. Its columns are the key, the version, the entity
/// if the table has that column, then the columns of the whole family.
package struct SelectSQL: Sendable {
    /// The rows that a statement selects.
    package enum Selection: Sendable {
        /// The rows that meet the condition; all without one.
        case matching(ModelExpression?, [String: Value])
        /// The row with the key in parameter 1.
        case key
        /// The rows with keys in the `pending` table.
        case pendingKeys
        /// The rows with keys between parameters 1 and 2, in the order of the keys.
        case keyRange
        /// The rows that have the key in parameter 1 in a column. If a position column is given,
        /// they are in its order.
        case referring(column: String, position: String? = nil)
        /// The rows that a join table links to the key in parameter 1. If a position column is
        /// given, they are in its order.
        case linked(
            table: String, sourceColumn: String, destinationColumn: String, position: String? = nil)

        /// The column that the rows are in the order of.
        var position: String? {
            switch self {
            case .referring(_, let position?):
                SQLText.column(position, of: SelectSQL.alias)
            case .linked(_, _, _, let position?):
                SQLText.column(position, of: SelectSQL.join)
            case .matching, .key, .pendingKeys, .keyRange, .referring, .linked:
                nil
            }
        }
    }

    /// The columns of the family, as the rows have them after the system columns.
    package let columns: [String]
    /// The number of system columns, which are the first ones.
    package let firstColumn: Int

    static let alias = "t"
    static let join = "j"
    let model: Model
    let entity: Entity
    let root: Entity
    let hasEntityColumn: Bool

    package init(_ entity: Entity, in model: Model) {
        self.model = model
        self.entity = entity
        root = model.root(of: entity)
        hasEntityColumn = model.hasSubentities(root)
        firstColumn = hasEntityColumn ? 3 : 2
        var columns: [String] = []
        for member in model.family(of: entity) {
            for slot in RecordLayout(of: member, in: model).slots {
                if let column = slot.column, !columns.contains(column) { columns.append(column) }
            }
        }
        self.columns = columns
    }

    /// The statement that returns the greatest key of the hierarchy, with a single look-up.
    package var greatestKey: String {
        "SELECT max(\"_id\") FROM \(SQLText.identifier(root.name))"
    }

    /// The statement that returns rows.
    ///
    /// Every order is total: rows with equal sort keys are in the order of their keys.
    package func rows(
        _ selection: Selection, includesSubentities: Bool = true, sort: [SortTerm] = [],
        limit: Int? = nil, offset: Int = 0
    ) throws -> (sql: String, parameters: [StoredValue]) {
        try rows(resultColumns, selection, includesSubentities, sort, limit, offset)
    }

    func rows(
        _ names: [String], _ selection: Selection, _ includesSubentities: Bool, _ sort: [SortTerm],
        _ limit: Int?, _ offset: Int
    ) throws -> (sql: String, parameters: [StoredValue]) {
        var lowering = self.lowering
        let terms = try lowering.order(sort)
        var (source, parameters) = try source(selection, includesSubentities, &lowering)
        if case .key = selection {
        } else {
            let position = selection.position.map { ["\($0) NULLS LAST"] } ?? []
            source +=
                " ORDER BY "
                + (position + terms.map { $0.text } + [column(SystemColumn.key)])
                .joined(separator: ", ")
            for term in terms { parameters += try term.bindings() }
        }
        let slice = lowering.dialect.slice(limit: limit, offset: offset)
        source += slice.text
        parameters += try slice.bindings()
        return ("SELECT \(names.joined(separator: ", ")) \(source)", parameters)
    }

    /// Returns the statement for the keys, the versions and the entities of rows, without other
    /// columns. For the far end of a relationship the version is 0, so that an index is enough.
    package func keys(
        _ selection: Selection, includesSubentities: Bool = true, sort: [SortTerm] = [],
        limit: Int? = nil, offset: Int = 0
    ) throws -> (sql: String, parameters: [StoredValue]) {
        let version: String
        switch selection {
        case .matching, .key, .pendingKeys, .keyRange: version = column(SystemColumn.version)
        case .referring, .linked: version = "0"
        }
        return try rows(
            rowKeys(version: version), selection, includesSubentities, sort, limit, offset)
    }

    /// Returns the statement that passes the rows to the function `sink`, in any order; nil if
    /// there are more columns than the function takes.
    package func scan(
        _ selection: Selection, includesSubentities: Bool = true, maximumColumns: Int
    ) throws -> (sql: String, parameters: [StoredValue])? {
        let names = resultColumns
        guard names.count <= maximumColumns else { return nil }
        var lowering = self.lowering
        let (source, parameters) = try source(selection, includesSubentities, &lowering)
        return ("SELECT sink(\(names.joined(separator: ", "))) \(source)", parameters)
    }

    /// The statement that returns the number of rows.
    package func count(
        _ selection: Selection, includesSubentities: Bool = true
    ) throws -> (sql: String, parameters: [StoredValue]) {
        var lowering = self.lowering
        let (source, parameters) = try source(selection, includesSubentities, &lowering)
        return ("SELECT COUNT(*) \(source)", parameters)
    }

    var lowering: ExpressionSQL {
        var lowering = ExpressionSQL(entity: entity, model: model, alias: Self.alias)
        lowering.joins = JoinedTables()
        return lowering
    }

    private var resultColumns: [String] {
        rowKeys(version: column(SystemColumn.version)) + columns.map(column)
    }

    /// Returns the columns that identify a row: its key, its version, and the entity if the table
    /// has that column.
    func rowKeys(version: String) -> [String] {
        [column(SystemColumn.key), version]
            + (hasEntityColumn ? [column(SystemColumn.entity)] : [])
    }

    func column(_ name: String) -> String {
        SQLText.column(name, of: Self.alias)
    }

    /// Returns FROM and WHERE, and the values to bind. All other parts that use related rows must
    /// be written before, because this part joins their tables.
    func source(
        _ selection: Selection, _ includesSubentities: Bool, _ lowering: inout ExpressionSQL
    ) throws -> (String, [StoredValue]) {
        let table = "\(SQLText.identifier(root.name)) AS \(SQLText.identifier(Self.alias))"
        let key = column(SystemColumn.key)
        var conditions: [String] = []
        var parameters: [StoredValue] = []
        var from = "FROM \(table)"
        switch selection {
        case .matching(let condition, let arguments):
            if let condition {
                let lowered = try lowering.condition(condition, parameters: arguments)
                conditions.append(lowered.sql)
                parameters = lowered.parameters
            }
        case .key:
            conditions.append("\(key) = ?")
        case .pendingKeys:
            // CROSS JOIN fixes the order: a look-up per key, in the order of the keys.
            from = "FROM pending AS p CROSS JOIN \(table)"
            conditions.append("\(key) = p.key")
        case .keyRange:
            from = lowering.dialect.inOrderOfKeys(SQLFragment(raw: from)).text
            conditions.append("\(key) BETWEEN ? AND ?")
        case .referring(let name, _):
            conditions.append("\(column(name)) = ?")
        case .linked(let join, let source, let destination, _):
            from +=
                """
                 JOIN \(SQLText.identifier(join)) AS \(SQLText.identifier(Self.join))\
                 ON \(SQLText.column(destination, of: Self.join)) = \(key)
                """
            conditions.append("\(SQLText.column(source, of: Self.join)) = ?")
        }
        if let restriction = entityRestriction(includesSubentities) {
            conditions.append(restriction)
        }
        from += lowering.joins?.sql ?? ""
        if conditions.isEmpty { return (from, parameters) }
        return ("\(from) WHERE \(conditions.joined(separator: " AND "))", parameters)
    }

    /// Leaves out the rows of other entities of the hierarchy.
    private func entityRestriction(_ includesSubentities: Bool) -> String? {
        guard hasEntityColumn else { return nil }
        let wanted = includesSubentities ? model.family(of: entity) : [entity]
        guard wanted.count < model.family(of: root).count else { return nil }
        return "\(column(SystemColumn.entity)) IN (\(SQLText.literals(wanted.names)))"
    }

    // Row keys: the key, the version, and the entity if the table has that column.

    /// The statement that returns the row keys of a selection.
    ///
    /// Without an order and a limit, the rows come in the order of their keys.
    package func rowKeys(
        _ selection: Selection, includesSubentities: Bool = true, sort: [SortTerm] = [],
        limit: Int? = nil, offset: Int = 0
    ) throws -> (sql: String, parameters: [StoredValue]) {
        try rows(
            rowKeys(version: column(SystemColumn.version)), selection, includesSubentities, sort,
            limit, offset)
    }

    /// A statement that computes values for attributes.
    package struct ComputedValues {
        package fileprivate(set) var sql = ""
        package fileprivate(set) var parameters: [StoredValue] = []
        /// The types of the values. They are the attributes' types, except for values that must be
        /// rounded to a decimal.
        package fileprivate(set) var types: [ExpressionType] = []
        /// Whether the values depend only on the row itself.
        package fileprivate(set) var isOfOwnRow = true
    }

    /// Returns the statement that computes expressions over the rows with keys in `pending`. Its
    /// columns are the key, then the values in the stored forms of their types.
    ///
    /// - Parameter expressions: The expressions, each with the type of the attribute that gets the
    ///   value.
    /// - Throws: ``ExpressionDiagnostics`` if an expression does not fit the entity.
    package func values(
        of expressions: [(expression: ModelExpression, type: AttributeType)], now: Date
    ) throws(ExpressionDiagnostics) -> ComputedValues {
        var computed = ComputedValues()
        var names = [column(SystemColumn.key)]
        for (expression, type) in expressions {
            let roundedType = Self.roundedType(of: expression, for: type, entity, model)
            let fragment = try ExpressionSQL.value(
                expression, as: roundedType == nil ? type : nil, entity: entity, model: model,
                alias: Self.alias)
            names.append("(\(fragment.text))")
            computed.parameters += try fragment.bindings(now: now)
            computed.types.append(roundedType ?? ExpressionType(type))
            computed.isOfOwnRow = computed.isOfOwnRow && fragment.isPure
        }
        computed.sql =
            """
            SELECT \(names.joined(separator: ", ")) FROM pending AS p \
            CROSS JOIN \(SQLText.identifier(root.name)) AS \(SQLText.identifier(Self.alias))\
             WHERE \(column(SystemColumn.key)) = p.key
            """
        return computed
    }

    /// Returns the type of a value that must be rounded for a decimal attribute: a decimal with
    /// more places, or a quotient. The result is nil if nothing must be rounded.
    package static func roundedType(
        of expression: ModelExpression, for type: AttributeType, _ entity: Entity, _ model: Model
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

    /// Returns the statement for the keys of the rows in `pending` that do not meet a condition.
    ///
    /// - Throws: ``ExpressionDiagnostics`` if the store cannot evaluate it.
    package func violations(
        of condition: ModelExpression, now: Date
    ) throws(ExpressionDiagnostics) -> (sql: String, parameters: [StoredValue]) {
        let fragment = try ExpressionSQL.condition(
            condition, use: .boolean, entity: entity, model: model, alias: Self.alias)
        return (
            """
            SELECT \(column(SystemColumn.key)) FROM pending AS p \
            CROSS JOIN \(SQLText.identifier(root.name)) AS \(SQLText.identifier(Self.alias))\
             WHERE \(column(SystemColumn.key)) = p.key AND NOT (\(fragment.text)) LIMIT 1
            """,
            try fragment.bindings(now: now)
        )
    }
}

extension SelectSQL {
    /// Returns the statement that computes results from the rows.
    ///
    /// Every order is total. Equal results are in the order of their rows' keys, groups in the
    /// order of their common values, and distinct results in the order of their columns.
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

    /// Returns the statement for the far ends of a relationship of many owners, with owner keys in
    /// the `pending` table. Its columns are the owner's key, the member's key, and the member's
    /// entity if the table has that column. The rows are grouped by owner, each list in its order.
    ///
    /// - Parameter selection: The selection of the members of one owner.
    /// - Returns: Nil if the selection is not one of a relationship.
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
    /// The fragments in order, separated by commas.
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

    /// Returns the SQL of one value that is computed from the rows of a group.
    private mutating func aggregate(
        _ function: AggregateFunction, _ operand: TypedExpression
    ) throws(ExpressionDiagnostics) -> SQLFragment {
        let element = try value(operand)
        if let simple = aggregate(function, of: operand, element) { return simple }
        // sum() itself fails if 64 bits cannot hold the result, so the upper and the lower halves
        // are summed.
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
