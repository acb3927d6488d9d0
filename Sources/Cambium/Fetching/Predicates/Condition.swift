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
/// - ``for(_:)``
///
/// ### Constants and objects
///
/// - ``true``
/// - ``false``
/// - ``object(_:)``
/// - ``in(_:)-(Sequence<ObjectID>)``
///
/// ### In memory
///
/// - ``matches(_:)``
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

/// A condition while it is put together: a term, or two conditions joined by AND or OR.
///
/// A chain grows by one node for each term, however long it is, and becomes flat when its
/// expression is asked for.
final class ConditionTree: @unchecked Sendable {
    enum Joint {
        case and
        case or
    }

    private let term: ModelExpression
    private let termObjects: [ObjectID]
    /// nil for a term.
    private let joint: Joint?
    // Safety: both are changed in `deinit` only, which has the node for itself.
    private var left: ConditionTree?
    private var right: ConditionTree?
    /// At least the levels of the expression, and the number of its parts.
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

    /// A chain of a million nodes would be released one inside the other.
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

    /// The levels that it adds to a chain, whose own level it shares where it is one.
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
    /// What is joined in it, so that a chain is as flat as it reads.
    fileprivate func operands(of joint: ConditionTree.Joint) -> [ModelExpression] {
        switch (self, joint) {
        case (.and(let operands), .and), (.or(let operands), .or): operands
        default: [self]
        }
    }
}

extension Condition {
    /// Whether an object meets the condition, by its values now: what a fetch would say of it after
    /// a save.
    ///
    /// - Throws: ``ExpressionDiagnostics`` where the condition does not fit the object's entity;
    ///   ``StoreError`` where it names an object of another container; ``PatternLimitError`` where
    ///   a regular expression takes too many steps.
    /// - Complexity: The condition is made ready at each call; `filter(_:)` of a sequence does so
    ///   once. Related objects that are not read yet are read one by one.
    public func matches(_ object: Root) throws -> Bool {
        try compiled(for: object).isTrue(object)
    }

    fileprivate func compiled(for object: ManagedObject) throws -> CompiledCondition {
        let coordinator = object.state.coordinator
        if let foreign = objects.first(where: { !coordinator.hasStore($0.store) }) {
            throw StoreError(
                code: .foreignObject,
                message: "A condition names \(foreign), which is in no store of \(object)'s "
                    + "container.",
                remedy: "Build the condition with an object of the same container.")
        }
        let name = Root.entityName
        let entity = coordinator.model[name] ?? object.entityDescription
        let condition = coordinator.keptDates?.rounded(expression) ?? expression
        return try CompiledCondition(condition, of: entity, in: coordinator.model)
    }
}

extension Sequence where Element: ManagedObject {
    /// The objects that meet a condition, by their values now:
    /// `category.products.filter(Product.price < 20)`.
    ///
    /// - Throws: ``ExpressionDiagnostics`` where the condition does not fit the objects' entity;
    ///   ``StoreError`` where it names an object of another container; ``PatternLimitError`` where
    ///   a regular expression takes too many steps.
    /// - Complexity: Some ten nanoseconds for each object that is in memory, and twice that where
    ///   the condition looks at a related one.
    public func filter(_ condition: Condition<Element>) throws -> [Element] {
        let objects = Array(self)
        guard let first = objects.first else { return [] }
        // Of a class of no entity, such as `ManagedObject`, objects may be of different ones.
        guard first.state.coordinator.model[Element.entityName] != nil else {
            return try objects.filter { try condition.matches($0) }
        }
        let condition = try condition.compiled(for: first)
        // Safety: all elements are objects, and the array stays as it is; what is found are some of
        // its elements. The storage of an array is laid out alike for all classes. Objects of a
        // class that is not known here would take three times as long.
        let found = try condition.filter(unsafeBitCast(objects, to: [ManagedObject].self))
        return unsafeBitCast(found, to: [Element].self)
    }

    /// The objects of which a Boolean is true now: `categories.filter(Category.isBrand)`.
    ///
    /// - Throws: As with a condition.
    public func filter(_ key: Key<Element, Bool>) throws -> [Element] {
        try filter(Condition(key))
    }
}

extension Condition {
    /// Reads a condition in Core Data's predicate format and checks it against the model of the
    /// class. It can be combined with others, as one of keys can.
    ///
    /// ```swift
    /// let cheap = try Condition<Product>(format: "price < %@ AND category == %@", limit, books)
    /// ```
    ///
    /// - Parameter arguments: What stands for `%@` (a value, an object, a list) and `%K` (a name),
    ///   in order.
    /// - Throws: ``ExpressionDiagnostics``, which name the places in the text; a ``StoreError``
    ///   where the class was generated from no model: use ``FetchRequest/filter(format:_:)`` then.
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
