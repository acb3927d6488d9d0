import CambiumRecords

/// The checks of an object.
struct ObjectValidation: ObjectAccess {
    let subject: ManagedObject

    /// Throws the validation errors of the object in its current state, for an insertion or an
    /// update.
    func throwValidationErrors() throws {
        // An object without a context will not be saved.
        if lifecycle == .invalid || lifecycle == .discarded,
            subject.managedObjectContext == nil
        {
            return
        }
        let errors = state.validationErrors(of: subject)
        if !errors.isEmpty { throw ValidationErrors.combined(errors) }
    }

    /// Throws if relationships prevent the deletion of the object.
    func throwDenials() throws {
        // Most entities have no relationship with the delete rule deny.
        if !uncounted(entity).use(\.deniesDeletion) { return }
        let deniers = subject.managedObjectContext?.deleteRules.deniers(of: subject) ?? []
        let errors = deniers.map { relationship, count in
            let name = relationship.relationship.name
            return ValidationError(
                code: .deleteDenied, entityName: entity.name,
                objectID: subject.objectID,
                property: name,
                message: "It cannot be deleted while \(name) has \(count) objects. "
                    + "Delete or move them first.")
        }
        if !errors.isEmpty { throw ValidationErrors.combined(errors) }
    }

    /// Returns the single errors in an error that a check threw. If it is not a validation error, a
    /// custom check has thrown it.
    func validationErrors(in error: any Error) -> [ValidationError] {
        switch error {
        case let error as ValidationError: [error]
        case let errors as ValidationErrors: errors.errors
        default:
            [
                ValidationError(
                    code: .custom, entityName: entity.name,
                    objectID: subject.objectID,
                    property: nil, message: "The object was refused: \(error)", underlying: error)
            ]
        }
    }

    /// Checks a value in place of an attribute's own, and returns the value that the checks may
    /// have repaired.
    func validated(_ value: Value, at path: [String]) throws -> Value {
        let name = path.joined(separator: ".")
        return try withTrialValues {
            // Throws if the name is not an attribute, if it is derived, or if the value does not
            // fit.
            try subject.setValue(value, forKey: name)
            var validator = Validator(object: subject, property: name)
            subject.validateProperties(into: &validator)
            var errors = validator.errors
            if validator.hasRunOwnChecks, !errors.isEmpty {
                // A custom check may have repaired a value that an earlier check rejected.
                var second = Validator(object: subject, property: name)
                subject.validateProperties(into: &second)
                errors = second.errors
            }
            if !errors.isEmpty { throw ValidationErrors.combined(errors) }
            return try subject.value(forKey: name)
        }
    }

    /// Runs a closure that may set attributes, and restores them. The context notices no change.
    private func withTrialValues<Result>(_ body: () throws -> Result) rethrows -> Result {
        let trial = RecordWriter.compactCopy(subject.readable, entity.shape)
        let (record, page, flags, unfit) = (
            subject.record, subject.page, subject.flags, extras?.unfitSlots
        )
        (subject.record, subject.page, subject.flags) = (trial.record, trial.page, .isReady)
        defer {
            (subject.record, subject.page, subject.flags) = (record, page, flags)
            extras?.unfitSlots = unfit ?? []
        }
        return try body()
    }
}

// An extension of the state, because objects can access it directly. Reading the context of each
// object takes time.
extension ContextState {
    /// Returns the validation errors of an object in its current state.
    func validationErrors(of object: ManagedObject) -> [ValidationError] {
        var validator = Validator(object: object)
        // Safety: the object's state retains the coordinator, and the coordinator retains the
        // descriptions.
        let evaluators = uncounted(object.entityDescription).use { self.evaluators(of: $0) }
        validator.validate(evaluators)
        guard !validator.errors.isEmpty, validator.hasRunOwnChecks else { return validator.errors }
        // A custom check may have repaired a value that an earlier check rejected.
        var secondLook = Validator(object: object)
        secondLook.validate(evaluators)
        return secondLook.errors
    }

    private func evaluators(of entity: EntityDescription) -> [RuleEvaluator] {
        guard !entity.rules.isEmpty else { return [] }
        if let known = ruleEvaluators[entity.index] { return known }
        let made = entity.rules.compactMap { rule -> RuleEvaluator? in
            // The compiler has checked the rule against this same model.
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

/// A rule with its evaluator.
struct RuleEvaluator {
    let rule: Rule
    let evaluator: ExpressionEvaluator
}

extension EntityKeys {
    /// Checks a value for an attribute before it is set. It checks the limits that the model sets,
    /// and runs the custom check of the attribute, which may repair the value. It does not change
    /// the object, and does not check rules, because they concern several properties.
    ///
    /// ```swift
    /// var sku = field.text ?? ""
    /// try product.validateValue(&sku, for: Product.sku)
    /// product.sku = sku
    /// ```
    ///
    /// The custom check runs on this object while the object has the value. It may read other
    /// properties; it should not set any.
    ///
    /// - Parameter key: An attribute of the object itself, or a part of a composite value.
    /// - Throws: A ``ValidationError``, or ``ValidationErrors`` if there are several;
    ///   ``StoreError`` with `unknownName` if the key is of another object, with `invalidRequest`
    ///   if the attribute is derived.
    public func validateValue<Value: AttributeValue>(
        _ value: inout Value, for key: some AttributeKey<Self, Value>
    ) throws {
        var optional: Value? = value
        try validateValue(&optional, for: key)
        if let optional { value = optional }
    }

    /// Checks a value for an optional attribute before it is set; see the function for values that
    /// are not nil.
    ///
    /// - Throws: The errors of that function. Nil for a required attribute is an error too.
    public func validateValue<Value: AttributeValue>(
        _ value: inout Value?, for key: some AttributeKey<Self, Value>
    ) throws {
        let repaired = try validation.validated(value?.attributeValue ?? .null, at: key.path)
        guard repaired != value?.attributeValue ?? .null else { return }
        value = Value(attributeValue: repaired)
    }

    /// Checks a value for an attribute before it is set, and ignores repairs.
    ///
    /// - Throws: The errors of ``validateValue(_:for:)-(Value,_)``.
    public func validate<Value: AttributeValue>(
        _ key: some AttributeKey<Self, Value>, _ value: Value?
    ) throws {
        var value = value
        try validateValue(&value, for: key)
    }

    /// Creates an error for a custom check to throw.
    ///
    /// ```swift
    /// extension Product {
    ///     func validatePrice(_ value: inout Decimal) throws {
    ///         guard value < 1000 else {
    ///             throw propertyValidationError(for: Product.price, "A price is below 1000")
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// A custom check may throw any error. This one names the object and the property, so that a
    /// form can display it beside the right field.
    ///
    /// - Parameters:
    ///   - key: An attribute of the object itself, or a part of a composite value.
    ///   - message: The message for the user. It may be logged: do not include the value.
    public func propertyValidationError<Value>(
        for key: some AttributeKey<Self, Value>, _ message: String
    ) -> ValidationError {
        propertyValidationError(
            forKey: key.path.joined(separator: "."), localizedDescription: message)
    }
}

extension ManagedObject {
    /// Creates an error for a custom check to throw, for a property by its name, including
    /// relationships. With a generated class, the function that takes a key is safer.
    ///
    /// - Parameters:
    ///   - name: The name of the property. It is not checked.
    ///   - message: The message for the user. It may be logged: do not include the value.
    public final func propertyValidationError(
        forKey name: String, localizedDescription message: String
    ) -> ValidationError {
        ValidationError(
            code: .custom, entityName: entityDescription.name, objectID: objectID, property: name,
            message: message)
    }
}
