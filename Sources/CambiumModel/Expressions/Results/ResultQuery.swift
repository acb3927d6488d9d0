/// A column of results that are no objects: a value of each object, or one out of many.
public struct ResultExpression: Sendable, Hashable {
    /// The function that combines many values into one; nil if each object has its own value.
    public let function: AggregateFunction?
    /// The expression that is computed for each object. An empty path is the object itself.
    public let operand: ModelExpression

    /// A value of each object, or of each group that has it in common.
    public init(_ operand: ModelExpression) {
        function = nil
        self.operand = operand
    }

    /// Creates a column with one value for all objects of a group. nil values are ignored.
    public init(_ function: AggregateFunction, of operand: ModelExpression) {
        self.function = function
        self.operand = operand
    }
}

extension ResultExpression: CustomStringConvertible {
    /// The column in words, such as `price.@sum`.
    public var description: String {
        let text =
            operand == .keyPath(root: .subject, names: []) ? "SELF" : operand.description
        return function.map { "\(text).\($0.rawValue)" } ?? text
    }
}

/// A condition on groups of objects, like HAVING in SQL.
package indirect enum GroupTest: Sendable {
    /// The value of a group is in a relation to a constant. nil equals only nil; any other
    /// comparison with nil is false.
    case comparison(ResultExpression, ComparisonOperator, Value)
    case and([GroupTest])
    case or([GroupTest])
    case not(GroupTest)
}

/// The values to compute from the objects that a request finds.
package struct ResultQuery: Sendable {
    /// One level of an order.
    package struct Term: Sendable {
        package let column: ResultExpression
        package let isDescending: Bool
        package let texts: TextOrder
        /// Whether nil comes last. If the property is nil, nil values come with the least value.
        package let placesNilLast: Bool?

        package init(
            _ column: ResultExpression, isDescending: Bool = false, texts: TextOrder = .bytes,
            placesNilLast: Bool? = nil
        ) {
            self.column = column
            self.isDescending = isDescending
            self.texts = texts
            self.placesNilLast = placesNilLast
        }
    }

    package var columns: [ResultExpression]
    /// Whether equal results appear once.
    package var isDistinct = false
    /// The expressions that have equal values within a group.
    package var groups: [ModelExpression] = []
    package var having: GroupTest?
    package var order: [Term] = []

    package init(_ columns: [ResultExpression]) {
        self.columns = columns
    }
}

/// One level of an order: by a property of the object, by a property of an object reached through
/// to-one relationships, or by a computed value.
package struct SortTerm: Sendable, Equatable {
    /// The compared value.
    package let value: ModelExpression
    /// Whether greater values come first.
    package let isDescending: Bool
    /// The options for comparing strings.
    package let texts: TextOrder
    /// Whether nil comes last. If the property is nil, nil values come with the least value.
    package let placesNilLast: Bool?

    package init(
        _ value: ModelExpression, isDescending: Bool = false, texts: TextOrder = .bytes,
        placesNilLast: Bool? = nil
    ) {
        self.value = value
        self.isDescending = isDescending
        self.texts = texts
        self.placesNilLast = placesNilLast
    }

    package init(
        path: [String], isDescending: Bool = false, texts: TextOrder = .bytes,
        placesNilLast: Bool? = nil
    ) {
        self.init(
            .keyPath(root: .subject, names: path), isDescending: isDescending, texts: texts,
            placesNilLast: placesNilLast)
    }

    /// The names from the object to the property; nil for a computed value.
    package var path: [String]? {
        if case .keyPath(.subject, let names) = value { names } else { nil }
    }
}

// The constants of a query as a store keeps dates.

extension SortTerm {
    package func keeping(_ dates: StoredDatePrecision) -> SortTerm {
        SortTerm(
            dates.rounded(value), isDescending: isDescending, texts: texts,
            placesNilLast: placesNilLast)
    }
}

extension ResultQuery {
    package func keeping(_ dates: StoredDatePrecision) -> ResultQuery {
        var query = self
        query.columns = columns.map { $0.keeping(dates) }
        query.groups = groups.map(dates.rounded)
        query.having = having?.keeping(dates)
        query.order = order.map { term in
            Term(
                term.column.keeping(dates), isDescending: term.isDescending, texts: term.texts,
                placesNilLast: term.placesNilLast)
        }
        return query
    }
}

extension ResultExpression {
    fileprivate func keeping(_ dates: StoredDatePrecision) -> ResultExpression {
        let operand = dates.rounded(operand)
        return function.map { ResultExpression($0, of: operand) } ?? ResultExpression(operand)
    }
}

extension GroupTest {
    fileprivate func keeping(_ dates: StoredDatePrecision) -> GroupTest {
        switch self {
        case .comparison(let column, let relation, let constant):
            .comparison(column.keeping(dates), relation, dates.rounded(constant))
        case .and(let tests): .and(tests.map { $0.keeping(dates) })
        case .or(let tests): .or(tests.map { $0.keeping(dates) })
        case .not(let test): .not(test.keeping(dates))
        }
    }
}

/// A checked ``ResultQuery``, the common input for SQL and for evaluation in memory. Every name is
/// resolved, and invalid queries are rejected.
package final class TypedResults: Sendable {
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

    /// The requested columns, then the entity's name for each object among them that can have
    /// different classes.
    package let columns: [Column]
    /// The number of requested columns.
    package let count: Int
    /// For a column of objects, that of the names of their entities.
    package let entityColumns: [Int: Int]
    package let isDistinct: Bool
    package let groups: [TypedExpression]
    package let having: Test?
    package let order: [Term]

    /// Whether each result represents a group of objects. The group may contain all objects.
    package var isGrouped: Bool {
        !groups.isEmpty || columns.contains { $0.function != nil }
    }

    /// Checks a query.
    ///
    /// - Parameter parameters: Values for `$name`.
    /// - Throws: An error in these cases. A part does not fit the entity. A column is neither
    ///   common to its group nor computed from it. A condition on groups has no groups. Distinct
    ///   results are sorted by another expression than their columns.
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
                hint: "use a condition on the group's columns, or filter the objects")
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
private final class ResultChecker {
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

    /// Requires that distinct results are sorted by their columns. Equal results of different
    /// objects appear once, so their sort keys must be equal too.
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
        switch type {
        case .float, .double:
            switch constant {
            case .int, .double: return true
            default: return false
            }
        case .enumeration:
            switch constant {
            case .int, .string: return true
            default: return false
            }
        case .decimal, .anyDecimal:
            switch constant {
            case .int(let value): return type.keeps(Decimal(value))
            case .decimal(let value): return type.keeps(value)
            default: return false
            }
        default: return constant.naturalType == type
        }
    }
}

extension ExpressionType {
    /// Returns a result's value from its stored form.
    ///
    /// - Returns: Nil if the stored form does not belong to that type. Only another program can
    ///   have written such a form.
    package func value(of stored: StoredValue) -> Value? {
        switch stored {
        case .null: return .null
        case .integer(let value):
            switch self {
            case .bool: return .bool(value != 0)
            case .object, .enumeration: return .int(value)
            default: break
            }
        case .text(let value):
            switch self {
            case .enumeration, .codable: return .string(value)
            default: break
            }
        case .real, .blob: break
        }
        guard let type = AttributeType(self) else { return nil }
        return stored.value(as: type)
    }

    /// Returns the stored form of a value in columns of the type; nil if there is none.
    package func stored(_ value: Value) -> StoredValue? {
        switch self {
        case .object, .enumeration, .codable:
            switch value {
            case .null: return .null
            case .int(let value):
                if case .codable = self { return nil } else { return .integer(value) }
            case .string(let value):
                if case .object = self { return nil } else { return .text(value) }
            default: return nil
            }
        default:
            if case .null = value { return .null }
            guard let type = AttributeType(self) else { return nil }
            return value.stored(as: type)
        }
    }

    /// Whether an exact number can be a value of a type of these.
    fileprivate func keeps(_ number: Decimal) -> Bool {
        guard case .decimal(let scale) = self else { return true }
        return DecimalStorage.units(of: number, scale: scale) != nil
    }
}
