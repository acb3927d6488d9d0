extension ManagedObject: Identifiable {
    /// The type of the identity.
    public typealias ID = ObjectID
}

// A member of the protocol and not of the class, so that a model may have an attribute of that name:
// `product.id` is the attribute then, while lists of views go on with the object's identity.
extension Identifiable where Self: ManagedObject {
    /// The object's identity, ``ManagedObject/objectID``: what lists tell objects apart by. Of a
    /// class whose entity has an attribute `id`, this name means the attribute.
    public var id: ObjectID { objectID }
}
