extension EntityKeys {
    /// Checks a value that an attribute might be set to: the limits that the model sets for it, and
    /// the program's own check of the attribute, which may repair the value. The object itself is
    /// not changed, and rules, which concern several properties, are not looked at.
    ///
    /// ```swift
    /// var sku = field.text
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
    /// - Throws: What ``validateValue(_:for:)`` throws.
    public func validate<Value: AttributeValue>(
        _ key: some AttributeKey<Self, Value>, _ value: Value?
    ) throws {
        var value = value
        try validateValue(&value, for: key)
    }

    /// The error for a check of the program's own to throw.
    ///
    /// ```swift
    /// extension Place {
    ///     func validateLongitude(_ value: inout Double) throws {
    ///         guard (-180...180).contains(value) else {
    ///             throw propertyValidationError(
    ///                 for: Place.longitude, "Longitude has to be in the range -180...180")
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
