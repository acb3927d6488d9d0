@testable import Cambium
import Foundation

/// An object as one of a generated class, whether it is one or a plain one in its place: the words
/// for its properties are those of the class. An object of the class is asked for them itself, a
/// plain one by their names.
@dynamicMemberLookup
struct Seen<Class: EntityKeys>: Hashable {
    let object: ManagedObject
    private let typed: Class?

    init(_ object: ManagedObject) {
        self.object = object
        typed = object as? Class
    }

    /// What every object has.
    subscript<Value>(dynamicMember path: KeyPath<ManagedObject, Value>) -> Value {
        object[keyPath: path]
    }

    func changedValues() -> [String: PropertyValue] { object.changedValues() }

    // MARK: Attributes

    subscript<Value: AttributeValue>(
        dynamicMember path: ReferenceWritableKeyPath<Class, Value>
    ) -> Value {
        get {
            if let typed { return typed[keyPath: path] }
            guard let value: Value = value(named: path) else {
                preconditionFailure("\(object) has no value for \(path).")
            }
            return value
        }
        nonmutating set {
            if let typed { typed[keyPath: path] = newValue } else { set(newValue, named: path) }
        }
    }

    subscript<Value: AttributeValue>(
        dynamicMember path: ReferenceWritableKeyPath<Class, Value?>
    ) -> Value? {
        get {
            if let typed { return typed[keyPath: path] }
            return value(named: path)
        }
        nonmutating set {
            if let typed { typed[keyPath: path] = newValue } else { set(newValue, named: path) }
        }
    }

    // MARK: Relationships

    subscript<Other: EntityKeys>(
        dynamicMember path: ReferenceWritableKeyPath<Class, Other?>
    ) -> Seen<Other>? {
        get {
            if let typed { return typed[keyPath: path].map(Seen<Other>.init) }
            return byName(path, object.relatedObject(forKey:)).map(Seen<Other>.init)
        }
        nonmutating set {
            if let typed {
                typed[keyPath: path] = newValue?.typed
            } else {
                byName(path) { try object.setRelatedObject(newValue?.object, forKey: $0) }
            }
        }
    }

    /// A relationship that is required.
    subscript<Other: EntityKeys>(
        dynamicMember path: ReferenceWritableKeyPath<Class, Other>
    ) -> Seen<Other>? {
        get {
            if let typed { return Seen<Other>(typed[keyPath: path]) }
            return byName(path, object.relatedObject(forKey:)).map(Seen<Other>.init)
        }
        nonmutating set {
            guard let typed, let other = newValue?.typed else {
                return byName(path) {
                    try object.setRelatedObject(newValue?.object, forKey: $0)
                }
            }
            typed[keyPath: path] = other
        }
    }

    subscript<Other: EntityKeys>(
        dynamicMember path: KeyPath<Class, ToMany<Other>>
    ) -> ToMany<ManagedObject> {
        guard let typed else { return byName(path, object.relatedObjects(forKey:)) }
        let members = typed[keyPath: path]
        return ToMany(owner: members.owner, ordinal: members.ordinal)
    }

    subscript<Other: EntityKeys>(
        dynamicMember path: KeyPath<Class, OrderedToMany<Other>>
    ) -> OrderedToMany<ManagedObject> {
        guard let typed else { return byName(path, object.orderedRelatedObjects(forKey:)) }
        let members = typed[keyPath: path]
        return OrderedToMany(owner: members.owner, ordinal: members.ordinal)
    }

    // MARK: By name

    private func byName<Result>(
        _ path: AnyKeyPath, _ body: (String) throws -> Result
    ) -> Result {
        do {
            return try body(propertyName(of: path))
        } catch {
            preconditionFailure("\(error)")
        }
    }

    private func set(_ value: (any AttributeValue)?, named path: AnyKeyPath) {
        byName(path) { try object.setValue(value?.attributeValue ?? .null, forKey: $0) }
    }

    private func value<Value>(named path: AnyKeyPath) -> Value? {
        switch byName(path, object.value(forKey:)) {
        case .null: nil
        case .bool(let value): value as? Value
        case .int(let value):
            value as? Value ?? Int32(exactly: value) as? Value ?? Int16(exactly: value) as? Value
        case .double(let value): value as? Value ?? Float(value) as? Value
        case .decimal(let value): value as? Value
        case .string(let value): value as? Value
        case .date(let value): value as? Value
        case .duration(let value): value as? Value
        case .uuid(let value): value as? Value
        case .uri(let value): value as? Value
        case .data(let value): value as? Value
        }
    }
}

extension Seen: CustomStringConvertible {
    var description: String { "\(object)" }
}

extension ToMany where Destination == ManagedObject {
    func insert<Class>(_ object: Seen<Class>) { insert(object.object) }

    func remove<Class>(_ object: Seen<Class>) { remove(object.object) }

    func replace<Class>(with objects: [Seen<Class>]) { replace(with: objects.map(\.object)) }
}

extension ManagedObjectContext {
    func delete<Class>(_ object: Seen<Class>) { delete(object.object) }
}
