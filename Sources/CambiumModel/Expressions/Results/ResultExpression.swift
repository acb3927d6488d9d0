/// A column of results that are no objects: a value of each object, or one out of many.
public struct ResultExpression: Sendable, Hashable {
    /// How many values become one; nil where each object has its own.
    public let function: AggregateFunction?
    /// What is computed of each object. An empty path is the object itself.
    public let operand: ModelExpression

    /// A value of each object, or of each group that has it in common.
    public init(_ operand: ModelExpression) {
        function = nil
        self.operand = operand
    }

    /// One value out of those of all objects of a group; nil ones do not take part.
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

/// A condition over groups of objects: what HAVING is in SQL.
package indirect enum GroupTest: Sendable {
    /// The value of a group stands in that relation to a constant. nil equals only nil; any other
    /// comparison with nil is false.
    case comparison(ResultExpression, ComparisonOperator, Value)
    case and([GroupTest])
    case or([GroupTest])
    case not(GroupTest)
}

/// What is to be computed from the objects that a request finds.
package struct ResultQuery: Sendable {
    /// One level of an order.
    package struct Term: Sendable {
        package let column: ResultExpression
        package let isDescending: Bool
        package let texts: TextOrder
        /// Where nil comes; nil: where the least value comes.
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
    /// What the objects of a group have in common.
    package var groups: [ModelExpression] = []
    package var having: GroupTest?
    package var order: [Term] = []

    package init(_ columns: [ResultExpression]) {
        self.columns = columns
    }
}
