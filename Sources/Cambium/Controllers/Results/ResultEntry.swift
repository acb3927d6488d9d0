/// An object in a controller's results, with the values that decided its place.
final class ResultEntry<Entity: ManagedObject> {
    let object: Entity
    /// The values of the order's terms; the first is the section's, where there are sections.
    var keys: [Value]
    /// The version of the object's row when the controller last looked; nil where it had unsaved
    /// changes.
    var version: Int64?

    init(_ object: Entity, keys: [Value]) {
        self.object = object
        self.keys = keys
        version = object.settledVersion
    }

    /// Notes that the controller has looked at the object.
    ///
    /// - Returns: Whether it may have other values than the last time.
    func look() -> Bool {
        let current = object.settledVersion
        defer { version = current }
        return current == nil || current != version
    }
}

extension [Value] {
    /// Whether both have the same place in an order. Not the same as `==`, which takes strings to
    /// be equal that differ in bytes.
    func hasSamePlace(as other: [Value]) -> Bool {
        zip(self, other).allSatisfy { $0.order(relativeTo: $1) == 0 }
    }
}
