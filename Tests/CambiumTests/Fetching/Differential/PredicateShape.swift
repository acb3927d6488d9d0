import Foundation

/// A part of a predicate of Foundation's that is true or false.
typealias PredicateTree = any StandardPredicateExpression<Bool>

/// A way to ask something of an object, with constants by chance, as the macro would spell it.
struct PredicateShape<Root> {
    /// How a program would write it.
    let name: String
    let make: (PredicateExpressions.Variable<Root>, inout SeededGenerator) -> PredicateTree
}

/// Joins shapes at random.
struct RandomPredicate<Root> {
    let shapes: [PredicateShape<Root>]
    var random: SeededGenerator

    /// What a shape alone asks.
    mutating func predicate(_ shape: PredicateShape<Root>) -> Predicate<Root> {
        Predicate<Root> { variable in shape.make(variable, &random) }
    }

    mutating func predicate(depth: Int) -> Predicate<Root> {
        Predicate<Root> { variable in tree(variable, depth) }
    }

    private mutating func tree(
        _ variable: PredicateExpressions.Variable<Root>, _ depth: Int
    ) -> PredicateTree {
        let operands = (0..<3).map { _ in
            depth > 1
                ? tree(variable, depth - 1)
                : shapes[Int.random(in: 0..<shapes.count, using: &random)]
                    .make(variable, &random)
        }
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1: return Self.and(operands[0], operands[1])
        case 2, 3: return Self.or(operands[0], operands[1])
        case 4: return Self.not(operands[0])
        default: return Self.choice(operands[0], operands[1], operands[2])
        }
    }

    private static func and(
        _ one: some StandardPredicateExpression<Bool>,
        _ other: some StandardPredicateExpression<Bool>
    ) -> PredicateTree {
        PredicateExpressions.build_Conjunction(lhs: one, rhs: other)
    }

    private static func or(
        _ one: some StandardPredicateExpression<Bool>,
        _ other: some StandardPredicateExpression<Bool>
    ) -> PredicateTree {
        PredicateExpressions.build_Disjunction(lhs: one, rhs: other)
    }

    private static func not(_ one: some StandardPredicateExpression<Bool>) -> PredicateTree {
        PredicateExpressions.build_Negation(one)
    }

    private static func choice(
        _ test: some StandardPredicateExpression<Bool>,
        _ first: some StandardPredicateExpression<Bool>,
        _ second: some StandardPredicateExpression<Bool>
    ) -> PredicateTree {
        PredicateExpressions.build_Conditional(test, first, second)
    }
}

extension Array {
    /// One of the elements, of which there is one.
    func pick(_ random: inout SeededGenerator) -> Element {
        self[Int.random(in: 0..<count, using: &random)]
    }
}
