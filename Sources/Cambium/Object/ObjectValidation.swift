import CambiumRecords

/// The checks of an object.
struct ObjectValidation: ObjectAccess {
    let subject: ManagedObject

    /// What is wrong with the object as it is now, to be inserted or updated.
    func throwValidationErrors() throws {
        // What is no object of a context any more is not going to be saved.
        if lifecycle == .invalid || lifecycle == .discarded,
            subject.managedObjectContext == nil
        {
            return
        }
        let errors = state.validationErrors(of: subject)
        if !errors.isEmpty { throw ValidationErrors.combined(errors) }
    }

    /// What keeps the object from being deleted.
    func throwDenials() throws {
        // Most entities deny nothing.
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

    /// The errors of an error that a check threw, one by one. What is no error of validation is one
    /// that a check of the program's own has thrown.
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

    /// Checks a value in the place of an attribute's own, and gives what the checks made of it.
    func validated(_ value: Value, at path: [String]) throws -> Value {
        let name = path.joined(separator: ".")
        return try withTrialValues {
            // Refuses what is no attribute, is derived or does not fit.
            try subject.setValue(value, forKey: name)
            var validator = Validator(object: subject, property: name)
            subject.validateProperties(into: &validator)
            var errors = validator.errors
            if validator.hasRunOwnChecks, !errors.isEmpty {
                // It may have repaired what an earlier check refused.
                var second = Validator(object: subject, property: name)
                subject.validateProperties(into: &second)
                errors = second.errors
            }
            if !errors.isEmpty { throw ValidationErrors.combined(errors) }
            return try subject.value(forKey: name)
        }
    }

    /// Runs a body that may set attributes, and takes everything back: for the context nothing has
    /// happened.
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

extension EntityKeys {
    /// Checks a value that an attribute might be set to: the limits that the model sets for it, and
    /// the program's own check of the attribute, which may repair the value. The object itself is
    /// not changed, and rules, which concern several properties, are not looked at.
    ///
    /// ```swift
    /// var sku = field.text ?? ""
    /// try product.validateValue(&sku, for: Product.sku)
    /// product.sku = sku
    /// ```
    ///
    /// The program's own check runs on this object while it shows the value, so it may look at
    /// other properties; it should set none.
    ///
    /// - Parameter key: An attribute of the object itself, or a part of a composite value.
    /// - Throws: A ``ValidationError``, or ``ValidationErrors`` where there are several;
    ///   ``StoreError`` with `unknownName` where the key leads to another object, with
    ///   `invalidRequest` where the attribute is derived.
    public func validateValue<Value: AttributeValue>(
        _ value: inout Value, for key: some AttributeKey<Self, Value>
    ) throws {
        var optional: Value? = value
        try validateValue(&optional, for: key)
        if let optional { value = optional }
    }

    /// Checks a value that an optional attribute might be set to; see the function for values that
    /// are not nil.
    ///
    /// - Throws: What that one throws; nil where the attribute is required is an error too.
    public func validateValue<Value: AttributeValue>(
        _ value: inout Value?, for key: some AttributeKey<Self, Value>
    ) throws {
        let repaired = try validation.validated(value?.attributeValue ?? .null, at: key.path)
        guard repaired != value?.attributeValue ?? .null else { return }
        value = Value(attributeValue: repaired)
    }

    /// Checks a value that an attribute might be set to, where a repair is of no interest.
    ///
    /// - Throws: What ``validateValue(_:for:)-(Value,_)`` throws.
    public func validate<Value: AttributeValue>(
        _ key: some AttributeKey<Self, Value>, _ value: Value?
    ) throws {
        var value = value
        try validateValue(&value, for: key)
    }

    /// The error for a check of the program's own to throw.
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
    /// Any error may be thrown there; this one names the object and the property, so that a form
    /// can show it where it belongs.
    ///
    /// - Parameters:
    ///   - key: An attribute of the object itself, or a part of a composite value.
    ///   - message: What a person should read. It may get into logs: leave the value out.
    public func propertyValidationError<Value>(
        for key: some AttributeKey<Self, Value>, _ message: String
    ) -> ValidationError {
        propertyValidationError(
            forKey: key.path.joined(separator: "."), localizedDescription: message)
    }
}

extension ManagedObject {
    /// The error for a check of the program's own to throw, for a property known by its name, a
    /// relationship too. Where there is a generated class, the function that takes a key is safer.
    ///
    /// - Parameters:
    ///   - name: The name of the property, which is not looked up.
    ///   - message: What a person should read. It may get into logs: leave the value out.
    public final func propertyValidationError(
        forKey name: String, localizedDescription message: String
    ) -> ValidationError {
        ValidationError(
            code: .custom, entityName: entityDescription.name, objectID: objectID, property: name,
            message: message)
    }
}
