import CambiumModel
import CambiumPlan
import CambiumSQL

extension StepLint {
    /// Fills of attributes that objects need, and that have no value for some objects.
    func lintFills() {
        let idle = difference.idleFills
        for fill in new.model.migration?.fills ?? [] where !idle.contains(fill) {
            guard let culprit = culprit(in: fill) else { continue }
            let (objects, remedy) = Self.words(for: culprit)
            report(
                .emptyFill,
                """
                A store with an object \(objects) is refused: the fill of \
                \(fill.entity).\(fill.attribute) gives it no value
                """,
                of: fill.entity, fill.attribute,
                notes: ["\(remedy), unless there is no such object"])
        }
    }

    private static func words(
        for culprit: FillNullability.Culprit
    ) -> (objects: String, remedy: String) {
        func remedy(_ condition: String) -> String {
            "Give it one in that case too, as in TERNARY(\(condition), …, …)"
        }
        switch culprit {
        case .absent(let path): return ("whose '\(path)' is nil", remedy("\(path) == nil"))
        case .zero(.literal): return ("of any kind", "Divide by another number")
        case .zero(let divisor):
            return ("whose '\(divisor)' is 0", remedy("\(divisor) == 0"))
        case .branch:
            return ("that comes to 'nil' in it", "Write a value for it in place of 'nil'")
        }
    }
}

// The possible values of the attributes that a fill reads: the results of other fills and defaults
// or, if two fills read each other, the old values.
extension StepLint {
    /// The possible reasons that the fill of an attribute is nil.
    func nullability(ofFillOf reader: String, of entity: Entity) -> FillNullability {
        FillNullability(
            mayBeNil: { self.mayBeNil($0, where: $1, inFillOf: reader, of: entity) },
            mayBeZero: { self.mayBeZero($0, inFillOf: reader, of: entity) })
    }

    /// The part of a fill that leaves an object without a required value.
    func culprit(in fill: MigrationDeclaration.Fill) -> FillNullability.Culprit? {
        guard let entity = new.model.entity(named: fill.entity),
            let attribute = new.model.attribute(fill.attribute, of: entity)
        else { return nil }
        var nullability = nullability(ofFillOf: attribute.name, of: entity)
        if !attribute.isOptional { return nullability.culprits(in: fill.value).first }
        // A composite value that has another part needs this one.
        guard let rule = rule(requiring: attribute.name, of: entity),
            difference.isNewlyRequired(attribute.name, of: rule.composite, in: entity)
        else { return nil }
        if !difference.fillsEveryObject(attribute, of: entity) {
            // The composite value exists, and so do the parts that it required before.
            let established = rule.required.filter {
                !difference.isNewlyRequired($0, of: rule.composite, in: entity)
            }
            nullability = nullability.knowing(Set([rule.composite] + established))
        }
        return nullability.culprits(in: fill.value).first { found in
            rule.parts.contains { part in
                guard part != attribute.name, found != .absent(part) else { return false }
                if !difference.isAdded(part, to: entity.name) { return true }
                guard let other = difference.fill(of: part, in: entity) else { return false }
                // Both are nil in this case, so the composite value does not exist.
                let others = self.nullability(ofFillOf: part, of: entity).culprits(in: other)
                return !others.contains(found)
            }
        }
    }

    /// The rule of the optional composite value that requires an attribute.
    private func rule(requiring part: String, of entity: Entity) -> PresenceRule? {
        entity.presenceRules(in: new.model).first { $0.required.contains(part) }
    }

    /// - Parameter present: The attributes and composite values that are known to exist.
    private func mayBeNil(
        _ path: String, where present: Set<String>, inFillOf reader: String, of entity: Entity
    ) -> Bool {
        if let name = FillNullability.formerName(path) {
            let row = difference.match.formerRow(of: entity)
            return row?.attributes.first { $0.name == name }?.isOptional ?? false
        }
        guard let attribute = new.model.attribute(path, of: entity),
            let declarer = new.model.declarer(of: path, in: entity)
        else { return false }
        let former = difference.match.oldAttribute(of: path, in: declarer.name)
        let mayLack = attribute.isOptional || former?.isOptional == true
        let rule = rule(requiring: path, of: declarer)
            .flatMap { present.contains($0.composite) ? $0 : nil }
        if difference.seesOldValue(of: path, inFillOf: reader, of: entity) {
            if difference.isAdded(path, to: declarer.name) { return true }
            return rule.map {
                difference.isNewlyRequired(path, of: $0.composite, in: declarer)
            } ?? mayLack
        }
        let isSupplied = difference.supplied.contains {
            $0.entity == declarer.name && $0.property == path
        }
        if isSupplied || attribute.derivation != nil { return mayLack }
        // A required attribute without a value is reported by itself.
        if !attribute.isOptional || rule != nil { return false }
        guard let fill = difference.fill(of: path, in: declarer) else {
            return attribute.defaultValue == nil || !difference.isAdded(path, to: declarer.name)
        }
        return !difference.fillsEveryObject(attribute, of: declarer)
            || isEmpty(fill, of: path, in: declarer)
    }

    /// Whether a fill may come to nil. Found out once: each of a chain of fills may look at the one
    /// before several times.
    private func isEmpty(_ fill: ModelExpression, of path: String, in entity: Entity) -> Bool {
        let property = "\(entity.name).\(path)"
        if let known = emptyFills.known[property] { return known }
        let isEmpty = !nullability(ofFillOf: path, of: entity).culprits(in: fill).isEmpty
        emptyFills.known[property] = isEmpty
        return isEmpty
    }

    /// Whether a number may be 0, because neither its limits nor its given value exclude it.
    private func mayBeZero(_ path: String, inFillOf reader: String, of entity: Entity) -> Bool {
        guard let declarer = new.model.declarer(of: path, in: entity) else { return true }
        let before = difference.match.oldAttribute(of: path, in: declarer.name)
        if !difference.seesOldValue(of: path, inFillOf: reader, of: entity),
            case .literal(let value)? = valueGiven(to: path, of: declarer)
        {
            let isZero = value.sign == 0
            guard !isZero, !difference.isAdded(path, to: declarer.name) else { return isZero }
        }
        guard let limits = before?.limits else { return true }
        let isPositive = limits.minimum?.sign == 1
        let isNegative = limits.maximum?.sign == -1
        return !isPositive && !isNegative
    }

    /// The value that objects get if they have no value of an attribute.
    private func valueGiven(to path: String, of entity: Entity) -> ModelExpression? {
        if let fill = difference.fill(of: path, in: entity) { return fill }
        guard let attribute = new.model.attribute(path, of: entity),
            difference.isAdded(path, to: entity.name) || !attribute.isOptional,
            case .constant(let value)? = attribute.defaultValue
        else { return nil }
        return .literal(value)
    }
}

/// The fills that may be nil, as far as they were examined.
final class EmptyFills {
    fileprivate var known: [String: Bool] = [:]
}

/// Whether a fill may be nil, because it reads an attribute that is nil or divides by 0. Its
/// conditions are taken into account: in `TERNARY(b == nil, 'x', b)` the second b is not nil.
struct FillNullability {
    /// Whether an attribute is nil in some of the objects that have certain others.
    let mayBeNil: (String, Set<String>) -> Bool
    /// Whether an attribute of the object is 0 in some.
    let mayBeZero: (String) -> Bool
    /// The attributes that are not nil at this position of the expression.
    private(set) var present: Set<String> = []
    /// The divisors that are not 0 at this position.
    private(set) var divisors: [ModelExpression] = []

    /// The reason why a value is nil. A number that is too great is another reason, but authors do
    /// not expect it for a sum.
    enum Culprit: Hashable {
        /// The attribute of that path is nil.
        case absent(String)
        /// A divisor is 0.
        case zero(ModelExpression)
        /// A branch is nil explicitly.
        case branch
    }

    /// Returns all reasons why the value may be nil, in the order of the text.
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

    /// Returns the check for objects in which some attributes or composite values certainly exist.
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
        known.divisors += Self.divisors(where: condition, is: outcome)
        return known
    }

    /// The divisors that are not 0 if a condition has a given result.
    private static func divisors(
        where condition: ModelExpression, is outcome: Bool
    ) -> [ModelExpression] {
        switch condition {
        case .and(let operands) where outcome, .or(let operands) where !outcome:
            return operands.flatMap { divisors(where: $0, is: outcome) }
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

    /// The attributes that are not nil if a condition has a given result.
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

    /// The prefix of an attribute of the previous version.
    static let formerPrefix = "$\(FillScope.former)."

    /// The name of an attribute of the version before, of a path with the prefix; else nil.
    static func formerName(_ path: String) -> String? {
        path.hasPrefix(formerPrefix) ? String(path.dropFirst(formerPrefix.count)) : nil
    }
}
