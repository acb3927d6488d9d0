import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The objects of one hierarchy that a context knows, by key: one object for a row.
///
/// Keys are dense, so a table indexed by key beats any hashing; keys beyond the table's range go to
/// a dictionary. References are strong; ``sweep(_:)`` takes out the objects that nobody else holds.
struct IdentityMap: ~Copyable {
    private typealias Leaf = UnsafeMutablePointer<ManagedObject?>
    private static let leafBits: Int64 = 10
    private static let leafSize = 1 << Int(leafBits)
    /// Keys below it are in the table: 2²⁶ keys, whose directory takes half a megabyte at most.
    private static let tableEnd: Int64 = 1 << 26

    private var leaves: [Leaf?] = []
    private var sparse: [Int64: ManagedObject] = [:]
    /// How many objects there are.
    private(set) var count = 0

    init() {}

    deinit {
        for leaf in leaves {
            leaf?.deinitialize(count: Self.leafSize)
            leaf?.deallocate()
        }
    }

    @inline(__always)
    subscript(key: Int64) -> ManagedObject? {
        guard key >= 0, key < Self.tableEnd else { return sparse[key] }
        let index = Int(key >> Self.leafBits)
        guard index < leaves.count, let leaf = leaves[index] else { return nil }
        return leaf[Int(key) & (Self.leafSize - 1)]
    }

    /// Adds an object, in the place of one with the same key: a fault for a key that was not given
    /// out yet.
    @inline(__always)
    mutating func insert(_ object: ManagedObject, for key: Int64) {
        guard key >= 0, key < Self.tableEnd else {
            if sparse.updateValue(object, forKey: key) == nil { count += 1 }
            return
        }
        let index = Int(key >> Self.leafBits)
        if index >= leaves.count { grow(to: index) }
        let leaf: Leaf
        if let existing = leaves[index] {
            leaf = existing
        } else {
            leaf = .allocate(capacity: Self.leafSize)
            leaf.initialize(repeating: nil, count: Self.leafSize)
            leaves[index] = leaf
        }
        let place = leaf + (Int(key) & (Self.leafSize - 1))
        if place.pointee == nil {
            // There is nothing to let go of.
            place.initialize(to: object)
            count += 1
        } else {
            place.pointee = object
        }
    }

    /// Takes an object out. The caller holds it.
    mutating func remove(_ key: Int64) {
        guard self[key] != nil else { return }
        count -= 1
        guard key >= 0, key < Self.tableEnd else {
            sparse[key] = nil
            return
        }
        leaves[Int(key >> Self.leafBits)]?[Int(key) & (Self.leafSize - 1)] = nil
    }

    private mutating func grow(to index: Int) {
        leaves.append(
            contentsOf: repeatElement(nil, count: max(16, index * 2) + 1 - leaves.count))
    }

    /// Calls the body with every object. The body calls nothing of the program.
    func forEach(_ body: (ManagedObject) -> Void) {
        for case let leaf? in leaves {
            for index in 0..<Self.leafSize {
                if let object = leaf[index] { body(object) }
            }
        }
        for object in sparse.values { body(object) }
    }

    /// Takes out the objects that only the map holds and that the body allows to go.
    ///
    /// - Returns: Those objects. The caller releases them when it has done with the map: what an
    ///   object of the program holds may use the context as it goes.
    mutating func sweep(_ mayGo: (ManagedObject) -> Bool) -> [ManagedObject] {
        var swept: [ManagedObject] = []
        for case let leaf? in leaves {
            for index in 0..<Self.leafSize {
                if let object = Self.takeUnused(&leaf[index], mayGo) { swept.append(object) }
            }
        }
        for key in Array(sparse.keys) {
            if let object = Self.takeUnused(&sparse[key], mayGo) { swept.append(object) }
        }
        count -= swept.count
        return swept
    }

    private static func takeUnused(
        _ place: inout ManagedObject?, _ mayGo: (ManagedObject) -> Bool
    ) -> ManagedObject? {
        guard isKnownUniquelyReferenced(&place), let object = place, mayGo(object) else {
            return nil
        }
        place = nil
        return object
    }

    /// Takes out all objects. The caller holds them.
    mutating func removeAll() {
        for leaf in leaves {
            leaf?.deinitialize(count: Self.leafSize)
            leaf?.deallocate()
        }
        leaves = []
        sparse = [:]
        count = 0
    }
}

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
