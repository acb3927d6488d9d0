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

    /// The identity of the object that a to-one relationship leads to: `row[Product.category]`.
    public subscript<Root, Destination>(key: ToOneKey<Root, Destination>) -> ObjectID? {
        self[key.path.joined(separator: ".")]?.objectID
    }
}
