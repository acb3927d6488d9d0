import CambiumRecords

/// The part of a context that gives new objects their keys, which are final from insertion. Keys come
/// from blocks that the stores reserve for the context and its children.
///
/// Invariant: a key is given out once, and one that no row may have is less than 0 and has an error.
final class KeyAllocator {
    private let coordinator: PersistentStoreCoordinator
    private let parent: KeyAllocator?
    // Safety: an access calls nothing that could come back to the same variable.
    /// The free keys, by the number of the hierarchy's root.
    @exclusivity(unchecked) private var ranges: [Range<Int64>]
    private var blockSizes: [Int: Int] = [:]
    private var nextFailedKey: Int64 = -1
    /// Why new objects have keys that no row may have, or lack generated values. They cannot be saved.
    private(set) var errors: [RowIdentity: any Error] = [:]

    /// - Parameter parent: The allocator of the parent, from which a child takes its keys.
    init(_ coordinator: PersistentStoreCoordinator, parent: KeyAllocator?) {
        self.coordinator = coordinator
        self.parent = parent
        ranges = coordinator.model.entities.map { _ in 0..<0 }
    }

    /// A key for a new object. An initializer cannot throw: where there is no key, the save that the
    /// object makes impossible does.
    func next(root: Int) -> Int64 {
        if !ranges[root].isEmpty { return ranges[root].removeFirst() }
        do {
            return try free(root: root)
        } catch {
            let key = failed()
            fail(RowIdentity(root: root, key: key), error)
            return key
        }
    }

    /// Notes that a new object cannot be saved.
    func fail(_ id: RowIdentity, _ error: any Error) {
        errors[id] = error
    }

    /// Forgets the objects that cannot be saved: they were discarded.
    func forgetErrors() {
        errors = [:]
    }

    /// The next free key. Blocks grow with use.
    private func free(root: Int) throws -> Int64 {
        if ranges[root].isEmpty {
            if let parent { return try parent.free(root: root) }
            let size = min(4096, max(32, blockSizes[root, default: 16] * 2))
            blockSizes[root] = size
            ranges[root] = try coordinator.store(ofRoot: root).reserveKeys(root: root, count: size)
        }
        return ranges[root].removeFirst()
    }

    /// A key that no row has.
    private func failed() -> Int64 {
        if let parent { return parent.failed() }
        defer { nextFailedKey -= 1 }
        return nextFailedKey
    }
}
