#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif
import Synchronization

/// The way of objects to their neighbours: the identity maps of their context, for as long as that
/// lives.
///
/// A getter of a relationship would have to take a strong reference out of a weak one only to look
/// something up, which takes three times as long as the look-up.
struct RegisteredObjects: ~Copyable {
    // Safety: the context keeps what these lead to, and calls `end()` before it lets go of it. One
    // thread at a time looks something up, that of the context's isolation; another one may let go
    // of the last reference to the context meanwhile. Either `end()` sees that somebody is looking
    // and waits, or who wants to look sees that it is over: each writes before it reads, in one
    // order for both.
    private let roots: [Unmanaged<RootObjects>]
    private let isLookedInto = Atomic(false)
    private let isOver = Atomic(false)

    /// - Parameter roots: The maps of the context; none for objects without one.
    init(_ roots: [RootObjects]) {
        self.roots = roots.map { Unmanaged.passUnretained($0) }
    }

    /// The object of a row; nil where the context does not have it, or is gone.
    @inline(__always)
    func object(root: Int, key: Int64) -> ManagedObject? {
        isLookedInto.store(true, ordering: .sequentiallyConsistent)
        // Nothing in between lets go of an object, so this is never the context's own end.
        defer {
            // The compiler moves the retain of what was found down over a mere store, to where the
            // context may be gone; over a fence it does not.
            atomicMemoryFence(ordering: .releasing)
            isLookedInto.store(false, ordering: .releasing)
        }
        guard !isOver.load(ordering: .sequentiallyConsistent), root < roots.count else {
            return nil
        }
        return roots[root].use { $0.map[key] }
    }

    /// Called when the context goes; afterwards nobody looks into its maps.
    func end() {
        isOver.store(true, ordering: .sequentiallyConsistent)
        while isLookedInto.load(ordering: .sequentiallyConsistent) { sched_yield() }
    }
}
