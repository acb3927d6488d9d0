/// A condition over the objects of an entity, built from generated keys:
/// `Product.price < 20 && Product.category.name == "Books"`; from Foundation's `#Predicate`:
/// ``init(_:)-(Predicate<Root>)``; or from text: ``init(format:_:)``. All three make the same tree,
/// and so they can be combined.
///
/// It is a value: it can be kept, combined, sent to another isolation and printed. The store and
/// the memory give it the same meaning: logic is two-valued, nil equals only nil, and any other
/// comparison with nil is false.
///
/// ## Topics
/// - Making one: ``init(_:)-(Predicate<Root>)``, ``init(format:_:)``, ``init(_:)-(KeyExpression)``,
///   ``init(_:)-(ModelExpression)``
/// - Combining: `&&`, `||`, `!`, ``for(_:)``
/// - Constants and objects: ``true``, ``false``, ``object(_:)``, ``in(_:)-(Sequence<ObjectID>)``
/// - In memory: ``matches(_:)``
public struct Condition<Root: ManagedObject>: Sendable {
    private let tree: ConditionTree

    /// The tree that is lowered to SQL and evaluated in memory.
    ///
    /// - Complexity: O(terms) where terms were joined.
    public var expression: ModelExpression { tree.expression }

    /// The objects that it names: the tree has their keys only.
    var objects: [ObjectID] { tree.objects }

    /// Makes a condition of a tree. It is checked against the model when it is used. A tree deeper
    /// than 100 levels is refused there.
    public init(_ expression: ModelExpression) {
        self.init(expression, objects: [])
    }

    init(_ expression: ModelExpression, objects: [ObjectID]) {
        self.init(ConditionTree(expression, objects: objects))
    }

    private init(_ tree: ConditionTree) {
        self.tree = tree
    }

    /// True of every object.
    public static var `true`: Condition { Condition(.and([])) }

    /// True of no object.
    public static var `false`: Condition { Condition(.or([])) }

    /// Both are true.
    public static func && (one: Condition, other: Condition) -> Condition {
        Condition(ConditionTree(one.tree, .and, other.tree))
    }

    /// At least one is true.
    public static func || (one: Condition, other: Condition) -> Condition {
        Condition(ConditionTree(one.tree, .or, other.tree))
    }

    /// The condition is false.
    public static prefix func ! (condition: Condition) -> Condition {
        Condition(.not(condition.expression), objects: condition.objects)
    }

    /// The condition for a sub-entity's objects.
    public func `for`<Sub: ManagedObject>(_ type: Sub.Type) -> Condition<Sub> {
        Condition<Sub>(expression, objects: objects)
    }
}

extension Condition: Hashable {
    /// Whether both are written alike.
    public static func == (one: Condition, other: Condition) -> Bool {
        one.expression == other.expression && one.objects == other.objects
    }

    /// Hashes the tree.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(expression)
    }
}

extension Condition: CustomStringConvertible {
    /// The condition in the words of the text format, which ``init(format:_:)`` reads back. An
    /// object is shown by its key, which no text can name.
    public var description: String { expression.description }
}

extension ModelExpression {
    /// The same expression, with all paths from the object starting from a variable instead.
    func rebased(onto root: PathRoot) -> ModelExpression {
        transformed { expression in
            guard case .keyPath(.subject, let names) = expression else { return nil }
            return .keyPath(root: root, names: names)
        }
    }
}
