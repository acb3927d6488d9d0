import CambiumRecords

/// The part of a context that knows its objects: one for a row.
///
/// Invariants: the count is that of the identity maps, and an object is there under its own key. Of a
/// row with a replacement there is no object.
final class ObjectRegistry {
    /// The identity maps, by the number of the hierarchy's root.
    let roots: [RootObjects]
    private let state: ContextState
    // Safety: here and below, an access calls nothing that could come back to the same variable.
    /// How many objects there are.
    @exclusivity(unchecked) private(set) var count = 0
    /// How many there were after the last sweep.
    var sweptCount = 1024
    /// New objects that a save merged into others with the same unique values, and those.
    @exclusivity(unchecked) var replacements: [RowIdentity: RowIdentity] = [:]
    // Safety: the coordinator holds the descriptions.
    @exclusivity(unchecked) private var lastInserted:
        (type: ObjectIdentifier, entity: Unmanaged<EntityDescription>)?

    init(_ roots: [RootObjects], _ state: ContextState) {
        self.roots = roots
        self.state = state
    }

    private var model: ModelDescription { state.coordinator.model }

    // MARK: Looking up

    /// The object of a row, where the context has it.
    subscript(id: RowIdentity) -> ManagedObject? { roots[id.root].map[id.key] }

    /// The object of a row, or the replacement, where the context has one.
    func registered(root: Int, key: Int64) -> ManagedObject? {
        roots[root].map[key] ?? (replacements.isEmpty ? nil : replacement(root, key))
    }

    /// The object of a row of an entity, or the replacement, where the context has one.
    func registered(entity: Int, key: Int64) -> ManagedObject? {
        registered(root: model.entities[entity].rootIndex, key: key)
    }

    /// The object at the far end of a relationship, where the context has it.
    func registered(_ relationship: RelationshipDescription, _ key: Int64) -> ManagedObject? {
        registered(root: relationship.destinationRoot, key: key)
    }

    /// The object of a member of a relationship, where the context has it.
    func registered(_ member: LinkSet.Member) -> ManagedObject? {
        registered(entity: member.entity, key: member.key)
    }

    /// The objects of an entity and its sub-entities that the context has and that are wanted. It looks
    /// at all of them.
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

    /// The object of a member of a relationship; a fault where the context does not have it yet.
    func object(_ member: LinkSet.Member) -> ManagedObject {
        object(entity: member.entity, key: member.key)
    }

    /// The object of a row; a fault where the context does not have it yet.
    func object(entity: Int, key: Int64) -> ManagedObject {
        // Safety: the coordinator keeps its model, which keeps the descriptions.
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

    /// Makes the object of a row.
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
        return object
    }

    /// Adds an object under its key, in the place of a fault that has it: one was made for a key that
    /// was not given out yet.
    @inline(__always)
    func insert(_ object: ManagedObject, in entity: EntityDescription) {
        // Safety: the registry keeps its maps.
        uncounted(roots[entity.rootIndex]).use { root in
            count -= root.map.count
            root.map.insert(object, for: object.key)
            count += root.map.count
        }
    }

    /// Takes an object out.
    ///
    /// - Returns: Whether it was there.
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

    /// Drops clean objects that nobody holds, when many have come since the last time.
    func sweepIfGrown() {
        guard count > sweptCount * 2 else { return }
        var dropped: [ManagedObject] = []
        for root in roots {
            // What is in memory only would go with the object.
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
        // Afterwards: the hooks may use the context, and so may what goes with the objects.
        for object in dropped where object.record != nil {
            object.willTurnIntoFault()
            object.didTurnIntoFault()
        }
    }

    // MARK: Invariants

    /// What is not as it must be; empty where all is well.
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
    // Safety: the map calls nothing but the closures of `forEach` and `sweep`, which do not change
    // it.
    @exclusivity(unchecked) var map = IdentityMap()
}
