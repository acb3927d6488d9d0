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
        let sorted = columns.sorted { $0.key < $1.key }
        return ResultRequest(
            base: self, columns: .selected(sorted.map(\.value), names: sorted.map(\.key)),
            makeRow: Self.dictionary)
    }

    @Sendable private static func dictionary(
        _ names: [String], _ values: [PropertyValue]
    ) -> [String: PropertyValue] {
        var row: [String: PropertyValue] = [:]
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
