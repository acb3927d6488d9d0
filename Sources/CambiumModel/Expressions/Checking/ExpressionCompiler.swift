/// The ways from an expression's text to a checked tree.
///
/// All failures are ``ExpressionDiagnostics``, whose offsets count UTF-8 bytes of the text.
package enum ExpressionCompiler {
    /// Checks a condition, such as a rule, a partial index's or a request's.
    ///
    /// - Parameters:
    ///   - text: The condition in the grammar of predicate formats.
    ///   - entity: The entity of the object that it is about.
    ///   - model: The entity's model.
    ///   - parameters: What `$name` may be.
    ///   - variables: Objects that `$name.property` may start from, with their entities.
    ///   - arguments: What stands for `%@` and its like, in order; nil allows none.
    /// - Complexity: O(length of the text × size of the entity)
    package static func condition(
        _ text: String, entity: Entity, model: Model, parameters: [FetchParameter] = [],
        variables: [String: Entity] = [:], arguments: [FormatArgument]? = nil
    ) -> Result<ModelExpression, ExpressionDiagnostics> {
        var checker = ExpressionChecker(
            entity: entity, model: model, parameters: parameters, variables: variables)
        return checker.run(text, arguments) { checker, parsed in checker.condition(parsed) }
    }

    /// Whether a text is an expression at all, whatever its names mean.
    package static func syntax(of text: String) -> Result<Void, ExpressionDiagnostic> {
        Result { () throws(ExpressionDiagnostic) in _ = try ExpressionParser.parse(text) }
    }

    /// Checks what existing objects get as the value of an attribute.
    ///
    /// - Parameters:
    ///   - text: The expression in the grammar of predicate formats. `$old.name` is a value that the
    ///     object had in the version before; `uuid()` is another one for each object.
    ///   - type: The type of the attribute that gets the value.
    ///   - entity: The entity of the object, in the new version.
    ///   - model: The new version.
    ///   - former: What the object was, as ``Model/formerRow(of:in:)`` has it; nil where objects of
    ///     the entity are all new.
    /// - Complexity: O(length of the text × size of the entity)
    package static func fill(
        _ text: String, as type: AttributeType, entity: Entity, model: Model, former: Entity?
    ) -> Result<ModelExpression, ExpressionDiagnostics> {
        var checker = ExpressionChecker(
            entity: entity, model: model, variables: FillScope.variables(former))
        checker.purpose = .fill
        return checker.run(text, nil) { checker, parsed in checker.value(parsed, as: type) }
    }

    /// Checks an expression that computes a value, such as that of a batch update.
    ///
    /// - Parameters:
    ///   - text: The expression in the grammar of predicate formats.
    ///   - type: The type of the attribute that gets the value; nil for any.
    ///   - entity: The entity of the object that it is about.
    ///   - model: The entity's model.
    ///   - parameters: What `$name` may be.
    /// - Complexity: O(length of the text × size of the entity)
    package static func value(
        _ text: String, as type: AttributeType?, entity: Entity, model: Model,
        parameters: [FetchParameter] = []
    ) -> Result<ModelExpression, ExpressionDiagnostics> {
        var checker = ExpressionChecker(entity: entity, model: model, parameters: parameters)
        return checker.run(text, nil) { checker, parsed in
            guard let type else { return checker.anyValue(parsed) }
            return checker.value(parsed, as: type)
        }
    }

    /// Checks what a derived attribute is computed from: stored properties of the object and of
    /// related ones, aggregates, functions. A floating-point attribute also takes exact numbers,
    /// and dates as seconds since 2001-01-01 UTC.
    ///
    /// - Parameters:
    ///   - text: The expression in the grammar of predicate formats.
    ///   - type: The type of the derived attribute.
    ///   - entity: The entity that has the attribute.
    ///   - model: The entity's model.
    package static func derivation(
        _ text: String, as type: AttributeType, entity: Entity, model: Model
    ) -> Result<ModelExpression, ExpressionDiagnostics> {
        var checker = ExpressionChecker(entity: entity, model: model)
        checker.purpose = .derivation
        return checker.run(text, nil) { checker, parsed in
            checker.value(parsed, as: type, isDerivation: true)
        }
    }

    /// Checks what an index is sorted by: a value of its own row by SQLite's own functions.
    package static func indexElement(
        _ text: String, entity: Entity, model: Model
    ) -> Result<ModelExpression, ExpressionDiagnostics> {
        var checker = ExpressionChecker(entity: entity, model: model)
        checker.purpose = .index
        return checker.run(text, nil) { checker, parsed in
            guard let checked = checker.anyValue(parsed) else { return nil }
            guard checked.flexible == nil else {
                return checker.fail(
                    "an index over a constant finds nothing", at: parsed.offset,
                    hint: "use an attribute")
            }
            return checked
        }
    }

    /// Checks which rows are in an index: a condition over the row by SQLite's own functions.
    package static func indexCondition(
        _ text: String, entity: Entity, model: Model
    ) -> Result<ModelExpression, ExpressionDiagnostics> {
        var checker = ExpressionChecker(entity: entity, model: model)
        checker.purpose = .index
        return checker.run(text, nil) { checker, parsed in checker.condition(parsed) }
    }

    /// Checks the condition of a fetched property. In the tree the object that has the property is
    /// the variable `source`; ``ModelExpression/binding(source:entity:destination:model:now:)``
    /// puts its values in.
    ///
    /// - Parameters:
    ///   - text: The condition. `$source` and `$FETCH_SOURCE` are the object that has the property,
    ///     `$FETCHED_PROPERTY.name` and `.userInfo.key` describe the property.
    ///   - property: The property's name.
    ///   - userInfo: What the author noted at the property.
    ///   - source: The entity that has the property.
    ///   - destination: The entity of the objects that it finds.
    ///   - model: The model of both.
    package static func fetchedCondition(
        _ text: String, property: String, userInfo: [String: String] = [:], source: Entity,
        destination: Entity, model: Model
    ) -> Result<ModelExpression, ExpressionDiagnostics> {
        var checker = ExpressionChecker(
            entity: destination, model: model,
            variables: [FetchedPropertyScope.sourceName: source])
        checker.fetchedProperty = FetchedPropertyScope(name: property, userInfo: userInfo)
        return checker.run(text, nil) { checker, parsed in checker.condition(parsed) }
    }

    /// Checks the condition of a named request and finds the types of its parameters that declare
    /// none out of their use.
    ///
    /// - Parameters:
    ///   - text: The condition in the grammar of predicate formats.
    ///   - entity: The entity whose objects it finds.
    ///   - model: The entity's model.
    ///   - parameters: The parameters that declare their types.
    ///   - undeclared: The names of those that do not; nil allows any name. One that is not used
    ///     is not among the result's.
    /// - Returns: The condition, and the parameters whose types were found, in the order of the
    ///   text. Uses of one parameter as different types, or as none, are mistakes.
    package static func template(
        _ text: String, entity: Entity, model: Model, parameters: [FetchParameter] = [],
        undeclared: [String]? = nil
    ) -> Result<(condition: ModelExpression, inferred: [FetchParameter]), ExpressionDiagnostics> {
        do throws(ExpressionDiagnostics) {
            let parsed: ParsedExpression
            do throws(ExpressionDiagnostic) {
                parsed = try ExpressionParser.parse(text)
            } catch {
                throw ExpressionDiagnostics([error])
            }
            // A comparison of a parameter with nil says nothing of its type, which another part of
            // the text may say: what the first round complains about is left to the second.
            var first = ExpressionChecker(entity: entity, model: model, parameters: parameters)
            first.inference = ParameterInference(names: undeclared.map { Set($0) })
            _ = first.condition(parsed)
            let found = first.inference?.parameters() ?? .success([])
            if case .failure(let failure) = found {
                // Other mistakes may be the reason why nothing tells a type.
                let others = first.diagnostics.filter { !$0.lacksType }
                throw others.isEmpty ? failure : ExpressionDiagnostics(others)
            }
            let inferred = try found.get()
            var second = ExpressionChecker(
                entity: entity, model: model, parameters: parameters + inferred)
            second.unusedNames = (undeclared ?? []).filter { name in
                !inferred.contains { $0.name == name }
            }
            let condition = second.located { $0.condition(parsed) }
            return .success((try second.finish(condition).source, inferred))
        } catch {
            return .failure(error)
        }
    }
}
