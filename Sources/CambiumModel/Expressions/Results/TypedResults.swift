/// A ``ResultQuery`` as SQL and memory read it: every name is resolved, and what cannot be asked is
/// refused.
package struct TypedResults: Sendable {
    /// A column, with the type of its values.
    package struct Column: Sendable {
        package let function: AggregateFunction?
        package let operand: TypedExpression

        /// The type of its values.
        package var type: ExpressionType {
            switch function {
            case nil, .sum, .minimum, .maximum: operand.type
            case .count: .integer
            case .average: operand.type == .anyDecimal ? .anyDecimal : .double
            }
        }
    }

    /// One level of the order.
    package struct Term: Sendable {
        package let column: Column
        package let isDescending: Bool
        package let texts: TextOrder
        package let placesNilLast: Bool?
    }

    /// A condition over groups.
    package indirect enum Test: Sendable {
        case comparison(Column, ComparisonOperator, Value)
        case and([Test])
        case or([Test])
        case not(Test)
    }

    /// What was asked for; then, for each object among that whose class can differ, the name of its
    /// entity.
    package let columns: [Column]
    /// How many columns were asked for.
    package let count: Int
    /// For a column of objects, that of the names of their entities.
    package let entityColumns: [Int: Int]
    package let isDistinct: Bool
    package let groups: [TypedExpression]
    package let having: Test?
    package let order: [Term]

    /// Whether a result stands for a group of objects, which may be that of all.
    package var isGrouped: Bool {
        !groups.isEmpty || columns.contains { $0.function != nil }
    }

    /// Checks a query.
    ///
    /// - Parameter parameters: Values for `$name`.
    /// - Throws: What does not fit the entity; a column that is neither common to its group nor
    ///   computed out of it; a condition over groups without groups; an order of distinct results
    ///   by what is none of their columns.
    package init(
        checking query: ResultQuery, entity: Entity, model: Model
    ) throws(ExpressionDiagnostics) {
        let check = ResultChecker(query, entity: entity, model: model)
        var columns: [Column] = []
        for column in query.columns { columns.append(try check.column(column)) }
        guard !columns.isEmpty else { throw ResultChecker.failure("no column is selected", "") }
        count = columns.count
        var entityColumns: [Int: Int] = [:]
        for (index, column) in columns.enumerated() {
            guard case .object(let name) = column.type, let entity = model.entity(named: name),
                model.hasSubentities(model.root(of: entity))
            else { continue }
            entityColumns[index] = columns.count
            columns.append(
                Column(function: nil, operand: .function(.entity, [column.operand], .string)))
        }
        var groups: [TypedExpression] = []
        for group in query.groups { groups.append(try check.value(group)) }
        if query.having != nil, groups.isEmpty {
            throw ResultChecker.failure(
                "a condition over groups needs groups", "",
                hint: "say what objects of a group have in common, or make it a filter of objects")
        }
        self.columns = columns
        self.entityColumns = entityColumns
        self.groups = groups
        isDistinct = query.isDistinct
        having = try query.having.map { (test) throws(ExpressionDiagnostics) in
            try check.test(test)
        }
        var order: [Term] = []
        for term in query.order {
            try check.requireSelected(term.column)
            order.append(
                Term(
                    column: try check.column(term.column), isDescending: term.isDescending,
                    texts: term.texts, placesNilLast: term.placesNilLast))
        }
        self.order = order
    }
}

/// Finds the meaning of the parts of a query.
private struct ResultChecker {
    let query: ResultQuery
    let entity: Entity
    let model: Model
    let isGrouped: Bool

    init(_ query: ResultQuery, entity: Entity, model: Model) {
        self.query = query
        self.entity = entity
        self.model = model
        isGrouped =
            !query.groups.isEmpty || query.columns.contains { $0.function != nil }
    }

    static func failure(_ message: String, _ part: String, hint: String? = nil)
        -> ExpressionDiagnostics
    {
        let diagnostic = ExpressionDiagnostic(offset: 0, message: message, hint: hint)
        return ExpressionDiagnostics([part.isEmpty ? diagnostic : diagnostic.naming(part)])
    }

    func value(_ expression: ModelExpression) throws(ExpressionDiagnostics) -> TypedExpression {
        let typed = try ExpressionCompiler.typedValue(expression, entity: entity, model: model)
        if case .attribute(_, let attribute, _) = typed, attribute.isTransient {
            throw Self.failure("it is transient: not in the store", expression.description)
        }
        return typed
    }

    func column(
        _ column: ResultExpression
    ) throws(ExpressionDiagnostics) -> TypedResults.Column {
        let operand = try value(column.operand)
        guard let function = column.function else {
            if isGrouped, !query.groups.contains(column.operand), !isConstant(operand) {
                throw Self.failure(
                    "objects of a group may differ in it", column.description,
                    hint: "group by it, or take its min, max, sum, average or count")
            }
            return TypedResults.Column(function: nil, operand: operand)
        }
        let isFit: Bool =
            switch function {
            case .count: true
            case .sum, .average: operand.type.hasSum
            case .minimum, .maximum: operand.type.isOrdered
            }
        guard isFit else {
            throw Self.failure(
                "\(function.rawValue) does not apply to \(operand.type.description)",
                column.operand.description)
        }
        return TypedResults.Column(function: function, operand: operand)
    }

    private func isConstant(_ expression: TypedExpression) -> Bool {
        if case .literal = expression { return true }
        return false
    }

    /// Equal results of different objects appear once: they have to agree in what they are sorted
    /// by.
    func requireSelected(_ column: ResultExpression) throws(ExpressionDiagnostics) {
        guard query.isDistinct, !query.columns.contains(column) else { return }
        throw Self.failure(
            "distinct results can be sorted by their columns only", column.description,
            hint: "select it too")
    }

    func test(_ test: GroupTest) throws(ExpressionDiagnostics) -> TypedResults.Test {
        switch test {
        case .comparison(let column, let relation, let constant):
            let typed = try self.column(column)
            guard constant == .null || isKept(constant, as: typed.type) else {
                throw Self.failure(
                    "\(typed.type.description) cannot be compared with \(constant)",
                    column.description)
            }
            return .comparison(typed, relation, constant.normalized)
        case .and(let tests): return .and(try self.tests(tests))
        case .or(let tests): return .or(try self.tests(tests))
        case .not(let test): return .not(try self.test(test))
        }
    }

    private func tests(
        _ tests: [GroupTest]
    ) throws(ExpressionDiagnostics) -> [TypedResults.Test] {
        var typed: [TypedResults.Test] = []
        for test in tests { typed.append(try self.test(test)) }
        return typed
    }

    /// Whether the store has a form for the constant among values of a type.
    private func isKept(_ constant: Value, as type: ExpressionType) -> Bool {
        switch (constant, type) {
        case (.int, .integer), (.int, .float), (.int, .double), (.int, .enumeration): true
        case (.double, .float), (.double, .double), (.string, .enumeration): true
        case (.int(let value), .decimal(let scale)):
            DecimalStorage.units(of: Decimal(value), scale: scale) != nil
        case (.decimal(let value), .decimal(let scale)):
            DecimalStorage.units(of: value, scale: scale) != nil
        case (.int, .anyDecimal), (.decimal, .anyDecimal): true
        default: constant.naturalType == type
        }
    }
}
