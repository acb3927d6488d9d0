import CambiumRecords

// Relationships by ordinal, for generated accessors.
extension ManagedObject {
    /// Returns the object that a to-one relationship references.
    @_spi(Generated)
    public final func toOne<Destination: ManagedObject>(_ ordinal: Int) -> Destination? {
        destination(at: ordinal)?.cast(to: Destination.self)
    }

    /// Returns the object that a required to-one relationship references. If there is none (it was
    /// never set, or its row was deleted), returns an invalid object with default values; it reads
    /// as deleted.
    @_spi(Generated)
    public final func requiredToOne<Destination: ManagedObject>(_ ordinal: Int) -> Destination {
        toOne(ordinal) ?? invalidObject(of: ordinal)
    }

    /// Sets the destination of a to-one relationship; nil clears it.
    @_spi(Generated)
    public final func setToOne(_ ordinal: Int, _ object: ManagedObject?) {
        withRelationship(ordinal) { setDestination(of: $0, to: object) }
    }

    /// Calls a closure with the description of a relationship.
    @inline(__always)
    final func withRelationship<Result>(
        _ ordinal: Int, _ body: (RelationshipDescription) -> Result
    ) -> Result {
        // Safety: the state retains the coordinator, and the coordinator retains all descriptions
        // and does not change them.
        uncounted(entityDescription).use { uncounted($0.relationships[ordinal]).use(body) }
    }

    /// Returns the objects that a to-many relationship references.
    @_spi(Generated)
    public final func toMany<Destination: ManagedObject>(_ ordinal: Int) -> ToMany<Destination> {
        ToMany(owner: orReplacement, ordinal: ordinal)
    }

    // MARK: To one

    /// Returns the destination of a to-one relationship, by its ordinal.
    ///
    /// - Parameter known: The object's context, if the caller has it.
    @inline(__always)
    final func destination(
        at ordinal: Int, in known: ManagedObjectContext? = nil
    ) -> ManagedObject? {
        // Safety: see `withRelationship`.
        guard let place = uncounted(entityDescription).use({ $0.keyPlaces[ordinal] }) else {
            return withRelationship(ordinal) { destination(of: $0) }
        }
        if notesReads { noteRead(of: place.slot) }
        let record = readable
        guard record.hasValue(place.slot) else { return nil }
        let key = record.integer(place.slot)
        if let known, known.state === state { return known.registry.object(at: place, key: key) }
        if let object = state.registered.object(root: place.root, key: key) { return object }
        guard let context = state.context else {
            state.noteLostContext()
            return state.recorder?.destination(entity: place.destination, key: key)
        }
        return context.registry.object(at: place, key: key)
    }

    package final func destination(of relationship: RelationshipDescription) -> ManagedObject? {
        if let slot = relationship.slot {
            if notesReads { noteRead(of: slot) }
            let record = readable
            guard record.hasValue(slot) else { return nil }
            let entity = state.destinationEntity(of: relationship, in: record)
            let key = record.integer(slot)
            guard let context = state.context else {
                state.noteLostContext()
                return state.recorder?.destination(entity: entity, key: key)
            }
            return context.registry.object(entity: entity, key: key)
        }
        return links(relationship.ordinal).members.first.flatMap { object(for: $0) }
    }

    final func setDestination(of relationship: RelationshipDescription, to object: ManagedObject?) {
        if let row = state.batchRow { return row.set(relationship, of: self, to: object) }
        if let replacement = extras?.replacement {
            let same = replacement.entityDescription.relationships[relationship.ordinal]
            return replacement.setDestination(of: same, to: object)
        }
        // Safety: the caller retains the object.
        guard let object = object.map({ uncounted($0) }) else {
            return ownLinks.clearDestination(of: relationship)
        }
        object.use { object in
            guard ownLinks.isUsable(object, for: relationship) else { return }
            if object.lifecycle == .invalid {
                ownLinks.setReference(relationship, to: object.orReplacement)
            } else {
                ownLinks.setReference(relationship, to: object)
            }
        }
    }

    // MARK: To many

    /// Whether the object's context exists. Without it, the members of relationships cannot be
    /// found.
    final var hasContext: Bool {
        if state.context != nil { return true }
        state.noteLostContext()
        return false
    }

    /// Returns the links of a relationship without a column in the row. Reads them if necessary.
    final func links(_ ordinal: Int) -> LinkSet {
        if notesReads { noteRead(of: .links(ordinal)) }
        let relationship = entityDescription.relationships[ordinal]
        if relationship.isTransient { return transients.links(of: relationship) }
        let known = extras?.links[ordinal] ?? LinkSet(isOrdered: relationship.isOrdered)
        guard let context = state.context, key != .min else { return known }
        if lifecycle == .inserted || lifecycle == .invalid || lifecycle == .discarded {
            if let replacement = known.stored == nil ? extras?.replacement : nil {
                return replacement.links(ordinal)
            }
            return known.needsOrdering ? ownLinks.settled(known, ordinal) : known
        }
        if known.stored != nil, known.readAt >= context.merges.lastChange(of: relationship) {
            return known.needsOrdering ? ownLinks.settled(known, ordinal) : known
        }
        var read = known
        guard context.linkReading.read(of: self, relationship, into: &read) else { return known }
        if !relationship.isJoinTable, read.hasChanges {
            ownLinks.keepUnsavedChanges(&read, relationship)
        }
        read.settleOrder()
        ownExtras.links[ordinal] = read
        return read
    }

    final func object(for member: LinkSet.Member) -> ManagedObject? {
        guard let context = state.context else {
            state.noteLostContext()
            return state.recorder?.destination(entity: member.entity, key: member.key)
        }
        return context.registry.object(member)
    }

    final var ownExtras: ObjectExtras {
        extras ?? makeExtras()
    }

    @inline(never)
    private final func makeExtras() -> ObjectExtras {
        let made = ObjectExtras()
        extras = made
        return made
    }

    /// Returns the objects that an ordered to-many relationship references.
    @_spi(Generated)
    public final func orderedToMany<Destination: ManagedObject>(
        _ ordinal: Int
    ) -> OrderedToMany<Destination> {
        OrderedToMany(owner: orReplacement, ordinal: ordinal)
    }

    /// Returns an invalid object with placeholder values, for an object that cannot be found.
    final func invalidObject<Destination: ManagedObject>(of ordinal: Int) -> Destination {
        let relationship = entityDescription.relationships[ordinal]
        return .invalidObject(
            of: state.coordinator.model.entities[relationship.destination], in: state)
    }

    /// Returns an object without a row, with placeholder values. It reads as deleted.
    static func invalidObject(of entity: EntityDescription, in state: ContextState) -> Self {
        let object = Self(
            ObjectRegistration(
                state: state, entity: entity, key: .min, placed: entity.template,
                lifecycle: .invalid))
        object.ownExtras.vanished = true
        return object
    }
}

// Information about relationships without reading their objects.
extension ManagedObject {
    /// Returns whether the use of a relationship would read from the store: the object is a fault,
    /// or the members of the to-many relationship were not read yet. It reads nothing itself.
    /// Returns false if the object's context was released, because no data can be read then.
    ///
    /// - Throws: ``StoreError`` with `unknownName` if the entity has no such relationship.
    public final func hasFault(forRelationship name: String) throws -> Bool {
        if orReplacement !== self { return try orReplacement.hasFault(forRelationship: name) }
        let relationship = try properties.relationship(named: name)
        guard let context = state.context else { return false }
        switch lifecycle {
        case .inserted, .discarded, .invalid: return false
        case .clean, .updated, .deleted: break
        }
        if relationship.isTransient { return false }
        if relationship.slot != nil { return record == nil }
        guard let links = extras?.links[relationship.ordinal], links.stored != nil else {
            return true
        }
        return links.readAt < context.merges.lastChange(of: relationship)
    }

    /// Returns the ids of the objects that a relationship references: in its order, or sorted by
    /// key if it is not ordered. For a to-one relationship, at most one. Creates no objects. If
    /// ``hasFault(forRelationship:)`` returns true, it reads the keys.
    ///
    /// - Throws: ``StoreError`` with `unknownName` if the entity has no such relationship; any
    ///   error of the store.
    public final func objectIDs(forRelationship name: String) throws -> [ObjectID] {
        if orReplacement !== self { return try orReplacement.objectIDs(forRelationship: name) }
        let relationship = try properties.relationship(named: name)
        if relationship.slot != nil {
            return properties.destinationID(of: relationship, in: readable).map { [$0] } ?? []
        }
        guard let context = state.context, try hasFault(forRelationship: name) else {
            return links(relationship.ordinal).members.map(properties.id)
        }
        // A later iteration reads the members' rows in one statement, so reading the keys here does
        // not count as reading the relationship.
        var links =
            extras?.links[relationship.ordinal] ?? LinkSet(isOrdered: relationship.isOrdered)
        try context.linkReading.readKeys(of: self, relationship, into: &links)
        links.settleOrder()
        return links.members.map(properties.id)
    }
}

/// Sets the links that a handler of a batch insertion sets on its object. The object is in no
/// context.
final class BatchRowLinks {
    private var error: StoreError?

    /// Returns and clears the error for a link that could not be set.
    func takeError() -> StoreError? {
        defer { error = nil }
        return error
    }

    /// Sets a to-one relationship to a saved object of any context.
    func set(
        _ relationship: RelationshipDescription, of row: ManagedObject, to object: ManagedObject?
    ) {
        let description = row.entityDescription
        let name = relationship.relationship.name
        do {
            let slot = try description.assignableSlot(name)
            guard let object else {
                row.writeNull(slot)
                if let entitySlot = relationship.entitySlot { row.writeNull(entitySlot) }
                return
            }
            let target = object.orReplacement
            let isUsable =
                target.state.coordinator === row.state.coordinator
                && row.state.coordinator.model.families[relationship.destination]
                    .contains(target.entityDescription.index)
            guard isUsable else {
                throw StoreError(
                    code: .objectOfAnotherContext,
                    message: "\(description.name).\(name) was set to \(target), which is in "
                        + "another container or of another entity.",
                    remedy: "Set it to an object of \(relationship.relationship.destination) in "
                        + "this container.")
            }
            guard !target.objectID.isTemporary else {
                throw StoreError.invalidRequest(
                    "\(description.name).\(name) was set to \(target), which is not in "
                        + "the store yet.",
                    remedy: "Save that object first.")
            }
            row.writeInteger(slot, target.key)
            if let entitySlot = relationship.entitySlot {
                target.entityDescription.name.write(to: row, entitySlot)
            }
        } catch {
            refuse(error)
        }
    }

    /// Records an error: a to-many relationship was changed, and a batch insertion cannot do that.
    func refuse(_ relationship: RelationshipDescription, of row: ManagedObject) {
        do {
            _ = try row.entityDescription.assignableSlot(relationship.relationship.name)
        } catch {
            refuse(error)
        }
    }

    private func refuse(_ error: any Error) {
        guard self.error == nil else { return }
        self.error =
            error as? StoreError
            ?? StoreError(
                code: .invalidRequest, message: "\(error)",
                remedy: "Correct the value that the row is filled with.", underlying: error)
    }
}
