/// An object on its way into a controller's results.
struct ResultEntry {
    let key: Int64
    /// The object; may be nil where the results keep none.
    let object: ManagedObject?
    /// The values of the order's terms; the first is the section's, where there are sections.
    let keys: [Value]
    /// How the object looked.
    let seen: SeenState

    init(_ object: ManagedObject, keys: [Value]) {
        self.init(object, keys: keys, seen: SeenState(of: object))
    }

    init(_ object: ManagedObject, keys: [Value], seen: SeenState) {
        self.init(key: object.key, object, keys: keys, seen: seen)
    }

    init(key: Int64, _ object: ManagedObject?, keys: [Value], seen: SeenState) {
        self.key = key
        self.object = object
        self.keys = keys
        self.seen = seen
    }

    func precedes(_ other: ResultEntry, _ order: ObjectOrder) -> Bool {
        order.precedes(keys, key, other.keys, other.key)
    }
}
