import CambiumRecords

/// Turns the tree of Foundation's `#Predicate` into that of conditions.
///
/// Each kind of node says what it means; a node that is not known is an error that names it.
struct PredicateLowering {
    let model: ModelDescription
    /// What variables stand for.
    var meanings: [PredicateExpressions.VariableID: PredicateMeaning] = [:]
    /// The objects whose ids were captured.
    var objects: [ObjectID] = []
    private var variableCount = 0

    init(model: ModelDescription) {
        self.model = model
    }

    /// A name for the members of a collection.
    mutating func makeVariable() -> String {
        variableCount += 1
        return "member\(variableCount)"
    }

    mutating func meaning(_ node: some PredicateExpression) throws -> PredicateMeaning {
        guard let node = node as? any LowerableNode else {
            throw UnsupportedPredicateError(
                part: Self.name(of: node), reason: "a store cannot compute this",
                remedy: "Work it out before and use the result, or keep it in an attribute")
        }
        return try node.lower(&self)
    }

    /// What a node means, where it must be one value or object.
    mutating func value(_ node: some PredicateExpression) throws -> ModelExpression {
        let meaning = try meaning(node)
        if let value = meaning.value { return value }
        throw UnsupportedPredicateError(
            part: Self.name(of: node), reason: "\(meaning.description) is no single value",
            remedy: meaning.remedy)
    }

    /// Two values and what stands between them.
    mutating func values(
        _ left: some PredicateExpression, _ right: some PredicateExpression
    ) throws -> (ModelExpression, ModelExpression) {
        (try value(left), try value(right))
    }

    /// A node as errors call it.
    static func name(of node: some PredicateExpression) -> String {
        if let node = node as? any LowerableNode, let name = node.sourceName { return name }
        let name = String(describing: type(of: node))
        return String(name.prefix { $0 != "<" })
    }
}

/// A node of a predicate whose meaning is known.
protocol LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning
    /// How the source spells it, where that can be told.
    var sourceName: String? { get }
}

extension LowerableNode {
    var sourceName: String? { nil }
}
