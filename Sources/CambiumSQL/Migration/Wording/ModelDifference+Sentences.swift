import CambiumModel

extension ModelDifference {
    /// What a change is, with the condition that it asks of rows and what the author gave as the
    /// reason.
    func sentence(of change: ModelChange) -> String {
        let condition = condition(of: change).map { ": \($0)" } ?? ""
        let reason = change.reason(in: new, match).map { " (\($0))" } ?? ""
        return change.summary + condition + reason
    }

    private func condition(of change: ModelChange) -> String? {
        switch change {
        case .ruleAdded(let entity, let name), .ruleChanged(let entity, let name):
            let rule = new.entity(named: entity)?.rules.first { $0.name == name }
            return rule.map { "\($0.condition)" }
        case .limitsChanged(let entity, let name, _):
            let attribute = new.entity(named: entity)?.attributes.first { $0.name == name }
            return attribute?.limits.notation
        default:
            return nil
        }
    }
}
