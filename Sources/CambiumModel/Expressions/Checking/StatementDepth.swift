/// The share of SQLite's limits that the SQL of an expression needs. It is at least the need of the
/// text that CambiumSQL writes, so every accepted expression also runs as a statement.
package struct StatementDepth: Sendable {
    /// Entries of the parser's stack. SQLite allows 100.
    package private(set) var stack: Int
    /// Levels of the tree. SQLite allows 1000.
    private var height: Int

    /// The entries that remain for an expression. The rest is for the statement around it: a query,
    /// a CHECK constraint, or an update of derived values.
    package static let maximumStack = 75
    private static let maximumHeight = 900

    /// The maximum number of conditions in a chain of AND or OR. Longer chains are divided with
    /// brackets.
    package static let chainLength = 32

    package init(of expression: TypedExpression) {
        self = .value(expression)
    }

    /// Whether SQLite would reject statements with the expression.
    package var isTooGreat: Bool {
        stack > Self.maximumStack || height > Self.maximumHeight
    }

    private init(stack: Int, height: Int = 1) {
        self.stack = stack
        self.height = height
    }

    /// Returns the depth behind a number of entries.
    private func behind(_ entries: Int) -> StatementDepth {
        StatementDepth(stack: stack + entries, height: height + 1)
    }

    /// Returns the depth of two texts in succession.
    private func beside(_ other: StatementDepth) -> StatementDepth {
        StatementDepth(stack: max(stack, other.stack), height: max(height, other.height))
    }

    // MARK: Entries of pieces of text

    /// A constant, perhaps with a sign.
    private static let constant = StatementDepth(stack: 2)
    private static let bracket = 1
    /// `nullif(nullif(`
    private static let overflowTest = 6
    /// `f(`, and `f(a, ` for all operands but the first.
    private static let call = 3
    private static let laterOperand = 5
    /// The left side, and up to three words, such as `a IS NOT `.
    private static let comparison = 3
    /// The left side and an operator.
    private static let operation = 2
    /// `(SELECT `, and `(SELECT a FROM t WHERE `.
    private static let results = 5
    private static let filter = 6
    /// `(SELECT a FROM (`
    private static let source = 6

    // MARK: Values

    private static func value(_ expression: TypedExpression) -> StatementDepth {
        switch expression {
        case .literal, .parameter: constant
        case .attribute(let path, _, _), .object(let path): column(of: path)
        case .and, .or, .not, .comparison, .among, .amongList, .text, .exists:
            condition(expression).behind(bracket)
        case .aggregate(let function, let collection, let element):
            aggregate(function, collection, element)
        case .arithmetic(let left, let operation, let right, let type):
            arithmetic(left, operation, right, type)
        case .convert(let operand, let type): convert(operand, type)
        case .function(let function, let operands, _): self.function(function, operands)
        case .conditional(let test, let first, let second):
            condition(test, isFilter: true).behind(3).beside(value(first).behind(5))
                .beside(value(second).behind(4))
        }
    }

    /// A column, or a subselect with the tables on the path.
    private static func column(of path: ObjectPath) -> StatementDepth {
        path.steps.isEmpty
            ? StatementDepth(stack: 3) : StatementDepth(stack: 14, height: path.steps.count + 4)
    }

    private static func arithmetic(
        _ left: TypedExpression, _ operation: ArithmeticOperator, _ right: TypedExpression,
        _ type: ExpressionType
    ) -> StatementDepth {
        if operation == .power || type == .anyDecimal {
            return value(left).behind(call).beside(value(right).behind(laterOperand))
        }
        var one = value(left)
        var other = value(right)
        var entries = bracket
        if let scale = type.scale {
            if operation == .add || operation == .subtract {
                one = one.rescaled(left, to: scale)
                other = other.rescaled(right, to: scale)
            }
            let isBounded =
                operation == .bitwiseAnd || operation == .bitwiseOr
                || TypedExpression.arithmetic(left, operation, right, type).bounds != nil
            if !isBounded { entries = overflowTest }
        }
        return one.beside(other.behind(Self.operation)).behind(entries)
    }

    private func rescaled(_ operand: TypedExpression, to scale: Int) -> StatementDepth {
        guard let own = operand.type.scale, scale > own else { return self }
        let test = operand.bounds(rescaledTo: scale) == nil ? Self.overflowTest : 0
        return behind(test + Self.bracket)
    }

    private static func convert(
        _ operand: TypedExpression, _ type: ExpressionType
    ) -> StatementDepth {
        if let scale = type.scale { return value(operand).rescaled(operand, to: scale) }
        let isKept = operand.type.scale == nil && operand.type != .anyDecimal
        return isKept ? value(operand) : value(operand).behind(call)
    }

    private static func function(
        _ function: ModelFunction, _ operands: [TypedExpression]
    ) -> StatementDepth {
        guard let first = operands.first else {
            return StatementDepth(stack: function == .uuid ? 20 : 8)
        }
        switch function {
        case .abs where first.type.scale != nil && !first.hasMagnitude:
            return value(first).behind(2 * call)
        case .abs: return value(first).behind(bracket + call)
        case .modulus where operands.count == 2:
            return value(first).beside(value(operands[1]).behind(operation)).behind(bracket)
        default:
            return operands.dropFirst().reduce(value(first).behind(call)) {
                $0.beside(value($1).behind(laterOperand))
            }
        }
    }

    private static func aggregate(
        _ function: AggregateFunction, _ collection: TypedCollection, _ element: TypedExpression
    ) -> StatementDepth {
        // Up to three calls stand around the element.
        let select = select(value(element).behind(3 * call), from: collection)
        let isExact = element.type.scale != nil && (function == .sum || function == .average)
        return isExact
            ? select.behind(source).beside(StatementDepth(stack: 20, height: 10)) : select
    }

    private static func select(
        _ results: StatementDepth, from collection: TypedCollection
    ) -> StatementDepth {
        let joined = StatementDepth(stack: 16)
        let link = column(of: collection.owner).behind(filter + operation)
        let select = results.behind(Self.results).beside(joined)
            .beside(link)
        guard let test = collection.condition else { return select }
        var isChain = false
        if case .or = test { isChain = true }
        return select.beside(
            condition(test, isFilter: true).behind(filter + operation + (isChain ? bracket : 0)))
    }

    // MARK: Conditions

    /// - Parameter isFilter: Whether the condition is in WHERE, so that it may be NULL.
    private static func condition(
        _ expression: TypedExpression, isFilter: Bool = false
    ) -> StatementDepth {
        let boolean = isFilter ? 0 : call
        switch expression {
        case .and(let operands), .or(let operands): return chain(operands, isFilter: isFilter)
        case .not(let operand): return condition(operand).behind(2)
        case .comparison(let left, _, let right):
            // Exact numbers of different scales are in brackets.
            let scaled = left.type.scale == right.type.scale ? 0 : bracket
            return value(left).beside(value(right).behind(comparison)).behind(boolean + scaled)
        case .among(let operand, _), .amongList(let operand, _):
            return value(operand).beside(constant.behind(laterOperand)).behind(boolean)
        case .text(let left, _, let right, _):
            let (one, other) = (value(left), value(right))
            if left.isLeaf, right.isLeaf {
                // coalesce(substr(a, max(1, length(a) - length(
                return one.beside(other).behind(18)
            }
            return one.behind(call).beside(other.behind(laterOperand)).behind(
                max(boolean, comparison))
        case .exists(let collection):
            return select(constant, from: collection).behind(1)
        case .literal, .parameter, .attribute, .object, .aggregate, .arithmetic, .convert,
            .function, .conditional:
            return value(expression).behind(boolean)
        }
    }

    private static func chain(
        _ operands: [TypedExpression], isFilter: Bool
    ) -> StatementDepth {
        var depth = operands.lazy
            .map { condition($0, isFilter: isFilter).behind(bracket + operation) }
            .reduce(constant) { $0.beside($1) }
        var count = operands.count
        while count > chainLength {
            depth.stack += bracket + operation
            depth.height += chainLength
            count = (count + chainLength - 1) / chainLength
        }
        depth.height += count
        return depth
    }
}

extension TypedExpression {
    /// Whether the SQL of the expression has no operands.
    package var isLeaf: Bool {
        switch self {
        case .literal, .parameter, .attribute, .object: true
        default: false
        }
    }
}
