import Foundation

extension ShapeWriter {
    mutating func optional<Value: Equatable & Constant>(
        _ name: String, _ path: Path<Value?>, _ values: [Value]
    ) {
        let optionals = values + [nil]
        add("\(name) == nil") { variable, _ in
            PredicateExpressions.build_Equal(
                lhs: PredicateExpressions.build_KeyPath(root: variable, keyPath: path),
                rhs: PredicateExpressions.NilLiteral<Value>())
        }
        add("\(name) != nil") { variable, _ in
            PredicateExpressions.build_NotEqual(
                lhs: PredicateExpressions.build_KeyPath(root: variable, keyPath: path),
                rhs: PredicateExpressions.NilLiteral<Value>())
        }
        add("\(name) == a?") { variable, random in
            PredicateExpressions.build_Equal(
                lhs: PredicateExpressions.build_KeyPath(root: variable, keyPath: path),
                rhs: PredicateExpressions.Value(optionals.pick(&random)))
        }
        add("a? != \(name)") { variable, random in
            PredicateExpressions.build_NotEqual(
                lhs: PredicateExpressions.Value(optionals.pick(&random)),
                rhs: PredicateExpressions.build_KeyPath(root: variable, keyPath: path))
        }
        add("[a?, b?].contains(\(name))") { variable, random in
            PredicateExpressions.build_contains(
                PredicateExpressions.Value([optionals.pick(&random), optionals.pick(&random)]),
                PredicateExpressions.build_KeyPath(root: variable, keyPath: path))
        }
        add("(\(name) ?? a) == b") { variable, random in
            PredicateExpressions.build_Equal(
                lhs: PredicateExpressions.build_NilCoalesce(
                    lhs: PredicateExpressions.build_KeyPath(root: variable, keyPath: path),
                    rhs: PredicateExpressions.Value(values.pick(&random))),
                rhs: PredicateExpressions.Value(values.pick(&random)))
        }
    }

    mutating func comparableOptional<Value: Comparable & Constant>(
        _ name: String, _ path: Path<Value?>, _ values: [Value]
    ) {
        optional(name, path, values)
        add("(\(name) ?? a) < b") { variable, random in
            compare(
                PredicateExpressions.build_NilCoalesce(
                    lhs: PredicateExpressions.build_KeyPath(root: variable, keyPath: path),
                    rhs: PredicateExpressions.Value(values.pick(&random))),
                PredicateExpressions.Value(values.pick(&random)), &random)
        }
        add("\(name).flatMap { $0 < a } ?? b") { variable, random in
            let constant = PredicateExpressions.Value(values.pick(&random))
            return PredicateExpressions.build_NilCoalesce(
                lhs: PredicateExpressions.build_flatMap(
                    PredicateExpressions.build_KeyPath(root: variable, keyPath: path)
                ) { value in compare(value, constant, &random) },
                rhs: PredicateExpressions.Value(random.chance(0.5)))
        }
        add("\(name).flatMap { $0 < a } == b?") { variable, random in
            let constant = PredicateExpressions.Value(values.pick(&random))
            let wanted: Bool? = [true, false, nil].pick(&random)
            return PredicateExpressions.build_Equal(
                lhs: PredicateExpressions.build_flatMap(
                    PredicateExpressions.build_KeyPath(root: variable, keyPath: path)
                ) { value in compare(value, constant, &random) },
                rhs: PredicateExpressions.Value(wanted))
        }
        add("\(name).flatMap { $0 < a } != b?") { variable, random in
            let constant = PredicateExpressions.Value(values.pick(&random))
            let unwanted: Bool? = [true, false, nil].pick(&random)
            return PredicateExpressions.build_NotEqual(
                lhs: PredicateExpressions.build_flatMap(
                    PredicateExpressions.build_KeyPath(root: variable, keyPath: path)
                ) { value in compare(value, constant, &random) },
                rhs: PredicateExpressions.Value(unwanted))
        }
        add("\(name) != nil && \(name)! < a") { variable, random in
            PredicateExpressions.build_Conjunction(
                lhs: PredicateExpressions.build_NotEqual(
                    lhs: PredicateExpressions.build_KeyPath(root: variable, keyPath: path),
                    rhs: PredicateExpressions.NilLiteral<Value>()),
                rhs: compare(
                    PredicateExpressions.build_ForcedUnwrap(
                        PredicateExpressions.build_KeyPath(root: variable, keyPath: path)),
                    PredicateExpressions.Value(values.pick(&random)), &random))
        }
        add("if let value = \(name) { value < a } else { b }") { variable, random in
            PredicateExpressions.build_Conditional(
                PredicateExpressions.build_NotEqual(
                    lhs: PredicateExpressions.build_KeyPath(root: variable, keyPath: path),
                    rhs: PredicateExpressions.NilLiteral<Value>()),
                compare(
                    PredicateExpressions.build_ForcedUnwrap(
                        PredicateExpressions.build_KeyPath(root: variable, keyPath: path)),
                    PredicateExpressions.Value(values.pick(&random)), &random),
                PredicateExpressions.Value(random.chance(0.5)))
        }
    }

    /// Texts have members.
    mutating func text(_ name: String, _ path: Path<String>, _ values: [String]) {
        comparable(name, path, values)
        let parts = values.filter { !$0.isEmpty }
        add("\(name).isEmpty") { variable, _ in
            PredicateExpressions.build_KeyPath(
                root: PredicateExpressions.build_KeyPath(root: variable, keyPath: path),
                keyPath: \.isEmpty)
        }
        add("\(name).count < a") { variable, random in
            compare(
                PredicateExpressions.build_KeyPath(
                    root: PredicateExpressions.build_KeyPath(root: variable, keyPath: path),
                    keyPath: \.count),
                PredicateExpressions.Value(Int.random(in: 0...3, using: &random)), &random)
        }
        add("\(name).contains(a)") { variable, random in
            PredicateExpressions.build_contains(
                PredicateExpressions.build_KeyPath(root: variable, keyPath: path),
                PredicateExpressions.Value(parts.pick(&random)))
        }
        add("\(name).starts(with: a)") { variable, random in
            PredicateExpressions.build_starts(
                PredicateExpressions.build_KeyPath(root: variable, keyPath: path),
                with: PredicateExpressions.Value(parts.pick(&random)))
        }
    }
}
