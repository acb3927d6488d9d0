import CambiumRecords

extension ManagedObject {
    /// What is wrong with the object as it is now, to be inserted or updated.
    final func throwValidationErrors() throws {
        // What is no object of a context any more is not going to be saved.
        if lifecycle == .gone || lifecycle == .discarded, managedObjectContext == nil { return }
        let errors = state.validationErrors(of: self)
        if !errors.isEmpty { throw ValidationErrors.combined(errors) }
    }

    /// What keeps the object from being deleted.
    final func throwDenials() throws {
        // Most entities deny nothing.
        if !uncounted(entityDescription).use(\.deniesDeletion) { return }
        let deniers = managedObjectContext?.deniers(of: self) ?? []
        let errors = deniers.map { relationship, count in
            let name = relationship.relationship.name
            return ValidationError(
                code: .deleteDenied, entityName: entityDescription.name, objectID: objectID,
                property: name,
                message: "It cannot be deleted while \(name) has \(count) objects. "
                    + "Delete or move them first.")
        }
        if !errors.isEmpty { throw ValidationErrors.combined(errors) }
    }

    /// The errors of an error that a check threw, one by one. What is no error of validation is one
    /// that a check of the program's own has thrown.
    final func validationErrors(in error: any Error) -> [ValidationError] {
        switch error {
        case let error as ValidationError: [error]
        case let errors as ValidationErrors: errors.errors
        default:
            [
                ValidationError(
                    code: .custom, entityName: entityDescription.name, objectID: objectID,
                    property: nil, message: "The object was refused: \(error)", underlying: error)
            ]
        }
    }

    /// Checks a value in the place of an attribute's own, and gives what the checks made of it.
    final func validated(_ value: Value, at path: [String]) throws -> Value {
        let name = path.joined(separator: ".")
        return try withTrialValues {
            // Refuses what is no attribute, is derived or does not fit.
            try setValue(value, forKey: name)
            var validator = Validator(object: self, property: name)
            validateProperties(into: &validator)
            var errors = validator.errors
            if validator.hasRunOwnChecks, !errors.isEmpty {
                // It may have repaired what an earlier check refused.
                var second = Validator(object: self, property: name)
                validateProperties(into: &second)
                errors = second.errors
            }
            if !errors.isEmpty { throw ValidationErrors.combined(errors) }
            return try self.value(forKey: name)
        }
    }

    /// Runs a body that may set attributes, and takes everything back: for the context nothing has
    /// happened.
    private final func withTrialValues<Result>(_ body: () throws -> Result) rethrows -> Result {
        let trial = RecordWriter.compactCopy(readable, entityDescription.shape)
        let (record, page, flags, unfit) = (record, page, flags, extras?.unfitSlots)
        (self.record, self.page, self.flags) = (trial.record, trial.page, .isReady)
        defer {
            (self.record, self.page, self.flags) = (record, page, flags)
            if let unfit {
                extras?.unfitSlots = unfit
            } else {
                extras?.unfitSlots = []
            }
        }
        return try body()
    }
}
