import CambiumModel

extension ModelChecker {
    /// Warns about rules and conditions with a constant result.
    func warnAboutConditions(of entity: Entity, _ draft: EntityDraft, in model: Model) {
        let folding = ConstantFolding(entity: entity, model: model)
        for (rule, element) in zip(entity.rules, kept("rule", of: draft)) {
            let offset = element.text.sourceOffset(
                of: element.text.value.utf8.prefix { " \t\r\n".utf8.contains($0) }.count,
                in: parsed.source)
            if let value = folding.value(of: rule.condition) {
                report(
                    .constantCondition, "The rule '\(rule.name)' is always \(value)", at: offset,
                    notes: [
                        value ? "Remove it" : "No object can be saved; correct the condition"
                    ])
            } else if folding.isImpliedByLimits(rule.condition) {
                report(
                    .impliedRule,
                    """
                    \(wording.name("min")) and \(wording.name("max")) already cover the \
                    rule '\(rule.name)'
                    """, at: offset,
                    notes: ["Remove the rule, or the limit"])
            }
        }
        for (index, element) in zip(entity.indexes, kept("index", of: draft)) {
            guard let written = element["where"],
                let value = index.condition.flatMap({ folding.value(of: $0) })
            else { continue }
            report(
                .constantCondition, "The condition is always \(value)", at: written,
                notes: [value ? "Remove where" : "The index would stay empty; remove it"])
        }
        for (template, element) in zip(entity.fetchTemplates, kept("fetch", of: draft))
        where template.condition.flatMap({ folding.value(of: $0) }) == false {
            report(
                .constantCondition, "The request '\(template.name)' never finds anything",
                at: element.text.sourceOffset(of: 0, in: parsed.source),
                notes: ["Correct the condition"])
        }
    }
}

/// Works out conditions that do not depend on the object.
struct ConstantFolding {
    let entity: Entity
    let model: Model
    /// Attributes with the same value in all relevant rows.
    var known: [String: Value] = [:]

    /// The result, or nil if it depends on the object.
    func value(of condition: ModelExpression) -> Bool? {
        switch condition {
        case .literal(.bool(let value)): return value
        case .and(let operands):
            let values = operands.map { value(of: $0) }
            return values.contains(false) ? false : values.contains(nil) ? nil : true
        case .or(let operands):
            let values = operands.map { value(of: $0) }
            return values.contains(true) ? true : values.contains(nil) ? nil : false
        case .not(let operand): return value(of: operand).map { !$0 }
        case .comparison(let left, let relation, let right, _):
            return compare(settled(left), relation, settled(right))
        default: return nil
        }
    }

    private func settled(_ operand: ModelExpression) -> ModelExpression {
        guard !known.isEmpty, case .keyPath(root: .subject, let names) = operand,
            let value = known[names.joined(separator: ".")]
        else { return operand }
        return .literal(value)
    }

    private func compare(
        _ left: ModelExpression, _ relation: ComparisonOperator, _ right: ModelExpression
    ) -> Bool? {
        switch (left, right) {
        case (.literal(let left), .literal(let right)):
            return compare(left, relation, right)
        case (.keyPath, .literal(.null)): return compareWithNil(left, relation)
        case (.literal(.null), .keyPath): return compareWithNil(right, relation)
        case (.keyPath, .keyPath) where left == right:
            switch relation {
            case .equal: return true
            case .notEqual, .less, .greater: return false
            default: return nil
            }
        default: return nil
        }
    }

    /// A required value is never nil.
    private func compareWithNil(
        _ path: ModelExpression, _ relation: ComparisonOperator
    ) -> Bool? {
        guard relation == .equal || relation == .notEqual,
            !Nullability(model: model).mayBeNil(path, of: entity)
        else { return nil }
        return relation == .notEqual
    }

    private func compare(
        _ left: Value, _ relation: ComparisonOperator, _ right: Value
    ) -> Bool? {
        switch relation {
        case .equal: left == right
        case .notEqual: left != right
        case .less: Self.isLess(left, right)
        case .greater: Self.isLess(right, left)
        case .lessOrEqual: left == right ? true : Self.isLess(left, right)
        case .greaterOrEqual: left == right ? true : Self.isLess(right, left)
        default: nil
        }
    }

    /// Whether limits of an attribute imply the condition.
    func isImpliedByLimits(_ condition: ModelExpression) -> Bool {
        guard case .comparison(let left, let relation, let right, _) = condition else {
            return false
        }
        switch (left, right) {
        case (.keyPath(root: .subject, let names), .literal(let value)):
            return isImplied(names, relation, value)
        case (.literal(let value), .keyPath(root: .subject, let names)):
            return isImplied(names, relation.mirrored, value)
        default: return false
        }
    }

    private func isImplied(
        _ names: [String], _ relation: ComparisonOperator, _ value: Value
    ) -> Bool {
        // Limits do not apply to nil; of a rule nil is a violation.
        guard let attribute = model.attribute(names.joined(separator: "."), of: entity),
            !attribute.isOptional
        else { return false }
        let (minimum, maximum) = (attribute.limits.minimum, attribute.limits.maximum)
        return switch relation {
        case .greaterOrEqual: minimum.flatMap { Self.isLess($0, value) } == false
        case .greater: minimum.flatMap { Self.isLess(value, $0) } == true
        case .lessOrEqual: maximum.flatMap { Self.isLess(value, $0) } == false
        case .less: maximum.flatMap { Self.isLess($0, value) } == true
        default: false
        }
    }

    /// Whether a number or date is less than another, or nil if they cannot be compared. The order
    /// of strings depends on the options of the comparison.
    private static func isLess(_ left: Value, _ right: Value) -> Bool? {
        if case .string = left { return nil }
        return Value.order(left, right).map { $0 == .less }
    }
}
