/// An argument for `%@` in the text of a condition: an attribute value, an object or its id, a list
/// of them, or nil.
///
/// ```swift
/// request.filter(format: "price < %@ AND category IN %@", limit, categories)
/// ```
public protocol PredicateArgument {
    /// Returns the argument in the form that the parser accepts.
    ///
    /// - Parameter objects: Receives the objects in the argument. A request checks that they belong
    ///   to its stores.
    func argument(naming objects: inout [ObjectID]) -> FormatArgument
}

extension AttributeValue {
    /// The value.
    public func argument(naming objects: inout [ObjectID]) -> FormatArgument {
        .value(attributeValue)
    }
}

extension FormatArgument: PredicateArgument {
    /// The argument itself.
    public func argument(naming objects: inout [ObjectID]) -> FormatArgument { self }
}

extension ObjectID: PredicateArgument {
    /// The object's entity and key.
    public func argument(naming objects: inout [ObjectID]) -> FormatArgument {
        objects.append(self)
        return .object(entity: entityName, key: key)
    }
}

extension ManagedObject: PredicateArgument {
    /// The object's entity and key.
    public final func argument(naming objects: inout [ObjectID]) -> FormatArgument {
        objectID.argument(naming: &objects)
    }
}

extension Optional: PredicateArgument where Wrapped: PredicateArgument {
    /// The value, or nil.
    public func argument(naming objects: inout [ObjectID]) -> FormatArgument {
        self?.argument(naming: &objects) ?? .value(.null)
    }
}

extension Array: PredicateArgument where Element: PredicateArgument {
    /// A list of values or of objects.
    public func argument(naming objects: inout [ObjectID]) -> FormatArgument {
        .listing(self, naming: &objects)
    }
}

extension Set: PredicateArgument where Element: PredicateArgument {
    /// A list of values or of objects, in no particular order.
    public func argument(naming objects: inout [ObjectID]) -> FormatArgument {
        .listing(self, naming: &objects)
    }
}

extension FormatArgument {
    /// Returns a list of the arguments' values; nested lists are flattened.
    fileprivate static func listing(
        _ elements: some Sequence<some PredicateArgument>, naming objects: inout [ObjectID]
    ) -> FormatArgument {
        var values: [Value] = []
        var keys: [Int64] = []
        var entity: String?
        for element in elements {
            switch element.argument(naming: &objects) {
            case .value(let value): values.append(value)
            case .list(let list): values += list
            case .object(let name, let key):
                keys.append(key)
                entity = entity ?? name
            case .objects(let name, let list):
                keys += list
                entity = entity ?? name
            }
        }
        return entity.map { .objects(entity: $0, keys: keys) } ?? .list(values)
    }
}
