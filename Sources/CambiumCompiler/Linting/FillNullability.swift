import CambiumModel

/// Whether a fill may come to nil because an attribute that it looks at is. What its conditions rule
/// out is known: in `TERNARY(b == nil, 'x', b)` the second b is not nil.
struct FillNullability {
    /// Whether an attribute of the object is nil in some.
    let mayBeNil: (String) -> Bool
    /// The attributes that are not nil where one has come to.
    private var present: Set<String> = []

    init(mayBeNil: @escaping (String) -> Bool) {
        self.mayBeNil = mayBeNil
    }

    /// The attribute that may make the value nil, or nil where none does.
    func culprit(in expression: ModelExpression) -> String? {
        switch expression {
        case .keyPath(root: .subject, let names):
            let path = names.joined(separator: ".")
            return !present.contains(path) && mayBeNil(path) ? path : nil
        case .arithmetic(let left, _, let right):
            return culprit(in: left) ?? culprit(in: right)
        case .function(_, let operands):
            return operands.lazy.compactMap { culprit(in: $0) }.first
        case .conditional(let condition, let first, let second):
            return knowing(Self.present(where: condition, is: true)).culprit(in: first)
                ?? knowing(Self.present(where: condition, is: false)).culprit(in: second)
        default:
            return nil
        }
    }

    private func knowing(_ paths: Set<String>) -> FillNullability {
        var known = self
        known.present.formUnion(paths)
        return known
    }

    /// The attributes that are not nil where a condition has an outcome.
    private static func present(where condition: ModelExpression, is outcome: Bool) -> Set<String> {
        switch condition {
        case .and(let operands) where outcome, .or(let operands) where !outcome:
            return operands.reduce(into: []) { $0.formUnion(present(where: $1, is: outcome)) }
        case .not(let operand):
            return present(where: operand, is: !outcome)
        case .comparison(let left, let relation, let right, _):
            let paths = [left, right].compactMap(path)
            if [left, right].contains(.literal(.null)) {
                let isPresent = relation == .equal ? !outcome : relation == .notEqual && outcome
                return isPresent ? Set(paths) : []
            }
            // Any relation with nil is false, but for that of not being equal.
            return outcome && relation != .notEqual && paths.count == 1 ? Set(paths) : []
        case .between(let value, _, _):
            return outcome ? Set([value].compactMap(path)) : []
        default:
            return []
        }
    }

    private static func path(_ expression: ModelExpression) -> String? {
        guard case .keyPath(root: .subject, let names) = expression else { return nil }
        return names.joined(separator: ".")
    }
}
