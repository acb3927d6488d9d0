import Synchronization

/// What key paths were found to lead to in one model, so that each is looked into once.
///
/// Each model has its own: a class may stand for entities of several versions, in which the same
/// key path leads to properties of other names.
final class KnownProperties: Sendable {
    // Safety: the key paths are those of predicates, which are Sendable.
    private struct Key: Hashable, @unchecked Sendable {
        let type: ObjectIdentifier
        let chain: [AnyKeyPath]
    }

    private let found = Mutex<[Key: FoundProperty?]>([:])

    /// - Parameter find: Called where it is not known yet.
    func property(
        _ chain: [AnyKeyPath], of objectClass: ManagedObject.Type, find: () -> FoundProperty?
    ) -> FoundProperty? {
        let key = Key(type: ObjectIdentifier(objectClass), chain: chain)
        if let known = found.withLock({ $0[key] }) { return known }
        // Not inside of the lock: a getter of the program may do anything.
        let property = find()
        found.withLock { $0[key] = .some(property) }
        return property
    }
}
