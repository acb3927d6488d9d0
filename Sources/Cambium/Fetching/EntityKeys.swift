/// What the keys of generated classes build on: `Product.price` is a key because `Product` conforms
/// to `ProductKeys`, which refines this protocol. A sub-entity inherits its parent's keys with its
/// own type.
public protocol EntityKeys: ManagedObject {}

extension EntityKeys {
    /// A request for the objects of this class's entity and its sub-entities.
    public static func fetchRequest() -> FetchRequest<Self> {
        FetchRequest()
    }
}
