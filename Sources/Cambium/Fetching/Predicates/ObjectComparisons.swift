// Comparisons with objects. A condition keeps the identities, so that a request can reject objects
// of other stores. Their keys may equal the keys of different objects here.

extension ToOneKey {
    /// References the object, or no object if the argument is nil.
    public static func == (key: ToOneKey, object: Destination?) -> Condition<Root> {
        key.compared(.equal, object?.objectID)
    }

    /// Does not reference the object. With nil: references an object.
    public static func != (key: ToOneKey, object: Destination?) -> Condition<Root> {
        key.compared(.notEqual, object?.objectID)
    }

    /// References the object with that id.
    public static func == (key: ToOneKey, id: ObjectID) -> Condition<Root> {
        key.compared(.equal, id)
    }

    /// Does not reference the object with that id.
    public static func != (key: ToOneKey, id: ObjectID) -> Condition<Root> {
        key.compared(.notEqual, id)
    }

    /// References the same object as another relationship, or both reference no object.
    public static func == (key: ToOneKey, other: ToOneKey) -> Condition<Root> {
        Condition(.comparison(key.expression, .equal, other.expression, []))
    }

    /// References a different object than another relationship.
    public static func != (key: ToOneKey, other: ToOneKey) -> Condition<Root> {
        Condition(.comparison(key.expression, .notEqual, other.expression, []))
    }

    /// References one of the objects.
    public func `in`(_ objects: some Sequence<Destination>) -> Condition<Root> {
        self.in(objects.map { $0.objectID })
    }

    /// References one of the objects with these ids.
    public func `in`(_ ids: some Sequence<ObjectID>) -> Condition<Root> {
        .among(ids, expression)
    }

    private func compared(_ relation: ComparisonOperator, _ id: ObjectID?) -> Condition<Root> {
        Condition(
            .comparison(expression, relation, .literal(id.keyConstant), []),
            objects: id.map { [$0] } ?? [])
    }

    /// The identity of the referenced object: `Product.category.objectID == id` means the same as
    /// `Product.category == id`.
    public var objectID: ToOneKey { self }
}

extension ToManyKey {
    /// The relationship contains the object.
    public func contains(_ object: Destination) -> Condition<Root> {
        contains(object.objectID)
    }

    /// The relationship contains the object with that id.
    public func contains(_ id: ObjectID) -> Condition<Root> {
        Condition(.comparison(.literal(.int(id.key)), .in, expression, []), objects: [id])
    }
}

extension ObjectIDKey {
    /// The object is the one with that id.
    public static func == (key: ObjectIDKey, id: ObjectID) -> Condition<Root> {
        .object(id)
    }

    /// The object is not the one with that id.
    public static func != (key: ObjectIDKey, id: ObjectID) -> Condition<Root> {
        Condition(
            .comparison(key.expression, .notEqual, .literal(.int(id.key)), []), objects: [id])
    }

    /// The object is the given one.
    public static func == (key: ObjectIDKey, object: Root) -> Condition<Root> {
        key == object.objectID
    }

    /// The object is not the given one.
    public static func != (key: ObjectIDKey, object: Root) -> Condition<Root> {
        key != object.objectID
    }

    /// The object is the one that its own relationship references.
    public static func == <Other>(
        key: ObjectIDKey, other: ToOneKey<Root, Other>
    ) -> Condition<Root> {
        Condition(.comparison(key.expression, .equal, other.expression, []))
    }

    /// The object is not the one that its own relationship references. True if the relationship is
    /// nil.
    public static func != <Other>(
        key: ObjectIDKey, other: ToOneKey<Root, Other>
    ) -> Condition<Root> {
        Condition(.comparison(key.expression, .notEqual, other.expression, []))
    }

    /// The object has one of these ids.
    public func `in`(_ ids: some Sequence<ObjectID>) -> Condition<Root> {
        .in(ids)
    }

    /// The object is one of these.
    public func `in`(_ objects: some Sequence<Root>) -> Condition<Root> {
        .in(objects)
    }

    private var expression: ModelExpression { .keyPath(root: .subject, names: []) }
}

extension Condition {
    /// The object is the one with that id.
    public static func object(_ id: ObjectID) -> Condition {
        Condition(
            .comparison(.keyPath(root: .subject, names: []), .equal, .literal(.int(id.key)), []),
            objects: [id])
    }

    /// The object has one of these ids: `Product.price < 20 && .in(ids)`.
    public static func `in`(_ ids: some Sequence<ObjectID>) -> Condition {
        among(ids, .keyPath(root: .subject, names: []))
    }

    /// The object is one of these.
    public static func `in`(_ objects: some Sequence<Root>) -> Condition {
        self.in(objects.map { $0.objectID })
    }

    fileprivate static func among(
        _ ids: some Sequence<ObjectID>, _ expression: ModelExpression
    ) -> Condition {
        let ids = Array(ids)
        return Condition(
            .comparison(expression, .in, .list(ids.map { .literal(.int($0.key)) }), []),
            objects: ids)
    }
}

extension ObjectID? {
    fileprivate var keyConstant: CambiumModel.Value {
        map { .int($0.key) } ?? .null
    }
}
