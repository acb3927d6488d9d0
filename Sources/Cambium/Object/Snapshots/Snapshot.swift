/// The values of an object as they were at one moment: what crosses isolations, goes into a cache,
/// and is sent to other programs as JSON, when the object itself may not.
///
/// It has the properties of the class, with their types. To-one relationships read as the
/// ``ObjectID`` of what they lead to. It can be changed like any value, and an object can be made
/// from it, or brought up to date:
///
/// ```swift
/// var snapshot = try await container.performBackgroundTask { context in
///     try context.existingObject(with: id, as: Product.self).snapshot
/// }
/// snapshot.price = 12
/// let product = try Product(in: context, snapshot)
/// ```
///
/// Not part of it: to-many relationships, fetched properties and transient relationships, which
/// read as empty or nil. Values of transient attributes can be read, but are neither encoded nor
/// handed to an object.
///
/// The JSON has a key for each property that has a value, those of composite values nested, and
/// `objectID`.
///
/// - Complexity: Making one copies the row's values, large ones that lie in files included. Reading
///   a property costs several times what it costs at the object, about half a microsecond.
@dynamicMemberLookup
public struct Snapshot<Object: ManagedObject>: Sendable {
    /// The identity of the object; nil where the snapshot was decoded from a text that has none.
    public let objectID: ObjectID?

    var content: SnapshotContent

    /// The name of the object's own entity, which may be a sub-entity of the class's.
    public var entityName: String { content.entity.name }

    /// The value of a property, or what a computed property of the class makes of the values.
    public subscript<Value: Sendable>(dynamicMember property: KeyPath<Object, Value>) -> Value {
        let object: Object = content.detachedObject(isDraft: false)
        return object[keyPath: property]
    }

    /// The value of a property that can be set. Setting changes this snapshot only.
    public subscript<Value: Sendable>(
        dynamicMember property: ReferenceWritableKeyPath<Object, Value>
    ) -> Value {
        get {
            let object: Object = content.detachedObject(isDraft: false)
            return object[keyPath: property]
        }
        set {
            let object: Object = content.detachedObject(isDraft: true)
            object[keyPath: property] = newValue
            content.takeValues(of: object)
        }
    }

    /// The identity of the object that a to-one relationship leads to. Setting changes this
    /// snapshot only.
    public subscript<Destination>(
        dynamicMember relationship: KeyPath<Object.Type, ToOneKey<Object, Destination>>
    ) -> ObjectID? {
        get {
            content.ordinal(of: Object.self[keyPath: relationship].path)
                .flatMap { content.destinations[$0] }
        }
        set {
            guard let ordinal = content.ordinal(of: Object.self[keyPath: relationship].path) else {
                return
            }
            content.destinations[ordinal] = newValue
        }
    }
}

extension Snapshot {
    /// Takes the values of an object as they are now, unsaved ones included.
    ///
    /// - Complexity: Reads the row where the object is a fault, and the other row for each
    ///   one-to-one relationship whose key that other side keeps.
    public init(_ object: Object) {
        objectID = object.objectID
        content = SnapshotContent(of: object)
    }
}

extension Snapshot: Hashable {
    /// Whether both are of the same object and hold the same values.
    public static func == (one: Snapshot, other: Snapshot) -> Bool {
        one.objectID == other.objectID && one.content == other.content
    }

    /// Hashes the identity and the values.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(objectID)
        content.hash(into: &hasher)
    }
}

extension Snapshot: CustomStringConvertible {
    /// The identity, such as `Snapshot of Product/42`; no values, which may be private.
    public var description: String {
        "Snapshot of \(objectID.map { "\($0)" } ?? entityName)"
    }
}
