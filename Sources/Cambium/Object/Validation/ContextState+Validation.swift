import CambiumRecords

// Of the state, which objects have at hand: to ask each for its context takes a while.
extension ContextState {
    /// What is wrong with an object as it is now.
    func validationErrors(of object: ManagedObject) -> [ValidationError] {
        var validator = Validator(object: object)
        // Safety: the object's state holds the coordinator, which holds the descriptions.
        let evaluators = uncounted(object.entityDescription).use { self.evaluators(of: $0) }
        validator.validate(evaluators)
        guard !validator.errors.isEmpty, validator.hasRunOwnChecks else { return validator.errors }
        // A check of the program's own may have repaired what an earlier check refused.
        var secondLook = Validator(object: object)
        secondLook.validate(evaluators)
        return secondLook.errors
    }

    private func evaluators(of entity: EntityDescription) -> [RuleEvaluator] {
        guard !entity.rules.isEmpty else { return [] }
        if let known = ruleEvaluators[entity.index] { return known }
        let made = entity.rules.compactMap { rule -> RuleEvaluator? in
            // The compiler has checked the rule against this very model.
            guard
                let evaluator = try? ExpressionEvaluator(
                    condition: rule.condition, entity: entity.entity, model: entity.model)
            else { return nil }
            return RuleEvaluator(rule: rule, evaluator: evaluator)
        }
        ruleEvaluators[entity.index] = made
        return made
    }
}

/// A rule and what evaluates it.
struct RuleEvaluator {
    let rule: Rule
    let evaluator: ExpressionEvaluator
}
