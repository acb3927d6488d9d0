extension FetchRequest {
    /// A request for rows of values: a tuple for each object, with the columns that are named.
    ///
    /// ```swift
    /// let rows = try context.fetch(
    ///     Product.fetchRequest().select(Product.title, Product.price.required))
    /// // [(String?, Decimal)]
    /// ```
    ///
    /// The compiler knows the type of each column. It is optional unless it is a count, an identity
    /// or ``KeyExpression/required``, as a path may lead through a missing object.
    /// ``ResultRequest/map(_:)`` makes a struct of each row. With aggregates only, there is one row
    /// for all objects.
    ///
    /// - Parameter columns: Keys of attributes and to-one relationships, computed keys, aggregates.
    public func select<each Output>(
        _ columns: repeat any ResultColumn<Entity, each Output>
    ) -> ResultRequest<Entity, (repeat each Output)> {
        var expressions: [ResultExpression] = []
        var objects: [ObjectID] = []
        for column in repeat each columns {
            expressions.append(column.resultExpression)
            objects += column.reading.objects
        }
        let readings = (repeat (each columns).reading)
        return ResultRequest(
            base: self, columns: .selected(expressions, names: []), objects: objects
        ) { _, values in
            var reader = ResultReader(values: values)
            return (repeat try reader.next(each readings))
        }
    }

    /// A request for dictionaries, for generic code: values by the names of properties.
    ///
    /// - Parameter names: Attributes, parts of composite values, and to-one relationships, which
    ///   give the identity of the object; or dotted paths through to-one relationships to them.
    ///   None means all attributes, without those whose values the store cannot look into. Nil values
    ///   are left out.
    public func dictionaries(
        _ names: String...
    ) -> ResultRequest<Entity, [String: PropertyValue]> {
        dictionaries(names)
    }

    /// A request for dictionaries, for generic code that has the names in a list.
    ///
    /// - Parameter names: Attributes, parts of composite values, and to-one relationships, or dotted
    ///   paths through to-one relationships to them. An empty list means all attributes, without
    ///   those whose values the store cannot look into. Nil values are left out.
    public func dictionaries(
        _ names: [String]
    ) -> ResultRequest<Entity, [String: PropertyValue]> {
        ResultRequest(
            base: self, columns: names.isEmpty ? .attributes : .paths(names),
            makeRow: Self.dictionary)
    }

    /// A request for dictionaries of what is computed, by names of one's own:
    /// `["total": Product.price.sum.resultExpression]`.
    public func dictionaries(
        _ columns: [String: ResultExpression]
    ) -> ResultRequest<Entity, [String: PropertyValue]> {
        let sorted = columns.ordered { $0.key < $1.key }
        return ResultRequest(
            base: self, columns: .selected(sorted.map { $0.value }, names: sorted.map { $0.key }),
            makeRow: Self.dictionary)
    }

    @Sendable private static func dictionary(
        _ names: [String], _ values: [PropertyValue]
    ) -> [String: PropertyValue] {
        var row = [String: PropertyValue]()
        for (name, value) in zip(names, values) {
            if value == .value(.null) || value == .toOne(nil) { continue }
            row[name] = value
        }
        return row
    }
}

/// Takes the values of a row one after the other.
private struct ResultReader {
    let values: [PropertyValue]
    var index = 0

    mutating func next<Output>(_ reading: ColumnReading<Output>) throws -> Output {
        defer { index += 1 }
        return try reading.output(index < values.count ? values[index] : .value(.null))
    }
}

/// A request for the identities of objects instead of the objects: ``FetchRequest/ids``.
public struct IDRequest<Entity: ManagedObject>: Sendable {
    /// Which objects.
    public var base: FetchRequest<Entity>
}

/// A request for the number of objects instead of the objects: ``FetchRequest/count``.
public struct CountRequest<Entity: ManagedObject>: Sendable {
    /// Which objects.
    public var base: FetchRequest<Entity>
}

extension FetchRequest {
    /// The request for identities. They can be sent to another isolation, and looked up there.
    ///
    /// ```swift
    /// let ids = try context.fetch(Product.fetchRequest().filter(Product.stock == 0).ids)
    /// ```
    public var ids: IDRequest<Entity> { IDRequest(base: self) }

    /// The request for the number of objects.
    public var count: CountRequest<Entity> { CountRequest(base: self) }
}

extension ManagedObjectContext {
    /// Counts objects, as ``count(for:)`` does.
    ///
    /// - Throws: ``StoreError`` where the request cannot be run; what the store threw.
    public func fetch<Entity: ManagedObject>(_ request: CountRequest<Entity>) throws -> Int {
        try count(for: request.base)
    }

    /// Finds the identities of objects, in the request's order.
    ///
    /// The rows are read too and go into the coordinator's row cache, where they replace older
    /// ones: a fault that is looked at afterwards needs no statement, and shows what the store has.
    /// Without ``FetchRequest/includesPropertyValues`` only keys are read, and the row cache lets
    /// go of rows that are not what they were. Objects that the context has keep their values.
    ///
    /// - Throws: ``StoreError`` where the request cannot be run; what the store threw.
    public func fetch<Entity: ManagedObject>(_ request: IDRequest<Entity>) throws -> [ObjectID] {
        mergeIfAutomatic()
        processChanges()
        let rows = try fetching.rowRequest(for: request.base)
        let options = request.base.options(for: rows.entity)
        if options.includesPendingChanges, fetching.countsPendingChanges {
            return try fetching.objects(rows, true).map { $0.objectID }
        }
        let entities = coordinator.model.entities
        let store = coordinator.storeIdentifier(ofRoot: rows.entity.rootIndex)
        return try fetching.members(
            of: rows, fillsRowCache: options.includesPropertyValues
        ).map {
            ObjectID(entities[$0.entity], key: $0.key, store: store)
        }
    }
}

// Values out of a dictionary of results, in their types. What the dictionary does not have, or has
// with another type, is nil.

extension Dictionary where Key == String, Value == PropertyValue {
    /// The value of an attribute: `row[Product.price]`, a `Decimal?`.
    ///
    /// The dictionary has it under the key's dotted path, the name that was given to
    /// ``FetchRequest/dictionaries(_:)-([String])``. Also for ``ManagedObject/changedValues()``.
    public subscript<Root, Attribute: AttributeValue>(
        key: Cambium.Key<Root, Attribute>
    ) -> Attribute? {
        self[key.path.joined(separator: ".")]?.as()
    }

    /// The identity of the object that a to-one relationship references: `row[Product.category]`.
    public subscript<Root, Destination>(key: ToOneKey<Root, Destination>) -> ObjectID? {
        self[key.path.joined(separator: ".")]?.objectID
    }
}
