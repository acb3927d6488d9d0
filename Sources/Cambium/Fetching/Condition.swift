/// A condition over the objects of an entity, built from generated keys:
/// `Product.price < 20 && Product.category.name == "Books"`.
///
/// It is a value: it can be kept, combined, sent to another isolation and printed. The store and
/// the memory give it the same meaning: logic is two-valued, nil equals only nil, and any other
/// comparison with nil is false.
public struct Condition<Root: ManagedObject>: Sendable {
    /// The tree that is lowered to SQL and evaluated in memory.
    public let expression: ModelExpression

    /// Makes a condition of a tree. It is checked against the model when it is used.
    public init(_ expression: ModelExpression) {
        self.expression = expression
    }

    /// Both are true.
    public static func && (one: Condition, other: Condition) -> Condition {
        Condition(.and([one.expression, other.expression]))
    }

    /// At least one is true.
    public static func || (one: Condition, other: Condition) -> Condition {
        Condition(.or([one.expression, other.expression]))
    }

    /// The condition is false.
    public static prefix func ! (condition: Condition) -> Condition {
        Condition(.not(condition.expression))
    }

    /// The condition for a sub-entity's objects.
    public func `for`<Sub: ManagedObject>(_ type: Sub.Type) -> Condition<Sub> {
        Condition<Sub>(expression)
    }
}

extension ModelExpression {
    /// The same expression, with all paths from the object starting from a variable instead.
    func rebased(onto root: PathRoot) -> ModelExpression {
        switch self {
        case .literal, .parameter: self
        case .keyPath(.subject, let names): .keyPath(root: root, names: names)
        case .keyPath: self
        case .list(let items): .list(items.map { $0.rebased(onto: root) })
        case .and(let items): .and(items.map { $0.rebased(onto: root) })
        case .or(let items): .or(items.map { $0.rebased(onto: root) })
        case .not(let item): .not(item.rebased(onto: root))
        case .comparison(let left, let relation, let right, let options):
            .comparison(left.rebased(onto: root), relation, right.rebased(onto: root), options)
        case .between(let item, let lower, let upper):
            .between(
                item.rebased(onto: root), lower: lower.rebased(onto: root),
                upper: upper.rebased(onto: root))
        case .quantified(let quantifier, let item):
            .quantified(quantifier, item.rebased(onto: root))
        case .arithmetic(let left, let operation, let right):
            .arithmetic(left.rebased(onto: root), operation, right.rebased(onto: root))
        case .function(let function, let items):
            .function(function, items.map { $0.rebased(onto: root) })
        case .aggregate(let function, let item): .aggregate(function, item.rebased(onto: root))
        case .subquery(let item, let variable, let condition):
            .subquery(
                item.rebased(onto: root), variable: variable,
                condition: condition.rebased(onto: root))
        case .conditional(let condition, let first, let second):
            .conditional(
                condition.rebased(onto: root), then: first.rebased(onto: root),
                otherwise: second.rebased(onto: root))
        }
    }
}
