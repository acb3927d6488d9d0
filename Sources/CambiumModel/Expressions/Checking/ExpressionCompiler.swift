/// Functions that turn an expression's text into a checked tree.
///
/// All failures are ``ExpressionDiagnostics``. Their offsets count UTF-8 bytes of the text.
package enum ExpressionCompiler {
    /// Checks a condition, for example of a rule, a partial index or a request.
    ///
    /// - Parameters:
    ///   - text: The condition in the grammar of predicate formats.
    ///   - entity: The entity of the object that the condition tests.
    ///   - model: The entity's model.
    ///   - parameters: The parameters that `$name` can refer to.
    ///   - variables: Objects that `$name.property` may start from, with their entities.
    ///   - arguments: The values for `%@` and the like, in order; nil allows none.
    /// - Complexity: O(length of the text × size of the entity)
    package static func condition(
        _ text: String, entity: Entity, model: Model, parameters: [FetchParameter] = [],
        variables: [String: Entity] = [:], arguments: [FormatArgument]? = nil
    ) -> Result<ModelExpression, ExpressionDiagnostics> {
        let checker = ExpressionChecker(
            entity: entity, model: model, parameters: parameters, variables: variables)
        return checker.run(text, arguments) { checker, parsed in checker.condition(parsed) }
    }

    /// Checks whether a text is syntactically an expression, independent of its names.
    package static func syntax(of text: String) -> Result<Void, ExpressionDiagnostic> {
        Result { () throws(ExpressionDiagnostic) in _ = try ExpressionParser.parse(text) }
    }

    /// Checks the expression of a fill, which computes an attribute's value for existing objects.
    ///
    /// - Parameters:
    ///   - text: The expression in the grammar of predicate formats. `$old.name` is a value of the
    ///     object in the previous version. `uuid()` is a new value for each object.
    ///   - type: The type of the attribute that gets the value.
    ///   - entity: The entity of the object, in the new version.
    ///   - model: The new version.
    ///   - former: The object in the previous version, from ``Model/formerRow(of:in:)``; nil if all
    ///     objects of the entity are new.
    /// - Complexity: O(length of the text × size of the entity)
    package static func fill(
        _ text: String, as type: AttributeType, entity: Entity, model: Model, former: Entity?
    ) -> Result<ModelExpression, ExpressionDiagnostics> {
        let checker = ExpressionChecker(
            entity: entity, model: model, variables: FillScope.variables(former))
        checker.purpose = .fill
        return checker.run(text, nil) { checker, parsed in checker.value(parsed, as: type) }
    }

    /// Checks an expression that computes a value, for example in a batch update.
    ///
    /// - Parameters:
    ///   - text: The expression in the grammar of predicate formats.
    ///   - type: The type of the attribute that gets the value; nil for any.
    ///   - entity: The entity of the object that the expression is evaluated for.
    ///   - model: The entity's model.
    ///   - parameters: The parameters that `$name` can refer to.
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

    /// Checks the expression of a derived attribute. It may use stored properties of the object and
    /// of related ones, aggregates and functions. A floating-point attribute also takes exact
    /// numbers, and dates as seconds since 2001-01-01 UTC.
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

    /// Checks an expression that an index is sorted by. It computes a value of its own row with
    /// SQLite's own functions.
    package static func indexElement(
        _ text: String, entity: Entity, model: Model
    ) -> Result<ModelExpression, ExpressionDiagnostics> {
        let checker = ExpressionChecker(entity: entity, model: model)
        checker.purpose = .index
        return checker.run(text, nil) { checker, parsed in
            guard let checked = checker.anyValue(parsed) else { return nil }
            guard checked.flexible == nil else {
                return checker.fail(
                    "an index cannot consist of a constant", at: parsed.offset,
                    hint: "use an attribute")
            }
            return checked
        }
    }

    /// Checks the condition of a partial index. It tests the row with SQLite's own functions.
    package static func indexCondition(
        _ text: String, entity: Entity, model: Model
    ) -> Result<ModelExpression, ExpressionDiagnostics> {
        let checker = ExpressionChecker(entity: entity, model: model)
        checker.purpose = .index
        return checker.run(text, nil) { checker, parsed in checker.condition(parsed) }
    }

    /// Checks the condition of a fetched property. In the tree, the object that has the property is
    /// the variable `source`. ``ModelExpression/binding(source:entity:destination:model:now:)``
    /// inserts its values.
    ///
    /// - Parameters:
    ///   - text: The condition. `$source` and `$FETCH_SOURCE` are the object that has the property,
    ///     `$FETCHED_PROPERTY.name` and `.userInfo.key` describe the property.
    ///   - property: The property's name.
    ///   - userInfo: The author's notes on the property.
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

    /// Checks the condition of a named request. Infers the types of parameters that declare none
    /// from their use.
    ///
    /// - Parameters:
    ///   - text: The condition in the grammar of predicate formats.
    ///   - entity: The entity whose objects it finds.
    ///   - model: The entity's model.
    ///   - parameters: The parameters that declare their types.
    ///   - undeclared: The names of the parameters without a type; nil allows any name. Unused
    ///     names are not in the result.
    /// - Returns: The condition, and the parameters with inferred types, in the order of the text.
    ///   If the uses of a parameter need different types, or give no type, it is a mistake.
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
            // A comparison of a parameter with nil gives no type, but another part of the text may
            // give one. The second round reports the mistakes of the first.
            let first = ExpressionChecker(entity: entity, model: model, parameters: parameters)
            first.inference = ParameterInference(names: undeclared.map { Set($0) })
            _ = first.condition(parsed)
            let found = first.inference?.parameters() ?? .success([])
            if case .failure(let failure) = found {
                // Other mistakes may be the reason why a type is unknown.
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
    /// Checks a condition that was built in code, and resolves its names.
    ///
    /// - Parameters:
    ///   - parameters: Values for `$name`.
    ///   - allowsParameters: Whether some `$name` may be left without a value for now.
    /// - Throws: The mistakes, with the parts of the tree.
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

    /// Checks an expression that was built in code and computes a value of a type. If the type is
    /// nil, any type is allowed.
    ///
    /// - Parameters:
    ///   - parameters: Values for `$name`.
    ///   - allowsParameters: Whether some `$name` may be left without a value for now.
    ///   - isFill: Whether it is the expression of a fill, which may use more functions.
    /// - Throws: The mistakes, with the parts of the tree.
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

    /// Checks a tree. If it is wrong, checks it again with numbers in place of offsets, to name the
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

/// The variables of a fill. Besides the object in the new version, it can use the object in the
/// previous version, by its old names.
package enum FillScope {
    /// The name of the object in the previous version, without the dollar sign.
    package static let former = "old"

    /// The variables that a path can start from.
    package static func variables(_ row: Entity?) -> [String: Entity] {
        row.map { [former: $0] } ?? [:]
    }

    /// Returns the old attributes that an expression uses, by their old names.
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
    /// Returns the values of an entity's objects that the fills of the next version can use: the
    /// stored attributes, including inherited ones.
    ///
    /// If the next version has the same enumeration, values keep the enumeration's type. Otherwise
    /// they have the type of the stored form, a string or an integer. The result is not an entity
    /// of a model. Its name is for messages, and it has no relationships.
    package func formerRow(of entity: Entity, in next: Model) -> Entity {
        Entity(
            name: "\(entity.name) of version \(version)",
            attributes: attributes(of: entity).filter { !$0.isTransient }.map { attribute in
                Attribute(
                    name: attribute.name, type: type(of: attribute, in: next),
                    // A derived value may be missing although it is required, for example after an
                    // overflow.
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

/// The variables of a fetched property's condition. Besides the objects that it finds, the
/// condition can use the object that has the property, and the property itself.
struct FetchedPropertyScope {
    /// The name of `$source` in the tree. The text may spell it in upper or lower case.
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
