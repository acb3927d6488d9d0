import Foundation

/// Writes shapes about one property after the other, of any type.
struct ShapeWriter<Root> {
    typealias Variable = PredicateExpressions.Variable<Root>
    typealias Path<Value> = any KeyPath<Root, Value> & Sendable
    typealias Constant = Codable & Sendable

    private(set) var shapes: [PredicateShape<Root>] = []

    mutating func add(
        _ name: String, _ make: @escaping (Variable, inout SeededGenerator) -> PredicateTree
    ) {
        shapes.append(PredicateShape(name: name, make: make))
    }

    // MARK: Values

    mutating func equatable<Value: Equatable & Constant>(
        _ name: String, _ path: Path<Value>, _ values: [Value]
    ) {
        add("\(name) == a") { variable, random in
            PredicateExpressions.build_Equal(
                lhs: PredicateExpressions.build_KeyPath(root: variable, keyPath: path),
                rhs: PredicateExpressions.Value(values.pick(&random)))
        }
        add("a != \(name)") { variable, random in
            PredicateExpressions.build_NotEqual(
                lhs: PredicateExpressions.Value(values.pick(&random)),
                rhs: PredicateExpressions.build_KeyPath(root: variable, keyPath: path))
        }
        add("[a, b].contains(\(name))") { variable, random in
            PredicateExpressions.build_contains(
                PredicateExpressions.Value([values.pick(&random), values.pick(&random)]),
                PredicateExpressions.build_KeyPath(root: variable, keyPath: path))
        }
        add("[a, b].contains { \(name) == $0 }") { variable, random in
            PredicateExpressions.build_contains(
                PredicateExpressions.Value([values.pick(&random), values.pick(&random)]),
                where: { element in
                    PredicateExpressions.build_Equal(
                        lhs: PredicateExpressions.build_KeyPath(root: variable, keyPath: path),
                        rhs: element)
                })
        }
        add("[a, b].allSatisfy { $0 != \(name) }") { variable, random in
            PredicateExpressions.build_allSatisfy(
                PredicateExpressions.Value([values.pick(&random), values.pick(&random)])
            ) { element in
                PredicateExpressions.build_NotEqual(
                    lhs: element,
                    rhs: PredicateExpressions.build_KeyPath(root: variable, keyPath: path))
            }
        }
    }

    mutating func comparable<Value: Comparable & Constant>(
        _ name: String, _ path: Path<Value>, _ values: [Value]
    ) {
        equatable(name, path, values)
        add("\(name) < a") { variable, random in
            compare(
                PredicateExpressions.build_KeyPath(root: variable, keyPath: path),
                PredicateExpressions.Value(values.pick(&random)), &random)
        }
        add("a < \(name)") { variable, random in
            compare(
                PredicateExpressions.Value(values.pick(&random)),
                PredicateExpressions.build_KeyPath(root: variable, keyPath: path), &random)
        }
        add("(a...b).contains(\(name))") { variable, random in
            let (one, other) = (values.pick(&random), values.pick(&random))
            return PredicateExpressions.build_contains(
                PredicateExpressions.Value(min(one, other)...max(one, other)),
                PredicateExpressions.build_KeyPath(root: variable, keyPath: path))
        }
        add("(a..<b).contains(\(name))") { variable, random in
            let (one, other) = (values.pick(&random), values.pick(&random))
            return PredicateExpressions.build_contains(
                PredicateExpressions.Value(min(one, other)..<max(one, other)),
                PredicateExpressions.build_KeyPath(root: variable, keyPath: path))
        }
        add("(a < b ? \(name) : a) < b") { variable, random in
            compare(
                PredicateExpressions.build_Conditional(
                    PredicateExpressions.Value(random.chance(0.5)),
                    PredicateExpressions.build_KeyPath(root: variable, keyPath: path),
                    PredicateExpressions.Value(values.pick(&random))),
                PredicateExpressions.Value(values.pick(&random)), &random)
        }
    }

    // MARK: Numbers

    mutating func numeric<Value: Numeric & Comparable & Constant>(
        _ name: String, _ path: Path<Value>, _ values: [Value]
    ) {
        comparable(name, path, values)
        add("\(name) * a + b < c") { variable, random in
            compare(
                PredicateExpressions.build_Arithmetic(
                    lhs: PredicateExpressions.build_Arithmetic(
                        lhs: PredicateExpressions.build_KeyPath(root: variable, keyPath: path),
                        rhs: PredicateExpressions.Value(values.pick(&random)), op: .multiply),
                    rhs: PredicateExpressions.Value(values.pick(&random)), op: .add),
                PredicateExpressions.Value(values.pick(&random)), &random)
        }
        add("a - \(name) < b") { variable, random in
            compare(
                PredicateExpressions.build_Arithmetic(
                    lhs: PredicateExpressions.Value(values.pick(&random)),
                    rhs: PredicateExpressions.build_KeyPath(root: variable, keyPath: path),
                    op: .subtract),
                PredicateExpressions.Value(values.pick(&random)), &random)
        }
    }

    mutating func negatable<Value: SignedNumeric & Comparable & Constant>(
        _ name: String, _ path: Path<Value>, _ values: [Value]
    ) {
        numeric(name, path, values)
        add("-\(name) < a") { variable, random in
            compare(
                PredicateExpressions.build_UnaryMinus(
                    PredicateExpressions.build_KeyPath(root: variable, keyPath: path)),
                PredicateExpressions.Value(values.pick(&random)), &random)
        }
    }

    mutating func whole<Value: FixedWidthInteger & SignedInteger & Constant>(
        _ name: String, _ path: Path<Value>, _ values: [Value]
    ) {
        negatable(name, path, values)
        let divisors: [Value] = [2, 3, -2]
        add("\(name) / a == b") { variable, random in
            PredicateExpressions.build_Equal(
                lhs: PredicateExpressions.build_Division(
                    lhs: PredicateExpressions.build_KeyPath(root: variable, keyPath: path),
                    rhs: PredicateExpressions.Value(divisors.pick(&random))),
                rhs: PredicateExpressions.Value(values.pick(&random)))
        }
        add("\(name) % a == b") { variable, random in
            PredicateExpressions.build_Equal(
                lhs: PredicateExpressions.build_Remainder(
                    lhs: PredicateExpressions.build_KeyPath(root: variable, keyPath: path),
                    rhs: PredicateExpressions.Value(divisors.pick(&random))),
                rhs: PredicateExpressions.Value(values.pick(&random)))
        }
    }

    mutating func floating<Value: BinaryFloatingPoint & Constant>(
        _ name: String, _ path: Path<Value>, _ values: [Value]
    ) {
        negatable(name, path, values)
        let divisors: [Value] = [2, -0.5, 4]
        add("\(name) / a < b") { variable, random in
            compare(
                PredicateExpressions.build_Division(
                    lhs: PredicateExpressions.build_KeyPath(root: variable, keyPath: path),
                    rhs: PredicateExpressions.Value(divisors.pick(&random))),
                PredicateExpressions.Value(values.pick(&random)), &random)
        }
    }
}

/// `<`, `<=`, `>` or `>=`, by chance.
func compare<Left: StandardPredicateExpression, Right: StandardPredicateExpression>(
    _ left: Left, _ right: Right, _ random: inout SeededGenerator
) -> PredicateExpressions.Comparison<Left, Right>
where Left.Output: Comparable, Left.Output == Right.Output {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: PredicateExpressions.build_Comparison(lhs: left, rhs: right, op: .lessThan)
    case 1: PredicateExpressions.build_Comparison(lhs: left, rhs: right, op: .lessThanOrEqual)
    case 2: PredicateExpressions.build_Comparison(lhs: left, rhs: right, op: .greaterThan)
    default: PredicateExpressions.build_Comparison(lhs: left, rhs: right, op: .greaterThanOrEqual)
    }
}
