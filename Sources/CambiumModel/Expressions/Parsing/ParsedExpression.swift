/// An expression as it was parsed: with positions, without types.
package struct ParsedExpression: Sendable {
    package indirect enum Kind: Sendable {
        /// Digits as they are in the text. Their meaning depends on the other operand.
        case number(String)
        /// A string, a Boolean, nil or an argument.
        case literal(Value)
        /// An object that was an argument.
        case object(entity: String, key: Int64)
        /// Names from the object itself or from a variable.
        case path(PathRoot, [Name])
        case list([ParsedExpression])
        case and([ParsedExpression])
        case or([ParsedExpression])
        case not(ParsedExpression)
        case comparison(
            ParsedExpression, ComparisonOperator, ParsedExpression, ComparisonOptions)
        /// The right side is a list of two.
        case between(ParsedExpression, ParsedExpression)
        case quantified(Quantifier, ParsedExpression)
        case arithmetic(ParsedExpression, ArithmeticOperator, ParsedExpression)
        case function(ModelFunction, [ParsedExpression])
        case aggregate(AggregateFunction, ParsedExpression)
        /// The names at the end are the path from an element to the aggregated value.
        case subquery(
            ParsedExpression, variable: String, condition: ParsedExpression, value: [Name])
        case conditional(ParsedExpression, ParsedExpression, ParsedExpression)
        /// An invalid expression that was built in code, with the reason.
        case refused(String)
    }

    /// A step of a key path.
    package struct Name: Sendable {
        package let text: String
        package let offset: Int
    }

    package let kind: Kind
    /// The start of the expression, in UTF-8 bytes. For an operation, the position of its operator.
    package let offset: Int
    /// The number of levels of operands. It is limited, so that a tree from a text does not
    /// overflow the stack.
    package let depth: Int

    /// Whether the expression is a single value that is not nil. An argument may be one in place of
    /// a list.
    var isArgument: Bool {
        switch kind {
        case .literal(let value): value != .null
        case .object: true
        default: false
        }
    }

    init(_ kind: Kind, at offset: Int) {
        self.kind = kind
        self.offset = offset
        depth = 1 + (kind.operands.lazy.map { $0.depth }.max() ?? 0)
    }
}

extension ParsedExpression.Kind {
    var operands: [ParsedExpression] {
        switch self {
        case .number, .literal, .object, .path, .refused: []
        case .list(let operands), .and(let operands), .or(let operands),
            .function(_, let operands):
            operands
        case .not(let operand), .quantified(_, let operand), .aggregate(_, let operand): [operand]
        case .comparison(let left, _, let right, _), .between(let left, let right),
            .arithmetic(let left, _, let right), .subquery(let left, _, let right, _):
            [left, right]
        case .conditional(let condition, let first, let second): [condition, first, second]
        }
    }
}

extension ParsedExpression {
    /// Converts a tree that was built in code to the form of a parsed one, so that one checker
    /// handles both.
    ///
    /// Trees built in code may be deeper than parsed trees; ``ExpressionChecker`` rejects trees
    /// that are too deep.
    ///
    /// - Parameter places: Supplies numbers in place of offsets.
    init(
        _ expression: ModelExpression, substituting values: [String: Value],
        places: TreePlaces? = nil
    ) {
        let place = places?.enter(expression) ?? 0
        let kind = Kind(expression, place) {
            ParsedExpression($0, substituting: values, places: places)
        } value: {
            values[$0]
        }
        places?.leave()
        self.init(kind, at: place)
    }
}

extension ParsedExpression.Kind {
    /// - Parameters:
    ///   - place: The number in place of an offset.
    ///   - parsed: Converts an operand.
    ///   - value: The value of a parameter.
    fileprivate init(
        _ expression: ModelExpression, _ place: Int,
        parsed: (ModelExpression) -> ParsedExpression, value: (String) -> Value?
    ) {
        self =
            switch expression {
            case .literal(let value): .literal(value)
            case .refused(let reason): .refused(reason)
            case .parameter(let name):
                value(name).map { .literal($0) } ?? .path(.variable(name), [])
            case .keyPath(let root, let names):
                .path(root, names.map { ParsedExpression.Name(text: $0, offset: place) })
            case .list(let elements): .list(elements.map(parsed))
            case .and(let operands): .and(operands.map(parsed))
            case .or(let operands): .or(operands.map(parsed))
            case .not(let operand): .not(parsed(operand))
            case .comparison(let left, let relation, let right, let options):
                .comparison(parsed(left), relation, parsed(right), options)
            case .between(let operand, .parameter(let lower), .parameter(let upper))
            where lower == upper && value(lower) == nil:
                .between(parsed(operand), parsed(.parameter(lower)))
            case .between(let operand, let lower, let upper):
                .between(
                    parsed(operand),
                    ParsedExpression(.list([parsed(lower), parsed(upper)]), at: place))
            case .quantified(let quantifier, let comparison):
                .quantified(quantifier, parsed(comparison))
            case .arithmetic(let left, let operation, let right):
                .arithmetic(parsed(left), operation, parsed(right))
            case .function(let function, let operands):
                .function(function, operands.map(parsed))
            case .aggregate(let function, let operand): .aggregate(function, parsed(operand))
            case .subquery(let collection, let variable, let condition):
                .subquery(
                    parsed(collection), variable: variable, condition: parsed(condition), value: [])
            case .conditional(let condition, let first, let second):
                .conditional(parsed(condition), parsed(first), parsed(second))
            }
    }
}

/// The positions of a tree's parts. Each position is a number for the nearest condition around a
/// part.
final class TreePlaces {
    private var conditions: [ModelExpression] = []
    private var around: [ModelExpression] = []

    /// Notes a part, until it is left. The result is its number.
    func enter(_ part: ModelExpression) -> Int {
        let condition: ModelExpression =
            switch part {
            case .comparison, .between, .quantified: part
            default: around.last ?? part
            }
        around.append(condition)
        conditions.append(condition)
        return conditions.count
    }

    func leave() {
        around.removeLast()
    }

    /// Returns the mistakes with the parts for their numbers.
    func naming(_ mistakes: ExpressionDiagnostics) -> ExpressionDiagnostics {
        ExpressionDiagnostics(
            mistakes.diagnostics.map { mistake in
                conditions.indices.contains(mistake.offset - 1)
                    ? mistake.naming(conditions[mistake.offset - 1].description) : mistake
            })
    }
}
