import CambiumModel

/// Whether a fill may come to nil: because an attribute that it looks at is, or because of what it
/// divides by. What its conditions rule out is known: in `TERNARY(b == nil, 'x', b)` the second b is not nil.
struct FillNullability {
    /// Whether an attribute of the object is nil in some of those that have certain others.
    let mayBeNil: (String, Set<String>) -> Bool
    /// Whether an attribute of the object is 0 in some.
    let mayBeZero: (String) -> Bool
    /// The attributes that are not nil where one has come to.
    private(set) var present: Set<String> = []
    /// What is not 0 there.
    private(set) var divisors: Set<ModelExpression> = []

    /// What makes a value nil. (So does a number that is too great, which nobody expects of a sum.)
    enum Culprit: Hashable {
        /// The attribute of that path is nil.
        case absent(String)
        /// Something is divided by it, and it is 0.
        case zero(ModelExpression)
        /// A branch says so.
        case branch
    }

    /// All that may make the value nil, in the order of the text.
    func culprits(in expression: ModelExpression) -> [Culprit] {
        switch expression {
        case .literal(.null):
            return [.branch]
        case .keyPath:
            guard let path = Self.path(expression) else { return [] }
            return !present.contains(path) && mayBeNil(path, present) ? [.absent(path)] : []
        case .arithmetic(let left, let operation, let right):
            return culprits(in: left) + culprits(in: right)
                + (operation == .divide ? zero(right) : [])
        case .function(let function, let operands):
            return operands.flatMap { culprits(in: $0) }
                + (function == .modulus ? operands.last.map(zero) ?? [] : [])
        case .conditional(let condition, let first, let second):
            return knowing(condition, is: true).culprits(in: first)
                + knowing(condition, is: false).culprits(in: second)
        default:
            return []
        }
    }

    /// The same where some attributes, or composite values, are known to be there.
    func knowing(_ present: Set<String>) -> FillNullability {
        var known = self
        known.present.formUnion(present)
        return known
    }

    private func zero(_ divisor: ModelExpression) -> [Culprit] {
        switch divisor {
        case .literal(let value): value.sign == 0 ? [.zero(divisor)] : []
        case _ where divisors.contains(divisor): []
        case .keyPath(root: .subject, let names):
            mayBeZero(names.joined(separator: ".")) ? [.zero(divisor)] : []
        default: [.zero(divisor)]
        }
    }

    private func knowing(_ condition: ModelExpression, is outcome: Bool) -> FillNullability {
        var known = self
        known.present.formUnion(Self.present(where: condition, is: outcome))
        known.divisors.formUnion(Self.divisors(where: condition, is: outcome))
        return known
    }

    /// What is not 0 where a condition has an outcome.
    private static func divisors(
        where condition: ModelExpression, is outcome: Bool
    ) -> Set<ModelExpression> {
        switch condition {
        case .and(let operands) where outcome, .or(let operands) where !outcome:
            return operands.reduce(into: []) { $0.formUnion(divisors(where: $1, is: outcome)) }
        case .not(let operand):
            return divisors(where: operand, is: !outcome)
        case .comparison(let left, let relation, .literal(let value), _):
            guard let sign = value.sign else { return [] }
            let excludesZero =
                switch (relation, outcome) {
                case (.equal, false), (.notEqual, true): sign == 0
                case (.equal, true): sign != 0
                case (.greater, true): sign >= 0
                case (.greaterOrEqual, true): sign > 0
                case (.less, true): sign <= 0
                case (.lessOrEqual, true): sign < 0
                // An object without a value comes here too, and divides by nothing.
                case (.greater, false): sign < 0
                case (.greaterOrEqual, false): sign <= 0
                case (.less, false): sign > 0
                case (.lessOrEqual, false): sign >= 0
                default: false
                }
            return excludesZero ? [left] : []
        default:
            return []
        }
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
        switch expression {
        case .keyPath(root: .subject, let names): names.joined(separator: ".")
        case .keyPath(root: .variable(FillScope.former), let names):
            formerPrefix + names.joined(separator: ".")
        default: nil
        }
    }

    /// What stands before the name of an attribute of the version before.
    static let formerPrefix = "$\(FillScope.former)."

    /// The name of an attribute of the version before, of a path with the prefix; else nil.
    static func formerName(_ path: String) -> String? {
        path.hasPrefix(formerPrefix) ? String(path.dropFirst(formerPrefix.count)) : nil
    }
}
