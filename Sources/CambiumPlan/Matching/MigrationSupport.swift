import CambiumModel

/// What the engine of a store can do by itself for a migration: the planner asks, and the module that
/// writes the statements answers.
package protocol MigrationSupport: Sendable {
    /// Whether it finds the objects of an entity of the old version that meet a condition.
    func finds(where condition: ModelExpression, of entity: Entity, in match: ModelMatch) -> Bool
    /// Whether it finds the objects that a declared link leads to.
    func finds(_ link: MigrationDeclaration.Link, in match: ModelMatch) -> Bool
    /// Whether it computes the value that a fill gives to objects of an entity of the new version.
    func computes(
        _ fill: ModelExpression, for attribute: Attribute, of entity: Entity, in match: ModelMatch
    ) -> Bool
    /// Whether it checks a rule of an entity.
    func enforces(_ rule: Rule, of entity: Entity, in model: Model) -> Bool
    /// Whether it checks a pattern.
    func enforces(pattern: String) -> Bool
    /// The properties of an object itself that a value is computed from, with those behind values that
    /// the engine computes.
    func properties(
        in expression: ModelExpression, of entity: Entity, of model: Model
    ) -> Set<String>
}
