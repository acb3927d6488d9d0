import CambiumRecords

/// A condition made ready to be asked of many objects: a chain of closures over the slots of their
/// rows.
///
/// What compares properties of an object, or of one that to-ones lead to, with constants or each
/// other reads the row itself. Everything else is left to ``ExpressionEvaluator``, part by part.
/// It belongs to one isolation, as the objects do.
final class CompiledCondition {
    private let test: ObjectTest

    /// - Throws: ``ExpressionDiagnostics`` where the condition does not fit the entity, or a
    ///   parameter has no value.
    init(
        _ condition: ModelExpression, of entity: EntityDescription, in model: ModelDescription,
        parameters: [String: Value] = [:]
    ) throws {
        let typed = try ExpressionCompiler.typedCondition(
            condition, entity: entity.entity, model: model.model, parameters: parameters)
        test = ConditionClosures(model: model).test(typed)
    }

    /// Whether an object meets the condition, by its values now.
    ///
    /// - Parameter context: That of the object, where it is at hand: to ask each object for it is
    ///   half of what it takes to look at another one.
    /// - Throws: Here and below, what the evaluation of a pattern throws.
    func isTrue(
        _ object: ManagedObject, in context: ManagedObjectContext? = nil
    ) throws -> Bool {
        try test(object, context)
    }

    /// Those of objects that meet the condition.
    func filter(_ objects: [ManagedObject]) throws -> [ManagedObject] {
        let context = objects.first?.state.context
        return try objects.filter { try test($0, context) }
    }
}
