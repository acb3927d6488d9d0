extension ManagedObject {
    /// Checks the object as a save would before it inserts it.
    ///
    /// Every limit, every rule of the model and every check of the program's own is looked at, and
    /// all that is wrong is thrown at once. Checks of the program's own may repair values. What
    /// only the store can know (that a value is unique) shows when it is saved.
    ///
    /// - Throws: A ``ValidationError``, or ``ValidationErrors`` where there are several.
    public final func validateForInsert() throws {
        try throwValidationErrors()
    }

    /// Checks the object as a save would before it updates it: the same as ``validateForInsert()``.
    ///
    /// - Throws: A ``ValidationError``, or ``ValidationErrors`` where there are several.
    public final func validateForUpdate() throws {
        try throwValidationErrors()
    }

    /// Checks that no relationship with the delete rule deny keeps the object from being deleted.
    ///
    /// - Throws: A ``ValidationError``, or ``ValidationErrors`` where there are several.
    public final func validateForDelete() throws {
        let deniers = managedObjectContext?.deniers(of: self) ?? []
        let errors = deniers.map { relationship, count in
            let name = relationship.relationship.name
            return ValidationError(
                code: .deleteDenied, entityName: entityDescription.name, objectID: objectID,
                property: name,
                message: "\(name) has \(count) objects and denies the delete. Remove them first.")
        }
        if !errors.isEmpty { throw ValidationErrors.combined(errors) }
    }

    private final func throwValidationErrors() throws {
        let errors = managedObjectContext?.validationErrors(of: self) ?? []
        if !errors.isEmpty { throw ValidationErrors.combined(errors) }
    }
}
