extension BatchUpdateRequest {
    // MARK: Constants

    /// The request that sets an attribute, or takes its value away. A required attribute that is
    /// set to nil makes the request fail.
    public func set<Value: AttributeValue>(
        _ key: Key<Entity, Value>, to value: Value?
    ) -> Self {
        assigning(key.path, .constant(value?.attributeValue ?? .null))
    }

    /// The request that sets a codable attribute, or takes its value away.
    public func set<Value: Codable & Sendable>(
        _ key: OpaqueKey<Entity, Value>, to value: Value?
    ) -> Self {
        guard let value else { return assigning(key.path, .constant(.null)) }
        let json = try? JSONCodec().json(of: value)
        return assigning(key.path, .json(json.map { String(decoding: $0, as: UTF8.self) }))
    }

    /// The request that sets an attribute of data that may lie in a file, or takes its value away.
    /// The value is written once for each object.
    public func set(_ key: OpaqueKey<Entity, Data>, to value: Data?) -> Self {
        assigning(key.path, .constant(value.map { .data($0) } ?? .null))
    }

    /// Says why a transient attribute cannot be set.
    @available(*, unavailable, message: "A TransientKey names what is not in the store.")
    public func set<Value>(_ key: TransientKey<Entity, Value>, to value: Value?) -> Self { self }

    // MARK: Relationships

    /// The request that leads a to-one relationship to an object, or nowhere. The other side of a
    /// one-to-one, which does not keep the key, cannot be set.
    public func set<Destination: ManagedObject>(
        _ key: ToOneKey<Entity, Destination>, to object: ObjectID?
    ) -> Self {
        assigning(key.path, .object(object))
    }

    /// The request that leads a to-one relationship to a saved object.
    public func set<Destination: ManagedObject>(
        _ key: ToOneKey<Entity, Destination>, to object: Destination
    ) -> Self {
        assigning(key.path, .object(object.objectID))
    }

    // MARK: Expressions

    /// The request that sets an attribute to another one, or to what is computed of others:
    /// `set(Product.price, to: Product.price * 2)`. It is computed for each object, from the values
    /// before the operation, and may look at related objects. Where the result is nil the attribute
    /// loses its value; a required one makes the request fail.
    public func set<Value: AttributeValue>(
        _ key: Key<Entity, Value>, to expression: some KeyExpression<Entity, Value>
    ) -> Self {
        assigning(key.path, .expression(expression.expression, expression.objects))
    }

    /// The request that sets an attribute to what a tree computes for each object. It is checked
    /// against the model when the request is executed.
    public func set<Value: AttributeValue>(
        _ key: Key<Entity, Value>, to expression: ModelExpression
    ) -> Self {
        assigning(key.path, .expression(expression, []))
    }

    /// The request that sets an attribute to what an expression computes for each object, written
    /// in the grammar of predicate formats: `"price * 2"`. It is parsed and checked against the
    /// model when the request is executed.
    public func set<Value: AttributeValue>(
        _ key: Key<Entity, Value>, toResultOf expression: String
    ) -> Self {
        assigning(key.path, .text(expression))
    }

    // MARK: By name

    /// The request that sets a property by its name, for generic code. A to-one relationship takes
    /// the ``ObjectID/key`` of the object that it leads to, as an `.int`.
    public func setValue(_ value: CambiumModel.Value, forKey name: String) -> Self {
        assigning([name], .constant(value))
    }

    /// The request that sets an attribute by its name to what an expression computes.
    public func setResult(of expression: ModelExpression, forKey name: String) -> Self {
        assigning([name], .expression(expression, []))
    }

    /// The request that sets an attribute by its name to what an expression in the grammar of
    /// predicate formats computes.
    public func setResult(of expression: String, forKey name: String) -> Self {
        assigning([name], .text(expression))
    }
}
