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
        let checker = ExpressionChecker(
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
        let checker = ExpressionChecker(
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
        let checker = ExpressionChecker(entity: entity, model: model, parameters: parameters)
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
        let checker = ExpressionChecker(entity: entity, model: model)
        checker.purpose = .derivation
        return checker.run(text, nil) { checker, parsed in
            checker.value(parsed, as: type, isDerivation: true)
        }
    }

    /// Checks what an index is sorted by: a value of its own row by SQLite's own functions.
    package static func indexElement(
        _ text: String, entity: Entity, model: Model
    ) -> Result<ModelExpression, ExpressionDiagnostics> {
        let checker = ExpressionChecker(entity: entity, model: model)
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
        let checker = ExpressionChecker(entity: entity, model: model)
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
        let checker = ExpressionChecker(
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
            let first = ExpressionChecker(entity: entity, model: model, parameters: parameters)
            first.inference = ParameterInference(names: undeclared.map { Set($0) })
            _ = first.condition(parsed)
            let found = first.inference?.parameters() ?? .success([])
            if case .failure(let failure) = found {
                // Other mistakes may be the reason why nothing tells a type.
                let others = first.diagnostics.filter { !$0.lacksType }
                throw others.isEmpty ? failure : ExpressionDiagnostics(others)
            }
            let inferred = try found.get()
            let second = ExpressionChecker(
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

extension ExpressionCompiler {
    /// Checks a condition that code put together, and resolves its names.
    ///
    /// - Parameters:
    ///   - parameters: Values for `$name`.
    ///   - allowsParameters: Whether some `$name` may be left without a value for now.
    /// - Throws: What is wrong, with the parts of the tree.
    package static func typedCondition(
        _ expression: ModelExpression, entity: Entity, model: Model,
        parameters: [String: Value] = [:], variables: [String: Entity] = [:],
        allowsParameters: Bool = false
    ) throws(ExpressionDiagnostics) -> TypedExpression {
        try typed(expression, parameters) { (parsed) throws(ExpressionDiagnostics) in
            let checker = ExpressionChecker(entity: entity, model: model, variables: variables)
            checker.allowsUndeclaredParameters = allowsParameters
            let checked = checker.condition(parsed)
            return try checker.finish(checked).typed
        }
    }

    /// Checks an expression that code put together and that computes a value of a type (or of
    /// whatever type it is, for nil).
    ///
    /// - Parameters:
    ///   - parameters: Values for `$name`.
    ///   - allowsParameters: Whether some `$name` may be left without a value for now.
    ///   - isFill: Whether it is what existing objects get, which may use more.
    /// - Throws: What is wrong, with the parts of the tree.
    package static func typedValue(
        _ expression: ModelExpression, as type: AttributeType? = nil, entity: Entity, model: Model,
        parameters: [String: Value] = [:], variables: [String: Entity] = [:],
        allowsParameters: Bool = false, isFill: Bool = false
    ) throws(ExpressionDiagnostics) -> TypedExpression {
        try typed(expression, parameters) { (parsed) throws(ExpressionDiagnostics) in
            let checker = ExpressionChecker(entity: entity, model: model, variables: variables)
            checker.allowsUndeclaredParameters = allowsParameters
            if isFill { checker.purpose = .fill }
            let checked =
                type.map { checker.value(parsed, as: $0, isDerivation: true) }
                ?? checker.anyValue(parsed)
            return try checker.finish(checked).typed
        }
    }

    /// Checks a tree; where it is wrong once more, with numbers in the place of offsets, to name the
    /// parts.
    @inline(never)
    private static func typed(
        _ expression: ModelExpression, _ parameters: [String: Value],
        _ check: (ParsedExpression) throws(ExpressionDiagnostics) -> TypedExpression
    ) throws(ExpressionDiagnostics) -> TypedExpression {
        let expression = expression.limited
        do throws(ExpressionDiagnostics) {
            return try check(ParsedExpression(expression, substituting: parameters))
        } catch {
            let places = TreePlaces()
            let numbered = ParsedExpression(expression, substituting: parameters, places: places)
            do throws(ExpressionDiagnostics) {
                return try check(numbered)
            } catch {
                throw places.naming(error)
            }
        }
    }
}

/// What a fill knows beside the object as it is going to be: the object as it was in the version
/// before, by its old names.
package enum FillScope {
    /// The name of the object as it was, without the dollar sign.
    package static let former = "old"

    /// What `$name` may start from.
    package static func variables(_ row: Entity?) -> [String: Entity] {
        row.map { [former: $0] } ?? [:]
    }

    /// The old attributes that an expression looks at, by their old names.
    package static func attributes(in expression: ModelExpression) -> Set<String> {
        var found: Set<String> = []
        expression.visit { part in
            guard case .keyPath(root: .variable(former), let names) = part else { return }
            found.insert(names.joined(separator: "."))
        }
        return found
    }
}

extension Model {
    /// What objects of an entity of this version have for the fills of the next one: their stored
    /// attributes, inherited ones too.
    ///
    /// A value of an enumeration is one of the next version where that has the same enumeration,
    /// else what the store has for it, a string or a whole number. It is no entity of a model: its
    /// name is for messages, and it leads to no other object.
    package func formerRow(of entity: Entity, in next: Model) -> Entity {
        Entity(
            name: "\(entity.name) of version \(version)",
            attributes: attributes(of: entity).filter { !$0.isTransient }.map { attribute in
                Attribute(
                    name: attribute.name, type: type(of: attribute, in: next),
                    // What is derived may be required, and still be absent (an overflow).
                    isOptional: attribute.isOptional || attribute.derivation != nil,
                    isExternal: attribute.isExternal)
            },
            compositeAttributes: compositeAttributes(of: entity).filter { !$0.isTransient })
    }

    private func type(of attribute: Attribute, in next: Model) -> AttributeType {
        guard case .enumeration(let name) = attribute.type,
            let enumeration = enumeration(named: name),
            next.enumeration(named: name) != enumeration
        else { return attribute.type }
        return enumeration.rawType
    }
}

/// What the condition of a fetched property knows beside the objects that it finds: the object
/// that has the property, and the property itself.
struct FetchedPropertyScope {
    /// `$source` as the tree calls it, however the text spells it.
    static let sourceName = "source"
    static var source: PathRoot { .variable(sourceName) }

    /// The property's name.
    let name: String
    let userInfo: [String: String]

    /// `$source`, or as Core Data's tools write it `$FETCH_SOURCE`.
    static func isSource(_ variable: String) -> Bool {
        ["source", "fetch_source"].contains(variable.lowercased())
    }

    static func isProperty(_ variable: String) -> Bool {
        variable.lowercased() == "fetched_property"
    }
}

extension ExpressionChecker {
    /// `$FETCHED_PROPERTY.name` and `$FETCHED_PROPERTY.userInfo.key` are constants.
    func described(
        _ scope: FetchedPropertyScope, _ names: [ParsedExpression.Name], at offset: Int
    ) -> Checked? {
        switch names.first?.text {
        case "name" where names.count == 1:
            return flexible(.value(.string(scope.name)), at: offset)
        case "userInfo" where names.count > 1:
            let key = names.dropFirst().map { $0.text }.joined(separator: ".")
            if let value = scope.userInfo[key] {
                return flexible(.value(.string(value)), at: offset)
            }
            let nearest = nearestName(to: key, among: scope.userInfo.keys.ordered(by: <))
            return fail(
                "the property's user info has no key '\(key)'", at: names[1].offset,
                hint: nearest.map { "did you mean '\($0)'?" })
        default:
            return fail(
                "of the fetched property itself only name and userInfo can be used",
                at: names.first?.offset ?? offset,
                hint: "write $FETCHED_PROPERTY.name or $FETCHED_PROPERTY.userInfo.key")
        }
    }
}
