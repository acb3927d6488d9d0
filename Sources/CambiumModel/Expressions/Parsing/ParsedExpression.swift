/// An expression as it was written: with places, without types.
package struct ParsedExpression: Sendable {
    package indirect enum Kind: Sendable {
        /// Digits as they stand in the text; which number they mean depends on what they meet.
        case number(String)
        /// A string, a truth value, nil or an argument.
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
        /// The names at the end lead from an element to the value that is aggregated.
        case subquery(
            ParsedExpression, variable: String, condition: ParsedExpression, value: [Name])
        case conditional(ParsedExpression, ParsedExpression, ParsedExpression)
        /// What code has put together and cannot be used, with the reason.
        case refused(String)
    }

    /// A step of a key path.
    package struct Name: Sendable {
        package let text: String
        package let offset: Int
    }

    package let kind: Kind
    /// Where it starts, as a number of UTF-8 bytes; of an operation, where its operator stands.
    package let offset: Int
    /// How many levels of operands it has, so that no text makes a tree that overflows a stack.
    package let depth: Int

    /// Whether it is one value that is not nil, as an argument may be where a list is meant.
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
        depth = 1 + (kind.operands.lazy.map(\.depth).max() ?? 0)
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
