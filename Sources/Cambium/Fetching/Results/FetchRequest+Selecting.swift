extension FetchRequest {
    /// Returns a request for rows of values: a tuple for each object, with the named columns.
    ///
    /// ```swift
    /// let rows = try context.fetch(
    ///     Product.fetchRequest().select(Product.title, Product.price.required))
    /// // [(String?, Decimal)]
    /// ```
    ///
    /// The compiler knows the type of each column. It is optional, because a path may pass through
    /// a missing object, unless it is a count, an identity or ``KeyExpression/required``.
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

    /// Returns a request for dictionaries of values by property name, for generic code.
    ///
    /// - Parameter names: Attributes, parts of composite values, to-one relationships (their value
    ///   is the identity of the object), or dotted paths to them through to-one relationships.
    ///   Without names, the result has all attributes that the store can read. Nil values are
    ///   omitted.
    public func dictionaries(
        _ names: String...
    ) -> ResultRequest<Entity, [String: PropertyValue]> {
        dictionaries(names)
    }

    /// Returns a request for dictionaries, for generic code that has the names in a list.
    ///
    /// - Parameter names: Attributes, parts of composite values, and to-one relationships, or
    ///   dotted paths to them through to-one relationships. With an empty list, the result has all
    ///   attributes that the store can read. Nil values are omitted.
    public func dictionaries(
        _ names: [String]
    ) -> ResultRequest<Entity, [String: PropertyValue]> {
        ResultRequest(
            base: self, columns: names.isEmpty ? .attributes : .paths(names),
            makeRow: Self.dictionary)
    }

    /// Returns a request for dictionaries of computed values, with names that you choose:
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

/// Reads the values of a row in order.
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
    /// The request for the objects.
    public var base: FetchRequest<Entity>
}

/// A request for the number of objects instead of the objects: ``FetchRequest/count``.
public struct CountRequest<Entity: ManagedObject>: Sendable {
    /// The request for the objects.
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
    /// - Throws: ``StoreError`` if the request cannot be run; any error of the store.
    public func fetch<Entity: ManagedObject>(_ request: CountRequest<Entity>) throws -> Int {
        try count(for: request.base)
    }

    /// Finds the identities of objects, in the request's order.
    ///
    /// The fetch also reads the rows and puts them into the coordinator's row cache, in place of
    /// older rows. A fault that is accessed afterwards needs no statement and shows the stored
    /// values. Without ``FetchRequest/includesPropertyValues``, only keys are read, and the row
    /// cache removes rows that are out of date. Objects that the context has keep their values.
    ///
    /// - Throws: ``StoreError`` if the request cannot be run; any error of the store.
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

// Typed access to the values in a dictionary of results. A missing value, or a value of another
// type, is nil.

extension Dictionary where Key == String, Value == PropertyValue {
    /// The value of an attribute: `row[Product.price]`, a `Decimal?`.
    ///
    /// Its key in the dictionary is the attribute's dotted path, the name that
    /// ``FetchRequest/dictionaries(_:)-([String])`` takes. This also works for
    /// ``ManagedObject/changedValues()``.
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
