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
