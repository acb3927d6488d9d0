import CambiumRecords

/// The values of an object at one moment. Unlike the object, a snapshot can be sent to other
/// isolations, cached, and sent to other programs as JSON.
///
/// It has the properties of the class, with their types. A to-one relationship is the ``ObjectID``
/// of its destination. A snapshot can be changed like any value, and an object can be created or
/// updated from it:
///
/// ```swift
/// var snapshot = try await container.performBackgroundTask { context in
///     try context.existingObject(with: id, as: Product.self).snapshot
/// }
/// snapshot.price = 12
/// let product = try Product(in: context, snapshot)
/// ```
///
/// To-many relationships, fetched properties and transient relationships are not included: they
/// read as empty or nil. Values of transient attributes can be read, but they are neither encoded
/// nor copied to an object.
///
/// The JSON has a key for each property with a value, and `objectID`. Composite values are nested.
///
/// - Complexity: Creating a snapshot copies the row's values, including large values in files.
///   Reading a property takes several times as long as from the object, about half a microsecond.
@dynamicMemberLookup
public struct Snapshot<Object: ManagedObject>: Sendable {
    /// The identity of the object, or nil if the snapshot was decoded from a text without one.
    public let objectID: ObjectID?

    var content: SnapshotContent

    /// The name of the object's own entity. It may be a sub-entity of the class's entity.
    public var entityName: String { content.entity.name }

    /// The value of a property, or the result of a computed property of the class.
    public subscript<Value: Sendable>(dynamicMember property: KeyPath<Object, Value>) -> Value {
        let object: Object = content.detachedObject(isDraft: false)
        return object[keyPath: property]
    }

    /// The value of a property that can be set. Setting it changes only this snapshot.
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

    /// The identity of the object that a to-one relationship references. Setting it changes only
    /// this snapshot.
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
    /// Creates a snapshot of an object's current values, including unsaved ones.
    ///
    /// - Complexity: Reads the row if the object is a fault. For each one-to-one relationship with
    ///   its key column on the other side, reads that row.
    public init(_ object: Object) {
        objectID = object.objectID
        content = SnapshotContent(of: object)
    }
}

extension Snapshot: Hashable {
    /// Returns whether both are of the same object and have the same values.
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
    /// The identity, such as `Snapshot of Product/42`. It has no values, because these may be
    /// private.
    public var description: String {
        "Snapshot of \(objectID.map { "\($0)" } ?? entityName)"
    }
}

/// The content of a snapshot of any class: its own record, and the destinations of its to-one
/// relationships. The record is never written again.
struct SnapshotContent: Sendable {
    let model: ModelDescription
    let entity: EntityDescription
    var placed: PlacedRecord
    /// The destinations of to-one relationships, by ordinal. The keys in the record are ignored.
    var destinations = [Int: ObjectID]()
    /// The slots that were set to a value that the store cannot store.
    var unfitSlots: Set<Int> = []
}

extension SnapshotContent {
    /// Copies the values of an object.
    init(of object: ManagedObject) {
        model = object.state.coordinator.model
        entity = object.entityDescription
        placed = RecordWriter.compactCopy(object.readable, object.entityDescription.shape)
        unfitSlots = object.extras?.unfitSlots ?? []
        takeExternalData(of: object)
        for relationship in entity.relationships where isKept(relationship) {
            destinations[relationship.ordinal] = Self.destinationID(of: relationship, object)
        }
    }

    /// Returns the identity of a to-one relationship's destination. It reads no row if this side
    /// has the key column.
    private static func destinationID(
        of relationship: RelationshipDescription, _ object: ManagedObject
    ) -> ObjectID? {
        guard let slot = relationship.slot else {
            return object.destination(of: relationship)?.objectID
        }
        let record = object.readable
        guard record.hasValue(slot) else { return nil }
        let model = object.state.coordinator.model
        var destination = model.entities[relationship.destination]
        if let entitySlot = relationship.entitySlot, record.hasValue(entitySlot) {
            let name = String(decoding: record.bytes(entitySlot), as: UTF8.self)
            destination = model[name] ?? destination
        }
        return ObjectID(
            destination, key: record.integer(slot),
            store: object.state.coordinator.storeIdentifier(
                ofRoot: object.entityDescription.rootIndex))
    }

    /// Reads large values in files now: a file may be deleted before the value is accessed.
    private mutating func takeExternalData(of object: ManagedObject) {
        guard !entity.externalSlots.isEmpty else { return }
        let writer = RecordWriter(capacity: 0)
        entity.externalSlots.forEach { slot in
            guard let data = object.properties.externalData(at: slot, in: object.readable) else {
                return
            }
            writer.set(.blob([ExternalForm.inline] + data), slot, of: &placed, entity.shape)
        }
        placed = RecordWriter.compactCopy(placed.record, entity.shape)
    }

    /// Returns whether a snapshot has the destination of a relationship.
    func isKept(_ relationship: RelationshipDescription) -> Bool {
        !relationship.isToMany && !relationship.isTransient
    }

    /// Returns the ordinal of the to-one relationship for a path of one name.
    func ordinal(of path: [String]) -> Int? {
        guard path.count == 1, let relationship = entity.relationship(named: path[0]),
            isKept(relationship)
        else { return nil }
        return relationship.ordinal
    }

    // MARK: Accessors of the class

    /// Creates an object with these values for the accessors of the class. It belongs to no
    /// context. Each access creates its own object, and never returns it to the program: snapshots
    /// are shared between isolations, and objects cannot be.
    func detachedObject<Object: ManagedObject>(isDraft: Bool) -> Object {
        let state = ContextState(PersistentStoreCoordinator(detached: model, .detached))
        let registration = ObjectRegistration(
            state: state, entity: entity, key: .min,
            placed: isDraft ? RecordWriter.compactCopy(placed.record, entity.shape) : placed,
            lifecycle: isDraft ? .inserted : .clean)
        let object = entity.objectClass.init(registration)
        if isDraft, !unfitSlots.isEmpty { object.ownExtras.unfitSlots = unfitSlots }
        return object as? Object ?? Object(registration)
    }

    /// Copies the values that setters have changed in a draft.
    mutating func takeValues(of draft: ManagedObject) {
        guard let changed = draft.placed else { return }
        placed = RecordWriter.compactCopy(changed.record, entity.shape)
        unfitSlots = draft.extras?.unfitSlots ?? []
    }

    // MARK: Comparing

    /// The attributes that are stored, with their slots.
    var storedAttributes: [(slot: Int, attribute: Attribute)] {
        entity.attributes.enumerated().compactMap { slot, attribute in
            attribute.flatMap { $0.isTransient ? nil : (slot, $0) }
        }
    }
}

extension SnapshotContent: Hashable {
    static func == (one: SnapshotContent, other: SnapshotContent) -> Bool {
        guard one.entity === other.entity || one.entity.entity == other.entity.entity,
            one.destinations == other.destinations, one.unfitSlots == other.unfitSlots
        else { return false }
        return one.entity.attributes.indices.allSatisfy { slot in
            one.entity.attributes[slot] == nil
                || one.placed.record.isEqual(
                    slot, one.entity.shape.kinds[slot], to: other.placed.record)
        }
    }

    func hash(into hasher: inout Hasher) {
        for (slot, attribute) in entity.attributes.enumerated() where attribute != nil {
            hasher.combine(placed.record.storedValue(slot, entity.shape.kinds[slot]))
        }
        hasher.combine(destinations)
    }
}

/// The content of a snapshot that will be copied to an object, after all checks.
struct SnapshotChange {
    private let content: SnapshotContent
    private let destinations: [Int: ManagedObject]

    init(
        _ content: SnapshotContent, from id: ObjectID?, to entity: EntityDescription,
        in context: ManagedObjectContext
    ) throws {
        let store = context.coordinator.storeIdentifier(ofRoot: entity.rootIndex)
        if let id, id.store != store {
            throw StoreError(
                code: .objectOfAnotherContext,
                message: "The snapshot is of \(id), which is in another store.",
                remedy: "Insert a new object from the snapshot.")
        }
        guard content.entity === entity || content.entity.entity == entity.entity else {
            throw StoreError(
                code: .invalidRequest,
                message: "The snapshot is of the entity \(content.entity.name), but the object is "
                    + "of \(entity.name).",
                remedy: "Update an object of \(content.entity.name).")
        }
        var destinations = [Int: ManagedObject]()
        for (ordinal, id) in content.destinations {
            let relationship = entity.relationships[ordinal]
            let place = "\(entity.name).\(relationship.relationship.name)"
            guard id.store == store else {
                throw StoreError(
                    code: .objectOfAnotherContext,
                    message: "\(place) of the snapshot references \(id) in another store.",
                    remedy: "Set the relationship to an object of this store.")
            }
            let model = context.coordinator.model
            guard let description = model[id.entityName],
                model.families[relationship.destination].contains(description.index)
            else {
                throw StoreError(
                    code: .invalidRequest,
                    message:
                        "\(place) of the snapshot references \(id), which is not an object of "
                        + "\(relationship.relationship.destination).",
                    remedy: "Set the relationship to an object of that entity.")
            }
            destinations[ordinal] = context.registry.object(entity: description.index, key: id.key)
        }
        self.content = content
        self.destinations = destinations
    }

    /// Sets the values that differ.
    func apply(to object: ManagedObject) {
        for (slot, attribute) in content.storedAttributes where attribute.derivation == nil {
            copy(slot, attribute, to: object)
        }
        for slot in content.unfitSlots { object.noteUnfit(slot) }
        for relationship in object.entityDescription.relationships
        where content.isKept(relationship) {
            let destination = destinations[relationship.ordinal]
            if object.destination(of: relationship) !== destination {
                object.setDestination(of: relationship, to: destination)
            }
        }
    }

    private func copy(_ slot: Int, _ attribute: Attribute, to object: ManagedObject) {
        let record = content.placed.record
        let kind = content.entity.shape.kinds[slot]
        if attribute.usesExternalForm {
            let data = record.hasValue(slot) ? Data(record.bytes(slot).dropFirst()) : nil
            if object.properties.externalData(at: slot, in: object.readable) != data {
                object.setValue(data, at: slot)
            }
            return
        }
        guard !record.isEqual(slot, kind, to: object.readable) else { return }
        if attribute.type == .date, record.hasValue(slot) {
            let seconds = object.state.coordinator.kept(record.real(slot))
            let present = object.readable
            if present.hasValue(slot), present.real(slot) == seconds { return }
            object.writeReal(slot, seconds)
            return
        }
        guard record.hasValue(slot) else { return object.writeNull(slot) }
        switch kind {
        case .integer: object.writeInteger(slot, record.integer(slot))
        case .real: object.writeReal(slot, record.real(slot))
        case .text, .blob: object.writeBytes(slot, record.bytes(slot))
        }
        object.extras?.unfitSlots.remove(slot)
    }
}

extension EntityKeys {
    /// The values of an object of this class at one moment; see ``Cambium/Snapshot``.
    public typealias Snapshot = Cambium.Snapshot<Self>

    /// The current values of the object, in a form that can be sent to other isolations.
    ///
    /// - Complexity: Copies the values; see ``Cambium/Snapshot``.
    public var snapshot: Cambium.Snapshot<Self> { Cambium.Snapshot(self) }

    /// Inserts a new object with the values of a snapshot. It has its own identity.
    ///
    /// - Throws: ``StoreError`` with `objectOfAnotherContext` if a to-one relationship of the
    ///   snapshot references an object of another store, with `invalidRequest` if the snapshot is
    ///   of another entity than the class. Then no object is inserted.
    public init(
        in context: ManagedObjectContext, _ snapshot: Cambium.Snapshot<Self>
    ) throws {
        let registration = context.registration(inserting: Self.self)
        let change = try SnapshotChange(
            snapshot.content, from: nil, to: registration.entity, in: context)
        self.init(registration)
        context.didInsert(self)
        change.apply(to: self)
    }

    /// Sets the attributes and to-one relationships that differ from a snapshot. Derived and
    /// transient attributes and to-many relationships are not changed.
    ///
    /// The snapshot may be of another object of the same entity and store.
    ///
    /// - Throws: ``StoreError`` with `objectOfAnotherContext` if the snapshot, or the destination
    ///   of one of its to-one relationships, is of another store; with `invalidRequest` if the
    ///   snapshot is of another entity; with `noStore` if the object's context was released. Then
    ///   no value is set.
    public func update(from snapshot: Cambium.Snapshot<Self>) throws {
        guard let context = managedObjectContext else {
            throw StoreError(
                code: .noStore, message: "\(self) no longer belongs to a context.",
                remedy: "Keep the context, and look the object up in it again.")
        }
        try SnapshotChange(
            snapshot.content, from: snapshot.objectID, to: entityDescription, in: context
        ).apply(to: self)
    }
}
