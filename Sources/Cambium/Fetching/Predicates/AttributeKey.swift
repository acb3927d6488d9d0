/// A key of an attribute, whatever can be asked of the attribute: a ``Key``, which is for
/// conditions and orders, an ``OpaqueKey``, or a ``TransientKey``.
public protocol AttributeKey<Root, Value>: Sendable {
    /// The class of the objects that have the attribute, or lead to it.
    associatedtype Root: ManagedObject
    /// The type of the values.
    associatedtype Value
    /// The names from the object to the attribute.
    var path: [String] { get }
}

extension Key: AttributeKey {}

/// An attribute whose values the store cannot look into: those of a `codable` type, and data that
/// may lie in a file. All that can be asked is whether there is one:
///
/// ```swift
/// let request = Person.fetchRequest().filter(Person.photo != nil)
/// ```
public struct OpaqueKey<Root: ManagedObject, Value>: AttributeKey {
    /// The names from the object to the attribute.
    public let path: [String]

    /// The key of an attribute. Called by generated code.
    @_spi(Generated)
    public init(_ name: String) {
        path = [name]
    }

    /// The key of a part of a composite value, by the names on the way to it. Called by generated
    /// code.
    @_spi(Generated)
    public init(part path: [String]) {
        self.path = path
    }

    /// There is no value.
    public static func == (key: OpaqueKey, nothing: Never?) -> Condition<Root> {
        .isNil(_path: key.path)
    }

    /// There is a value.
    public static func != (key: OpaqueKey, nothing: Never?) -> Condition<Root> {
        !.isNil(_path: key.path)
    }
}

/// A property that is not in the store: nothing can be found or sorted by it.
public struct TransientKey<Root: ManagedObject, Value>: AttributeKey {
    /// The names from the object to the property.
    public let path: [String]

    /// The key of a property. Called by generated code.
    @_spi(Generated)
    public init(_ name: String) {
        path = [name]
    }

    /// The key of a part of a composite value, by the names on the way to it. Called by generated
    /// code.
    @_spi(Generated)
    public init(part path: [String]) {
        self.path = path
    }
}

extension ToOneKey {
    /// An attribute of the destination that can be compared with nil only.
    public subscript<Value>(
        dynamicMember key: KeyPath<Destination.Type, OpaqueKey<Destination, Value>>
    ) -> OpaqueKey<Root, Value> {
        OpaqueKey(part: path + Destination.self[keyPath: key].path)
    }
}

extension Condition {
    /// The property at a path is nil. Called by generated code.
    @_spi(Generated)
    public static func isNil(_path path: [String]) -> Condition {
        Condition(
            .comparison(.keyPath(root: .subject, names: path), .equal, .literal(.null), []))
    }
}
