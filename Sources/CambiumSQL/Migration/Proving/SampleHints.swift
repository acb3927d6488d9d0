import CambiumModel
import CambiumPlan

/// Hints that make generated values likely to be valid. They are the limits of the version that the
/// values are for and of the next version, and the constants in the rules of both.
final class SampleHints {
    private let match: ModelMatch?
    private let words: [ModelMatch.PropertyName: [Value]]

    /// Collects hints for values of a model. A migration to another model may read the values.
    init(of old: Model, for match: ModelMatch?) {
        self.match = match
        var words = Self.constants(in: old)
        if let match {
            let newWords = Self.constants(in: match.new)
            // For unchanged entities, the new version's rules are the same as the old ones.
            for entity in old.entities where !match.settled.contains(entity.name) {
                guard let newName = match.newEntity(of: entity)?.name else { continue }
                for attribute in entity.attributes {
                    guard
                        let newAttribute = match.newAttribute(of: attribute.name, in: entity.name)
                    else { continue }
                    let name = ModelMatch.PropertyName(
                        entity: entity.name, property: attribute.name)
                    let found = ModelMatch.PropertyName(
                        entity: newName, property: newAttribute.name)
                    let more =
                        newWords[found, default: []]
                        + Self.converted(attribute, to: newAttribute, in: match.new)
                    if !more.isEmpty { words[name, default: []] += more }
                }
            }
            for (name, more) in Self.linked(match) { words[name, default: []] += more }
        }
        self.words = words
    }

    /// Values that links are found by: the same at both ends.
    private static func linked(_ match: ModelMatch) -> [(ModelMatch.PropertyName, [Value])] {
        var found: [(ModelMatch.PropertyName, [Value])] = []
        func note(_ path: ModelExpression, _ ends: [PathRoot: Entity]) {
            guard case .keyPath(let root, let names) = path, let end = ends[root] else { return }
            let name = names.joined(separator: ".")
            guard
                let declarer = match.old.lineage(of: end).first(where: {
                    $0.attributes.contains { $0.name == name }
                }),
                let attribute = declarer.attribute(named: name)
            else { return }
            let values: [Value] =
                switch attribute.type {
                case .string: ["linked", "joined"].map { .string($0) }
                case .int16, .int32, .int64: [1, 2].map { .int($0) }
                default: []
                }
            found.append(
                (ModelMatch.PropertyName(entity: declarer.name, property: name), values))
        }
        func search(_ expression: ModelExpression, _ ends: [PathRoot: Entity]) {
            if case .comparison(let left, .equal, let right, _) = expression {
                for side in [left, right] { note(side, ends) }
            }
            for operand in expression.operands { search(operand, ends) }
        }
        for link in match.new.migration?.links ?? [] {
            guard let entity = match.new.entity(named: link.entity),
                let relationship = match.new.relationship(link.relationship, of: entity),
                let destination = match.new.entity(named: relationship.destination),
                let target = match.oldEntity(of: destination)
            else { continue }
            for source in match.formers(of: entity) {
                search(link.condition, [.variable("source"): source, .subject: target])
            }
        }
        return found
    }

    /// The attribute with the limits of both versions.
    func attribute(_ attribute: Attribute, of entity: Entity) -> Attribute {
        guard let match, let new = match.newAttribute(of: attribute.name, in: entity.name),
            let limits = Self.limits(
                of: new, for: match.old.plainType(of: attribute.type),
                match.new.plainType(of: new.type))
        else { return attribute }
        return Attribute(
            name: attribute.name, type: attribute.type, isOptional: attribute.isOptional,
            limits: attribute.limits.narrowed(by: limits),
            derivation: attribute.derivation, isExternal: attribute.isExternal)
    }

    /// Returns the new limits of an attribute as values of its old type; nil if they do not apply
    /// to it.
    private static func limits(
        of new: Attribute, for old: AttributeType, _ type: AttributeType
    ) -> Limits? {
        if old == type { return new.limits }
        let (minimum, maximum) = (new.limits.minimum?.rank, new.limits.maximum?.rank)
        guard minimum != nil || maximum != nil else { return nil }
        func value(_ rank: Double, _ rule: FloatingPointRoundingRule) -> Value? {
            switch old {
            case .int16, .int32, .int64: Int64(exactly: rank.rounded(rule)).map { .int($0) }
            case .decimal: .decimal(Decimal(rank))
            case .double, .float: .double(rank)
            case .duration: abs(rank) < 9e9 ? .duration(.seconds(rank)) : nil
            default: nil
            }
        }
        return Limits(
            minimum: minimum.flatMap { value($0, .up) },
            maximum: maximum.flatMap { value($0, .down) })
    }

    /// Whether the attribute gets another type. It may not hold every value.
    func isConverted(_ attribute: Attribute, of entity: Entity) -> Bool {
        guard let match, let new = match.newAttribute(of: attribute.name, in: entity.name) else {
            return false
        }
        return match.old.plainType(of: attribute.type) != match.new.plainType(of: new.type)
            || attribute.usesExternalForm != new.usesExternalForm
    }

    /// Returns values that are relevant to conditions.
    func words(for attribute: Attribute, of entity: Entity) -> [Value] {
        words[
            ModelMatch.PropertyName(entity: entity.name, property: attribute.name), default: []]
    }

    /// Returns the constants that rules compare attributes with, by the attribute and the entity
    /// that declares it.
    private static func constants(in model: Model) -> [ModelMatch.PropertyName: [Value]] {
        var found: [ModelMatch.PropertyName: [Value]] = [:]
        func note(_ path: ModelExpression, _ values: [ModelExpression], of entity: Entity) {
            guard case .keyPath(.subject, let names) = path else { return }
            let name = names.joined(separator: ".")
            guard
                let declarer = model.lineage(of: entity).first(where: {
                    $0.attributes.contains { $0.name == name }
                })
            else { return }
            for case .literal(let value) in values where value != .null {
                found[
                    ModelMatch.PropertyName(entity: declarer.name, property: name),
                    default: []
                ] += value.neighbours
            }
        }
        func search(_ expression: ModelExpression, of entity: Entity) {
            switch expression {
            case .comparison(let left, _, .list(let values), _):
                note(left, values, of: entity)
            case .comparison(let left, _, let right, _):
                note(left, [right], of: entity)
                note(right, [left], of: entity)
            case .between(let value, let lower, let upper):
                note(value, [lower, upper], of: entity)
            default: break
            }
            for operand in expression.operands { search(operand, of: entity) }
        }
        for entity in model.entities {
            for rule in entity.rules { search(rule.condition, of: entity) }
        }
        return found
    }

    /// Returns values that can be converted to the new type of an attribute.
    private static func converted(
        _ old: Attribute, to new: Attribute, in model: Model
    ) -> [Value] {
        if case .enumeration(let name) = new.type, old.type != new.type {
            let values = model.enumeration(named: name)?.cases.map { $0.rawValue } ?? []
            return values.map { value in
                if old.type == .string, case .int(let number) = value {
                    return .string("\(number)")
                }
                return value
            }
        }
        // Few numbers with decimal places can do with fewer, and few numbers are Booleans.
        let numbers = new.type == .bool ? [0, 1] : [0, 1, 12, 40]
        let values: [Value] =
            switch (old.type, new.type) {
            case (.duration, _): numbers.map { .duration(.seconds($0)) }
            case (.decimal(1...), _): numbers.map { .decimal(Decimal($0)) }
            case (.double, .double), (.double, .float), (.double, .date), (.float, .double),
                (.float, .float), (.float, .date):
                []
            case (.double, _), (.float, _): numbers.map { .double(Double($0)) }
            case (.int16, .bool), (.int32, .bool), (.int64, .bool): numbers.map { .int(Int64($0)) }
            case (.string, .bool): numbers.map { .string("\($0)") }
            case (.string, .int16), (.string, .int32), (.string, .int64), (.string, .float),
                (.string, .double), (.string, .decimal), (.string, .anyDecimal):
                numbers.dropFirst().map { .string("\($0)") }
            case (.data, .uuid): [.data(Data(1...16)), .data(Data(2...17))]
            default: []
            }
        let (least, greatest) = (old.limits.minimum?.rank, old.limits.maximum?.rank)
        return values.filter { value in
            guard let rank = value.rank else { return true }
            return rank >= least ?? rank && rank <= greatest ?? rank
        }
    }
}

extension Value {
    /// The value and its neighbours. A condition with `<` or `>` may need one of these instead.
    fileprivate var neighbours: [Value] {
        switch self {
        case .int(let number) where number > .min && number < .max:
            [self, .int(number - 1), .int(number + 1)]
        case .double(let number): [self, .double(number - 1), .double(number + 1)]
        case .decimal(let number): [self, .decimal(number - 1), .decimal(number + 1)]
        case .duration(let length):
            [self, .duration(length - .seconds(1)), .duration(length + .seconds(1))]
        default: [self]
        }
    }

    /// The position of the value among numbers and dates.
    fileprivate var rank: Double? {
        switch self {
        case .int(let number): Double(number)
        case .double(let number): number
        case .decimal(let number): Double("\(number)")
        case .duration(let length): length / .seconds(1)
        case .date(let date): date.timeIntervalSinceReferenceDate
        default: nil
        }
    }
}

extension Limits {
    /// Returns the limits that satisfy both, or the other limits if none can.
    fileprivate func narrowed(by other: Limits) -> Limits {
        func chosen(_ one: Value?, _ two: Value?, _ isBetter: (Double, Double) -> Bool) -> Value? {
            guard let one, let two else { return one ?? two }
            guard let rank = one.rank, let otherRank = two.rank else { return two }
            return isBetter(rank, otherRank) ? one : two
        }
        return Limits(
            minimum: chosen(minimum, other.minimum, >), maximum: chosen(maximum, other.maximum, <),
            minimumLength: [minimumLength, other.minimumLength].compactMap { $0 }.max(),
            maximumLength: [maximumLength, other.maximumLength].compactMap { $0 }.min(),
            pattern: other.pattern ?? pattern)
    }
}
