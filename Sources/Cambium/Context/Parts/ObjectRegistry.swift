import CambiumRecords
import Synchronization

/// The part of a context that registers its objects. A row has at most one object.
///
/// Invariants: the count is that of the identity maps, and each object is registered with its own
/// key. A row with a replacement has no object.
final class ObjectRegistry {
    /// The identity maps, by the number of the hierarchy's root.
    let roots: [RootObjects]
    private let state: ContextState
    // Safety: here and below, an access calls nothing that could access the same variable again.
    /// The number of objects.
    @exclusivity(unchecked) private(set) var count = 0
    /// The number of objects after the last sweep.
    var sweptCount = 1024
    /// New objects that a save merged into others with the same unique values, with their
    /// replacements.
    @exclusivity(unchecked) var replacements = [RowIdentity: RowIdentity]()
    // Safety: the coordinator holds the descriptions.
    @exclusivity(unchecked) private var lastInserted:
        (type: ObjectIdentifier, entity: Unmanaged<EntityDescription>)?

    init(_ roots: [RootObjects], _ state: ContextState) {
        self.roots = roots
        self.state = state
    }

    private var model: ModelDescription { state.coordinator.model }

    // MARK: Looking up

    /// The object of a row, or nil if the context does not have it.
    subscript(id: RowIdentity) -> ManagedObject? { roots[id.root].map[id.key] }

    /// The object of a row or its replacement, or nil if the context has neither.
    func registered(root: Int, key: Int64) -> ManagedObject? {
        roots[root].map[key] ?? (replacements.isEmpty ? nil : replacement(root, key))
    }

    /// The object of a row of an entity or its replacement, or nil if the context has neither.
    func registered(entity: Int, key: Int64) -> ManagedObject? {
        registered(root: model.entities[entity].rootIndex, key: key)
    }

    /// The object at the far end of a relationship, or nil if the context does not have it.
    func registered(_ relationship: RelationshipDescription, _ key: Int64) -> ManagedObject? {
        registered(root: relationship.destinationRoot, key: key)
    }

    /// The object of a member of a relationship, or nil if the context does not have it.
    func registered(_ member: LinkSet.Member) -> ManagedObject? {
        registered(entity: member.entity, key: member.key)
    }

    /// The objects of an entity and its sub-entities that the context has and that are wanted. It
    /// looks at all of them.
    func registered(
        family entity: Int, where isWanted: (ManagedObject) -> Bool
    ) -> [ManagedObject] {
        let family = Set(model.families[entity])
        var found: [ManagedObject] = []
        roots[model.entities[entity].rootIndex].map.forEach { object in
            if family.contains(object.entityDescription.index), isWanted(object) {
                found.append(object)
            }
        }
        return found
    }

    /// The object that a save has kept in place of a new one with the same unique values.
    func replacement(_ root: Int, _ key: Int64) -> ManagedObject? {
        replacements[RowIdentity(root: root, key: key)].map { object(entity: $0.root, key: $0.key) }
    }

    /// The object that a to-one's key references.
    @inline(__always)
    func object(at place: KeyPlace, key: Int64) -> ManagedObject {
        // Safety: the registry keeps its maps.
        uncounted(roots[place.root]).use { $0.map[key] }
            ?? object(entity: place.destination, key: key)
    }

    /// The object of a member of a relationship; a fault if the context does not have it yet.
    func object(_ member: LinkSet.Member) -> ManagedObject {
        object(entity: member.entity, key: member.key)
    }

    /// The object of a row; a fault if the context does not have it yet.
    func object(entity: Int, key: Int64) -> ManagedObject {
        // Safety: the coordinator keeps its model, and this keeps the descriptions.
        uncounted(model.entities[entity]).use { object(of: $0, key: key) }
    }

    @inline(__always)
    func object(of description: EntityDescription, key: Int64) -> ManagedObject {
        // Safety: the registry keeps its maps.
        uncounted(roots[description.rootIndex]).use { root in
            if let object = root.map[key] { return object }
            if !replacements.isEmpty, let other = replacement(description.rootIndex, key) {
                return other
            }
            return register(description, key: key, placed: nil, in: root)
        }
    }

    /// Calls the body with every object. The body calls nothing of the program.
    func forEach(_ body: (ManagedObject) -> Void) {
        for root in roots { root.map.forEach(body) }
    }

    // MARK: Registering

    /// Calls the body with the entity of a class.
    func withEntity<Result>(
        of type: ManagedObject.Type, _ body: (EntityDescription) -> Result
    ) -> Result {
        if let lastInserted, lastInserted.type == ObjectIdentifier(type) {
            return lastInserted.entity.use(body)
        }
        guard let description = model[type.entityName] else {
            preconditionFailure(
                "\(type) belongs to no entity of the model \(model.model.name); "
                    + "open the container with the model that the class was generated from.")
        }
        // Safety: the coordinator holds the descriptions.
        lastInserted = (ObjectIdentifier(type), uncounted(description))
        return body(description)
    }

    /// Creates the object of a row.
    @inline(__always)
    func register(
        _ description: EntityDescription, key: Int64, placed: consuming PlacedRecord?
    ) -> ManagedObject {
        register(description, key: key, placed: placed, in: roots[description.rootIndex])
    }

    /// - Parameter root: The objects of the entity's hierarchy.
    @inline(__always)
    func register(
        _ description: EntityDescription, key: Int64, placed: consuming PlacedRecord?,
        in root: RootObjects
    ) -> ManagedObject {
        let object = description.objectClass.init(
            ObjectRegistration(
                state: state, entity: description, key: key, placed: consume placed,
                lifecycle: .clean))
        root.map.insert(object, for: key)
        count += 1
        if !replacements.isEmpty { forgetReplacement(of: RowIdentity(object)) }
        return object
    }

    /// A row that was merged into another one when it was to be inserted again, and that others
    /// have inserted again since.
    @inline(never)
    private func forgetReplacement(of id: RowIdentity) {
        replacements[id] = nil
    }

    /// Adds an object under its key. It replaces a fault with the same key, which was created
    /// before the key was assigned.
    @inline(__always)
    func insert(_ object: ManagedObject, in entity: EntityDescription) {
        // Safety: the registry keeps its maps.
        uncounted(roots[entity.rootIndex]).use { root in
            count -= root.map.count
            root.map.insert(object, for: object.key)
            count += root.map.count
        }
        if !replacements.isEmpty { forgetReplacement(of: RowIdentity(object)) }
    }

    /// Removes an object.
    ///
    /// - Returns: Whether it was registered.
    func remove(_ object: ManagedObject) -> Bool {
        let root = roots[object.entityDescription.rootIndex]
        guard root.map[object.key] === object else { return false }
        root.map.remove(object.key)
        count -= 1
        return true
    }

    /// Takes all objects out. The caller holds them.
    func removeAll() {
        for root in roots { root.map.removeAll() }
        count = 0
        sweptCount = 1024
        replacements = [:]
    }

    /// Releases clean objects that only the context holds, if many were added since the last time.
    func sweepIfGrown() {
        guard count > sweptCount * 2 else { return }
        var dropped: [ManagedObject] = []
        for root in roots {
            // Transient values would be lost with the object.
            dropped += root.map.sweep { object in
                guard object.lifecycle == .clean, object.extras?.transientLinks.isEmpty != false
                else { return false }
                if object.flags.contains(.isReadAhead) {
                    object.flags.remove(.isReadAhead)
                    return false
                }
                return true
            }
        }
        count = roots.reduce(0) { $0 + $1.map.count }
        sweptCount = max(1024, count)
        // Afterwards: the hooks may use the context, and releasing the objects may use it too.
        for object in dropped where object.record != nil {
            object.willTurnIntoFault()
            object.didTurnIntoFault()
        }
    }

    // MARK: Invariants

    /// The violated invariants; empty if all hold.
    var invariantFaults: [String] {
        var faults: [String] = []
        var found = 0
        forEach { object in
            found += 1
            if self[RowIdentity(object)] !== object {
                faults.append("\(object) is under another key")
            }
            if object.state !== state { faults.append("\(object) is of another context") }
            if object.lifecycle == .invalid { faults.append("\(object) is still registered") }
        }
        let counts = roots.map { $0.map.count }
        if count != found || counts.reduce(0, +) != found {
            faults.append("\(found) objects, counted \(count) and \(counts)")
        }
        for id in replacements.keys where self[id] != nil {
            faults.append("\(id) has a replacement and is still registered")
        }
        return faults
    }
}

/// The identity map of one hierarchy.
final class RootObjects {
    // Safety: the map calls nothing but the closures of `forEach` and `sweep`, and these do not
    // change it.
    @exclusivity(unchecked) var map = IdentityMap()
}

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The registered objects of one hierarchy, by key. A row has at most one object.
///
/// Keys are dense: a table indexed by key is faster than any hashing. Keys beyond the table's range
/// are in a dictionary. References are strong; ``sweep(_:)`` removes the objects that only the map
/// holds.
struct IdentityMap: ~Copyable {
    private typealias Leaf = UnsafeMutablePointer<ManagedObject?>
    private static let leafBits: Int64 = 10
    private static let leafSize = 1 << Int(leafBits)
    /// The end of the keys in the table: 2²⁶ keys with a directory of half a megabyte at most.
    private static let tableEnd: Int64 = 1 << 26

    private var leaves: [Leaf?] = []
    private var sparse = [Int64: ManagedObject]()
    /// The number of objects.
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
        let known = index < leaves.count ? leaves[index] : nil
        let leaf = known ?? makeLeaf(at: index)
        let place = leaf + (Int(key) & (Self.leafSize - 1))
        if place.pointee == nil {
            // There is no object to release.
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

    @inline(never)
    private mutating func makeLeaf(at index: Int) -> Leaf {
        if index >= leaves.count {
            leaves.append(
                contentsOf: repeatElement(nil, count: max(16, index * 2) + 1 - leaves.count))
        }
        let leaf = Leaf.allocate(capacity: Self.leafSize)
        leaf.initialize(repeating: nil, count: Self.leafSize)
        leaves[index] = leaf
        return leaf
    }

    /// Calls the body with every object. The body calls nothing of the program.
    @inline(never)
    func forEach(_ body: (ManagedObject) -> Void) {
        for case let leaf? in leaves {
            for index in 0..<Self.leafSize {
                if let object = leaf[index] { body(object) }
            }
        }
        for object in sparse.values { body(object) }
    }

    /// Removes the objects that only the map holds and that the body accepts.
    ///
    /// - Returns: The removed objects. The caller releases them when it has finished with the map:
    ///   the `deinit` of a program's value in an object may use the context.
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

/// Gives objects access to the identity maps of their context while the context exists.
///
/// Otherwise a getter of a relationship would have to convert a weak reference to a strong one for
/// each look-up. This takes three times as long as the look-up.
struct RegisteredObjects: ~Copyable {
    // Safety: the context keeps the maps, and calls `end()` before it releases them. One thread at
    // a time looks something up, that of the context's isolation; another thread may release the
    // last reference to the context meanwhile. Either `end()` sees the look-up and waits, or the
    // look-up sees the end: each writes before it reads, in one order for both.
    private let roots: [Unmanaged<RootObjects>]
    private let isLookedInto = Atomic(false)
    private let isOver = Atomic(false)

    /// - Parameter roots: The maps of the context; none for objects without one.
    init(_ roots: [RootObjects]) {
        self.roots = roots.map { Unmanaged.passUnretained($0) }
    }

    /// The object of a row; nil if the context does not have it or was released.
    @inline(__always)
    func object(root: Int, key: Int64) -> ManagedObject? {
        isLookedInto.store(true, ordering: .sequentiallyConsistent)
        // No object is released in between, so this never runs in the context's own `deinit`.
        defer {
            // The compiler moves the retain of the found object down over a mere store, to a point
            // at which the context may be released already. It does not move it over a fence.
            atomicMemoryFence(ordering: .releasing)
            isLookedInto.store(false, ordering: .releasing)
        }
        guard !isOver.load(ordering: .sequentiallyConsistent), root < roots.count else {
            return nil
        }
        return roots[root].use { $0.map[key] }
    }

    /// Called when the context is released; afterwards its maps are not accessed any more.
    func end() {
        isOver.store(true, ordering: .sequentiallyConsistent)
        while isLookedInto.load(ordering: .sequentiallyConsistent) { sched_yield() }
    }
}
