import CambiumModel

extension Model {
    /// Whether the store enforces a rule too, by a CHECK. One that needs more than the columns of
    /// its row and SQLite's own functions is checked on save only.
    package func isEnforcedByStore(_ rule: Rule, of entity: Entity) -> Bool {
        columnCondition(rule.condition, of: entity, for: .truth) != nil
    }
}
