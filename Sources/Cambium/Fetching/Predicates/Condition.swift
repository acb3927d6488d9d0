/// A condition on the objects of an entity. It is built from generated keys: `Product.price < 20 &&
/// Product.category.name == "Books"`; from Foundation's `#Predicate`:
/// ``init(_:)-(Predicate<Root>)``; or from text: ``init(format:_:)``. All three create the same
/// tree, and can be combined.
///
/// A condition is a value: a program can keep it, combine it, send it to another isolation and
/// print it. It means the same in the store and in memory: logic is two-valued, nil equals only
/// nil, and any other comparison with nil is false.
///
/// ## Topics
///
/// ### Creating
///
/// - ``init(_:)-(Predicate<Root>)``
/// - ``init(format:_:)``
/// - ``init(_:)-(KeyExpression<Root,Bool>)``
/// - ``init(_:)-(ModelExpression)``
///
/// ### Combining
///
/// - ``&&(_:_:)``
/// - ``||(_:_:)``
/// - ``!(_:)``
/// - ``for(_:)``
///
/// ### Constants and objects
///
/// - ``true``
/// - ``false``
/// - ``object(_:)``
/// - ``in(_:)-(Sequence<ObjectID>)``
/// - ``in(_:)-(Sequence<Root>)``
///
/// ### Evaluation
///
/// - ``matches(_:)``
/// - ``expression``
public struct Condition<Root: ManagedObject>: Sendable {
    private let tree: ConditionTree

    /// The tree that is lowered to SQL and evaluated in memory.
    ///
    /// - Complexity: O(terms) for a condition that joins terms.
    public var expression: ModelExpression { tree.expression }

    /// The objects that the condition names. The tree has only their keys.
    var objects: [ObjectID] { tree.objects }

    /// Creates a condition from a tree. The tree is checked against the model when it is used, and
    /// rejected then if it has more than 100 levels.
    public init(_ expression: ModelExpression) {
        self.init(expression, objects: [])
    }

    init(_ expression: ModelExpression, objects: [ObjectID]) {
        self.init(ConditionTree(expression, objects: objects))
    }

    private init(_ tree: ConditionTree) {
        self.tree = tree
    }

    /// A condition that is true for every object.
    public static var `true`: Condition { Condition(.and([])) }

    /// A condition that is true for no object.
    public static var `false`: Condition { Condition(.or([])) }

    /// Returns a condition that is true if both conditions are true.
    public static func && (one: Condition, other: Condition) -> Condition {
        Condition(ConditionTree(one.tree, .and, other.tree))
    }

    /// Returns a condition that is true if at least one of the conditions is true.
    public static func || (one: Condition, other: Condition) -> Condition {
        Condition(ConditionTree(one.tree, .or, other.tree))
    }

    /// The condition is false.
    public static prefix func ! (condition: Condition) -> Condition {
        Condition(.not(condition.expression), objects: condition.objects)
    }

    /// Returns the condition for a sub-entity's objects.
    public func `for`<Sub: ManagedObject>(_ type: Sub.Type) -> Condition<Sub> {
        Condition<Sub>(expression, objects: objects)
    }
}

extension Condition: Hashable {
    /// Returns whether both have equal expressions and objects.
    public static func == (one: Condition, other: Condition) -> Bool {
        one.expression == other.expression && one.objects == other.objects
    }

    /// Hashes the tree.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(expression)
    }
}

extension Condition: CustomStringConvertible {
    /// The condition in the text format, which ``init(format:_:)`` reads back. An object is shown
    /// as its key; the text format cannot read it back.
    public var description: String { expression.description }
}

extension ModelExpression {
    /// Returns the same expression, with all paths starting from a variable instead of the object.
    func rebased(onto root: PathRoot) -> ModelExpression {
        transformed { expression in
            guard case .keyPath(.subject, let names) = expression else { return nil }
            return .keyPath(root: root, names: names)
        }
    }
}

/// A condition that is being built: a term, or two conditions joined by AND or OR.
///
/// Each term adds one node to a chain, however long it is. The chain becomes flat when its
/// expression is read.
final class ConditionTree: @unchecked Sendable {
    enum Joint {
        case and
        case or
    }

    private let term: ModelExpression
    private let termObjects: [ObjectID]
    /// nil for a term.
    private let joint: Joint?
    // Safety: both are changed only in `deinit`, and nothing else has access to the node then.
    private var left: ConditionTree?
    private var right: ConditionTree?
    /// An upper bound of the expression's levels, and the number of its parts.
    private let depth: Int
    private let size: Int

    init(_ term: ModelExpression, objects: [ObjectID]) {
        let extent = term.extent
        self.term = extent == nil ? .tooLarge : term
        termObjects = objects
        joint = nil
        (depth, size) = extent ?? (1, 1)
    }

    init(_ left: ConditionTree, _ joint: Joint, _ right: ConditionTree) {
        let depth = 1 + max(left.depth(in: joint), right.depth(in: joint))
        let size = left.size + right.size
        let isTooLarge =
            depth > ModelExpression.maximumDepth || size > ModelExpression.maximumSize
        term = .tooLarge
        termObjects = []
        self.joint = isTooLarge ? nil : joint
        self.left = isTooLarge ? nil : left
        self.right = isTooLarge ? nil : right
        (self.depth, self.size) = isTooLarge ? (1, 1) : (depth, size)
    }

    /// Releases the nodes in a loop: a recursive release of a million nodes would overflow the
    /// stack.
    deinit {
        guard left != nil else { return }
        var open = [left, right].compactMap(\.self)
        (left, right) = (nil, nil)
        while var node = open.popLast() {
            guard isKnownUniquelyReferenced(&node) else { continue }
            open += [node.left, node.right].compactMap(\.self)
            (node.left, node.right) = (nil, nil)
        }
    }

    /// Returns the levels that the node adds to a chain. A node with the same joint shares the
    /// chain's level.
    private func depth(in joint: Joint) -> Int {
        self.joint == joint ? depth - 1 : depth
    }

    /// The tree as it is lowered to SQL and evaluated.
    var expression: ModelExpression {
        guard let joint else { return term }
        var operands: [ModelExpression] = []
        var open = [self]
        while let node = open.popLast() {
            if node.joint == joint, let left = node.left, let right = node.right {
                open += [right, left]
            } else if node.joint == nil {
                operands += node.term.operands(of: joint)
            } else {
                operands.append(node.expression)
            }
        }
        return joint == .and ? .and(operands) : .or(operands)
    }

    /// The objects that its terms name, in their order.
    var objects: [ObjectID] {
        var objects: [ObjectID] = []
        var open = [self]
        while let node = open.popLast() {
            objects += node.termObjects
            if let left = node.left, let right = node.right { open += [right, left] }
        }
        return objects
    }
}

extension ModelExpression {
    /// Returns the operands of a joint, so that a chain stays flat.
    fileprivate func operands(of joint: ConditionTree.Joint) -> [ModelExpression] {
        switch (self, joint) {
        case (.and(let operands), .and), (.or(let operands), .or): operands
        default: [self]
        }
    }
}

extension Condition {
    /// Returns whether an object meets the condition, by its current values. A fetch after a save
    /// would give the same answer.
    ///
    /// - Throws: ``ExpressionDiagnostics`` if the condition does not fit the object's entity;
    ///   ``StoreError`` if the condition names an object of another container;
    ///   ``PatternLimitError`` if a regular expression takes too many steps.
    /// - Complexity: Each call compiles the condition; `filter(_:)` of a sequence compiles it once.
    ///   Related objects that are faults are read one by one.
    public func matches(_ object: Root) throws -> Bool {
        try compiled(for: object).isTrue(object)
    }

    fileprivate func compiled(for object: ManagedObject) throws -> CompiledCondition {
        let coordinator = object.state.coordinator
        if let misplaced = objects.first(where: { !coordinator.hasStore($0.store) }) {
            throw StoreError(
                code: .objectOfAnotherContext,
                message: "A condition names \(misplaced), which is in no store of \(object)'s "
                    + "container.",
                remedy: "Build the condition with an object of the same container.")
        }
        let name = Root.entityName
        let entity = coordinator.model[name] ?? object.entityDescription
        let condition = coordinator.datePrecision?.rounded(expression) ?? expression
        return try CompiledCondition(condition, of: entity, in: coordinator.model)
    }
}

extension Sequence where Element: ManagedObject {
    /// Returns the objects that meet a condition, by their current values:
    /// `category.products.filter(Product.price < 20)`.
    ///
    /// - Throws: ``ExpressionDiagnostics`` if the condition does not fit the objects' entity;
    ///   ``StoreError`` if the condition names an object of another container;
    ///   ``PatternLimitError`` if a regular expression takes too many steps.
    /// - Complexity: Some ten nanoseconds for each object that is in memory, and twice that if the
    ///   condition reads a related object.
    public func filter(_ condition: Condition<Element>) throws -> [Element] {
        let objects = Array(self)
        guard let first = objects.first else { return [] }
        // Objects of a class without an entity, such as `ManagedObject`, may be of several
        // entities.
        guard first.state.coordinator.model[Element.entityName] != nil else {
            return try objects.filter { try condition.matches($0) }
        }
        let condition = try condition.compiled(for: first)
        // Safety: all elements are managed objects, and the array does not change meanwhile. The
        // result contains only elements of the array. The storage of an array has the same layout
        // for all classes. Casts to a class that is not known here would take three times as long.
        let found = try condition.filter(unsafeBitCast(objects, to: [ManagedObject].self))
        return unsafeBitCast(found, to: [Element].self)
    }

    /// Returns the objects for which a Boolean is true now: `categories.filter(Category.isBrand)`.
    ///
    /// - Throws: The errors of `filter(_:)` with a condition.
    public func filter(_ key: Key<Element, Bool>) throws -> [Element] {
        try filter(Condition(key))
    }
}

extension Condition {
    /// Reads a condition in Core Data's predicate format and checks it against the model of the
    /// class. Like a condition from keys, it can be combined with others.
    ///
    /// ```swift
    /// let cheap = try Condition<Product>(format: "price < %@ AND category == %@", limit, books)
    /// ```
    ///
    /// - Parameter arguments: The values for `%@` (a value, an object, a list) and `%K` (a name),
    ///   in order.
    /// - Throws: ``ExpressionDiagnostics``, which name the positions in the text; a ``StoreError``
    ///   if the class was generated without a model: use ``FetchRequest/filter(format:_:)`` then.
    /// - Complexity: O(length of the text × size of the entity)
    public init(format: String, _ arguments: any PredicateArgument...) throws {
        guard let model = Root.entityReference.model?.model,
            let entity = model.entity(named: Root.entityName)
        else {
            throw StoreError(
                code: .invalidRequest,
                message: "\(Root.self) belongs to no model, so that a condition for it cannot be "
                    + "read from a string.",
                remedy: "Give the string to a request: filter(format:).")
        }
        var objects: [ObjectID] = []
        let tree = ExpressionCompiler.condition(
            format, entity: entity, model: model,
            arguments: arguments.map { $0.argument(naming: &objects) })
        self.init(try tree.get(), objects: objects)
    }
}
