import CambiumRecords

/// Access to the properties of an object by slot, name and path, for generic code.
struct ObjectProperties: ObjectAccess {
    let subject: ManagedObject

    /// Returns the slot and the definition of an attribute.
    func attribute(named name: String) throws -> (slot: Int, attribute: Attribute) {
        guard let slot = entity.layout.slot(of: name), let attribute = entity.attributes[slot]
        else { throw unknownKey(name) }
        return (slot, attribute)
    }

    /// Returns a relationship of the right kind.
    func relationship(
        named name: String, where isRight: (RelationshipDescription) -> Bool = { _ in true }
    ) throws -> RelationshipDescription {
        guard let found = entity.relationship(named: name), isRight(found) else {
            throw unknownKey(name)
        }
        return found
    }

    /// Returns the error for a name that is not a property, or is one of another kind.
    func unknownKey(_ name: String) -> StoreError {
        let parts = entity.layout.slots.map { $0.property }
            .filter { $0.hasPrefix(name + ".") }
        if !parts.isEmpty {
            return StoreError(
                code: .unknownName,
                message: "\(entity.name).\(name) is a composite value.",
                remedy: "Name one of its parts: \(parts.joined(separator: ", ")).")
        }
        if let relationship = entity.relationship(named: name) {
            let method =
                relationship.isToMany ? "relatedObjects(forKey:)" : "relatedObject(forKey:)"
            return StoreError(
                code: .unknownName,
                message: "\(entity.name).\(name) is a relationship.",
                remedy: "Use \(method).")
        }
        if entity.layout.slot(of: name) != nil {
            return StoreError(
                code: .unknownName,
                message: "\(entity.name).\(name) is an attribute.",
                remedy: "Use value(forKey:) and setValue(_:forKey:).")
        }
        let known =
            entity.layout.slots.map { $0.property }
            + entity.relationships.map { $0.relationship.name }
        return .unknownName(
            "The entity \(entity.name) has no property \(name).", name,
            among: known)
    }

    /// Returns the value of an attribute, or null if there is none of that name.
    func attributeValue(named name: String) -> Value {
        guard let slot = entity.layout.slot(of: name),
            let attribute = entity.attributes[slot]
        else { return .null }
        if notesReads { subject.noteRead(of: slot) }
        return value(ofSlot: slot, attribute, in: subject.readable)
    }

    /// Returns the value of an attribute that is neither in a file nor an enumeration.
    func plainValue(atSlot slot: Int, as type: AttributeType) -> Value {
        if notesReads { subject.noteRead(of: slot) }
        let stored = subject.readable.storedValue(slot, entity.shape.kinds[slot])
        return stored.value(as: type) ?? .null
    }

    /// Returns the value of an attribute in a record.
    func value(ofSlot slot: Int, _ attribute: Attribute, in record: Record) -> Value {
        if attribute.usesExternalForm {
            return externalData(at: slot, in: record).map { .data($0) } ?? .null
        }
        let stored = record.storedValue(slot, entity.shape.kinds[slot])
        guard case .enumeration = attribute.type else {
            return stored.value(as: attribute.type) ?? .null
        }
        return entity.model.value(stored, as: attribute.type) ?? .null
    }

    /// Returns the value at the end of a path of to-one relationships, or null if one of them is
    /// nil or references a deleted row.
    func value(atPath path: [String]) -> Value {
        var object = subject
        for (position, step) in path.dropLast().enumerated() {
            guard object.present != nil else { return .null }
            guard let relationship = object.entityDescription.relationship(named: step) else {
                // A name that is not a relationship is a composite value; the rest of the path
                // names a part.
                return object.properties.attributeValue(
                    named: path[position...].joined(separator: "."))
            }
            guard let destination = object.destination(of: relationship) else { return .null }
            object = destination
        }
        guard object.present != nil, let name = path.last else { return .null }
        if let relationship = object.entityDescription.relationship(named: name) {
            return object.destination(of: relationship).map { .int($0.key) } ?? .null
        }
        return object.properties.attributeValue(named: name)
    }

    /// Returns the property in a slot of a record, or nil if the slot is a part of another
    /// property.
    func property(at slot: Int, in record: Record) -> (name: String, value: PropertyValue)? {
        if let attribute = entity.attributes[slot] {
            let name = entity.layout.slots[slot].property
            return (name, .value(value(ofSlot: slot, attribute, in: record)))
        }
        guard
            let relationship = entity.relationships.first(where: {
                $0.slot == slot
            })
        else { return nil }
        return (relationship.relationship.name, .toOne(destinationID(of: relationship, in: record)))
    }

    /// Returns the id of the object that a to-one relationship references in a record.
    func destinationID(of relationship: RelationshipDescription, in record: Record) -> ObjectID? {
        guard let slot = relationship.slot, record.hasValue(slot) else { return nil }
        return id(
            of: LinkSet.Member(
                key: record.integer(slot),
                entity: subject.state.destinationEntity(of: relationship, in: record)))
    }

    /// Returns the ids of the objects that a relationship references, as far as they are known.
    func value(of relationship: RelationshipDescription, _ links: LinkSet) -> PropertyValue {
        let isWhole = links.stored != nil || lifecycle == .inserted || relationship.isTransient
        if !relationship.isToMany, isWhole { return .toOne(links.members.first.map(id)) }
        if isWhole { return .toMany(links.members.map(id)) }
        let removed = links.removed.map {
            id(of: LinkSet.Member(key: $0, entity: relationship.destination))
        }
        return .unread(added: Set(links.added.members.map(id)), removed: Set(removed))
    }

    /// Returns the id of a member of a relationship.
    func id(of member: LinkSet.Member) -> ObjectID {
        if let object = state.context?.registry.registered(member) { return object.objectID }
        return ObjectID(
            state.coordinator.model.entities[member.entity], key: member.key,
            store: state.coordinator.storeIdentifier(
                ofRoot: state.coordinator.model.entities[member.entity].rootIndex))
    }

    /// Returns the data in a slot in the external form. If its file was deleted, returns nil, and
    /// the context records the error.
    func externalData(at slot: Int, in record: Record) -> Data? {
        guard record.hasValue(slot) else { return nil }
        let bytes = record.bytes(slot)
        guard bytes.first == ExternalForm.file else { return Data(bytes.dropFirst()) }
        let name = String(decoding: bytes.dropFirst(), as: UTF8.self)
        do {
            return try files.externalData(named: name)
        } catch {
            if let newer = newerExternalData(at: slot, than: bytes) { return newer }
            let property = entity.layout.slots[slot].property
            state.context?.faulting.noteInaccessible(
                subject,
                StoreError(
                    code: .missingFile,
                    message: "The file of \(subject.objectID).\(property) cannot be read.",
                    remedy: "Restore it from a backup, or set another value.",
                    underlying: error))
            return Data()
        }
    }

    /// Returns the row's current value if another context has saved one after this object was read.
    /// That save has deleted the file of the former value.
    private func newerExternalData(at slot: Int, than bytes: UnsafeRawBufferPointer) -> Data? {
        let writer = RecordWriter()
        var row: PlacedRecord?
        let request = RowRequest(entity: entity, selection: .key(subject.key))
        try? state.store(ofRoot: entity.rootIndex)
            .fetch(request) { row = try $0.record(in: writer) }
        guard let row, row.record.hasValue(slot) else { return nil }
        let current = row.record.bytes(slot)
        if current.first == ExternalForm.inline { return Data(current.dropFirst()) }
        guard !current.elementsEqual(bytes) else { return nil }
        let name = String(decoding: current.dropFirst(), as: UTF8.self)
        return try? files.externalData(named: name)
    }

    /// The store of the files.
    private var files: any SharedStore { state.sharedStore(ofRoot: entity.rootIndex) }

    /// Returns a value as text for descriptions.
    func shown(at slot: Int, in record: Record) -> String {
        let stored = record.storedValue(slot, entity.shape.kinds[slot])
        guard let attribute = entity.attributes[slot] else {
            if case .integer(let key) = stored { return "\(key)" } else { return "nil" }
        }
        if case .blob(let bytes) = stored, attribute.usesExternalForm {
            return bytes.first == ExternalForm.file ? "data in a file" : "\(bytes.count - 1) bytes"
        }
        let value = entity.model.value(stored, as: attribute.type) ?? .null
        return if case .string(let text) = value {
            "\"\(text.excerpt())\""
        } else {
            "\(value)".excerpt()
        }
    }
}

/// Functions for one object, with shortcuts to its properties.
protocol ObjectAccess {
    /// The object.
    var subject: ManagedObject { get }
}

extension ObjectAccess {
    /// The description of the object's entity.
    @inline(__always) var entity: EntityDescription { subject.entityDescription }
    /// The part of the context's state that objects can access.
    @inline(__always) var state: ContextState { subject.state }
    /// The object's lifecycle.
    @inline(__always) var lifecycle: Lifecycle { subject.lifecycle }
    /// The object's change flags.
    @inline(__always) var flags: ChangeFlags { subject.flags }
    /// Whether reads of the object's properties are recorded for observers.
    @inline(__always) var notesReads: Bool { subject.notesReads }
    /// The object's extra state, or nil if it has none.
    @inline(__always) var extras: ObjectExtras? { subject.extras }
    /// The object's extra state. It is created if the object has none.
    @inline(__always) var ownExtras: ObjectExtras { subject.ownExtras }
}

/// An object as the subject of expressions that are evaluated in memory.
final class ObjectSubject: ExpressionSubject {
    let object: ManagedObject

    init(_ object: ManagedObject) {
        self.object = object
    }

    var expressionKey: Int64 { object.key }

    var expressionEntity: String { object.entityDescription.name }

    func value(ofAttribute name: String) -> Value {
        object.present == nil ? .null : object.properties.attributeValue(named: name)
    }

    func related(_ toOne: String) -> (any ExpressionSubject)? {
        guard object.present != nil,
            let relationship = object.entityDescription.relationship(named: toOne)
        else { return nil }
        return object.destination(of: relationship).map(ObjectSubject.init)
    }

    func relatedObjects(_ toMany: String) -> [any ExpressionSubject] {
        guard let relationship = object.entityDescription.relationship(named: toMany) else {
            return []
        }
        return object.links(relationship.ordinal).members
            .compactMap { object.object(for: $0).map(ObjectSubject.init) }
    }
}

// Access by name, for generic code.
extension ManagedObject {
    /// Returns the value of an attribute.
    ///
    /// - Throws: ``StoreError`` with `unknownName` if the entity has no such attribute.
    public final func value(forKey name: String) throws -> Value {
        let (slot, attribute) = try properties.attribute(named: name)
        if notesReads { noteRead(of: slot) }
        return properties.value(ofSlot: slot, attribute, in: readable)
    }

    /// Sets an attribute.
    ///
    /// - Throws: ``StoreError`` with `unknownName` if the entity has no such attribute, with
    ///   `invalidRequest` if the value is of another type or does not fit.
    public final func setValue(_ value: Value, forKey name: String) throws {
        let (slot, attribute) = try properties.attribute(named: name)
        guard attribute.derivation == nil else { throw entityDescription.isDerived(name) }
        guard let stored = entityDescription.model.stored(value, of: attribute) else {
            throw entityDescription.misfit(attribute, name)
        }
        switch stored {
        case .null: writeNull(slot)
        case .integer(let value): writeInteger(slot, value)
        case .real(let value) where attribute.type == .date: writeDate(slot, value)
        case .real(let value): writeReal(slot, value)
        case .text(let value): value.write(to: self, slot)
        case .blob(let value): value.write(to: self, slot)
        }
        extras?.unfitSlots.remove(slot)
    }

    /// Returns the object that a to-one relationship references.
    ///
    /// - Throws: ``StoreError`` with `unknownName` if the entity has no such relationship.
    public final func relatedObject(forKey name: String) throws -> ManagedObject? {
        let relationship = try properties.relationship(named: name) { !$0.isToMany }
        return destination(of: relationship)
    }

    /// Sets the object that a to-one relationship references; nil clears it.
    ///
    /// - Throws: ``StoreError`` with `unknownName` if the entity has no such relationship.
    public final func setRelatedObject(_ object: ManagedObject?, forKey name: String) throws {
        let relationship = try properties.relationship(named: name) { !$0.isToMany }
        setDestination(of: relationship, to: object)
    }

    /// Returns the objects that an ordered to-many relationship references.
    ///
    /// - Throws: ``StoreError`` with `unknownName` if the entity has no such relationship, or it is
    ///   not ordered.
    public final func orderedRelatedObjects(
        forKey name: String
    ) throws -> OrderedToMany<ManagedObject> {
        let relationship = try properties.relationship(named: name) { $0.isOrdered }
        return OrderedToMany(owner: self, ordinal: relationship.ordinal)
    }

    /// Returns the objects that a to-many relationship references. If it is ordered, they are in
    /// its order.
    ///
    /// - Throws: ``StoreError`` with `unknownName` if the entity has no such relationship.
    public final func relatedObjects(forKey name: String) throws -> ToMany<ManagedObject> {
        let relationship = try properties.relationship(named: name) { $0.isToMany }
        return ToMany(owner: self, ordinal: relationship.ordinal)
    }
}

// Primitive values, and the functions that custom accessors call around them.
extension ManagedObject {
    /// Returns the value of an attribute as it is in memory. It fires no fault and notifies no
    /// observers. The value of a fault is null.
    ///
    /// - Throws: ``StoreError`` with `unknownName` if the entity has no such attribute.
    public final func primitiveValue(forKey name: String) throws -> Value {
        if orReplacement !== self { return try orReplacement.primitiveValue(forKey: name) }
        let (slot, attribute) = try properties.attribute(named: name)
        guard let record else { return .null }
        return properties.value(ofSlot: slot, attribute, in: record)
    }

    /// Sets an attribute without recording a change. The object's flags and the context's sets stay
    /// the same, ``changedValues()`` does not contain it, observers are not notified, and it cannot
    /// be undone. The value is written if the object is new or is saved with other changes. A fault
    /// reads its row first.
    ///
    /// Use it in ``willSave()`` to set a value without another round:
    ///
    /// ```swift
    /// override func willSave() {
    ///     try? setPrimitiveValue(.date(Date()), forKey: "modified")
    /// }
    /// ```
    ///
    /// - Throws: ``StoreError`` with `unknownName` if the entity has no such attribute, with
    ///   `invalidRequest` if the value is of another type, does not fit, or is derived.
    public final func setPrimitiveValue(_ value: Value, forKey name: String) throws {
        if orReplacement !== self {
            return try orReplacement.setPrimitiveValue(value, forKey: name)
        }
        guard let context = state.context else { return }
        // With this flag, the object would record the slot without asking the context.
        let noted = flags.intersection(.isNoted)
        flags.subtract(noted)
        defer { flags.formUnion(noted) }
        try context.activity.withoutTracking { try setValue(value, forKey: name) }
    }

    // MARK: Custom accessors

    /// Reads the row of a fault. A custom getter calls it before ``primitiveValue(forKey:)``.
    public final func willAccessValue(forKey name: String?) {
        _ = readable
    }

    /// The counterpart of ``willAccessValue(forKey:)``. It does nothing, and exists for symmetry.
    public final func didAccessValue(forKey name: String?) {}

    /// Records a change of a property, before ``setPrimitiveValue(_:forKey:)`` makes it. A custom
    /// setter calls it first. A name that the model does not have is ignored.
    ///
    /// ```swift
    /// extension Product {
    ///     func write(title: String) throws {
    ///         willChangeValue(forKey: "title")
    ///         try setPrimitiveValue(.string(title), forKey: "title")
    ///         didChangeValue(forKey: "title")
    ///     }
    /// }
    /// ```
    public final func willChangeValue(forKey name: String) {
        if let slot = entityDescription.layout.slot(of: name) {
            _ = prepareChange(slot)
        } else if entityDescription.relationship(named: name) != nil {
            ownLinks.willChangeLinks()
        }
    }

    /// The counterpart of ``willChangeValue(forKey:)``. It does nothing, and exists for symmetry:
    /// observers are notified at the end of the event.
    public final func didChangeValue(forKey name: String) {}
}
