import CambiumRecords

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

/// What a snapshot holds, whatever its class: a record of its own, which nobody writes any more,
/// and where its to-one relationships lead.
struct SnapshotContent: Sendable {
    let model: ModelDescription
    let entity: EntityDescription
    var placed: PlacedRecord
    /// The destinations of to-one relationships, by number. The keys in the record do not count.
    var destinations = [Int: ObjectID]()
    /// The slots that were set to a value that the store cannot keep.
    var unfitSlots: Set<Int> = []
}

extension SnapshotContent {
    /// Copies what an object has.
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

    /// The identity of what a to-one relationship leads to, without reading its row where this side
    /// keeps the key.
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

    /// Reads large values that lie in files: a file may be gone by the time somebody looks at it.
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

    /// Whether a snapshot knows where a relationship leads.
    func isKept(_ relationship: RelationshipDescription) -> Bool {
        !relationship.isToMany && !relationship.isTransient
    }

    /// The number of the to-one relationship that a path of one name names.
    func ordinal(of path: [String]) -> Int? {
        guard path.count == 1, let relationship = entity.relationship(named: path[0]),
            isKept(relationship)
        else { return nil }
        return relationship.ordinal
    }

    // MARK: Accessors of the class

    /// An object with these values that belongs to no context, for the accessors of the class to
    /// work on. It is never handed out: each access has one of its own, since objects may not be
    /// shared between isolations and snapshots are.
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

    /// Takes over what setters have made of a draft.
    mutating func takeValues(of draft: ManagedObject) {
        guard let changed = draft.placed else { return }
        placed = RecordWriter.compactCopy(changed.record, entity.shape)
        unfitSlots = draft.extras?.unfitSlots ?? []
    }

    // MARK: Comparing

    /// The attributes that are more than memory, with their slots.
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

/// A snapshot's content on its way into an object, after all that could go wrong was looked at.
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
                code: .foreignObject,
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
                    code: .foreignObject,
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

    /// Sets what differs.
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

    /// The values of the object as they are now, which may cross isolations.
    ///
    /// - Complexity: Copies the values; see ``Cambium/Snapshot``.
    public var snapshot: Cambium.Snapshot<Self> { Cambium.Snapshot(self) }

    /// Inserts a new object with the values of a snapshot. It has an identity of its own.
    ///
    /// - Throws: ``StoreError`` with `foreignObject` where a to-one relationship of the snapshot
    ///   leads into another store, with `invalidRequest` where the snapshot is of another entity
    ///   than the class. Nothing is inserted then.
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

    /// Sets those attributes and to-one relationships that a snapshot has other values of. Derived
    /// and transient attributes and to-many relationships stay.
    ///
    /// The snapshot may be of another object of the same entity and store.
    ///
    /// - Throws: ``StoreError`` with `foreignObject` where the snapshot, or what one of its to-one
    ///   relationships leads to, is of another store, with `invalidRequest` where the snapshot is
    ///   of another entity, with `noStore` where the object's context is gone. Nothing is set then.
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
