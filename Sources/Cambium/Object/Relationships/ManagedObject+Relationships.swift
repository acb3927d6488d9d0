import CambiumRecords

// Relationships by number, as generated accessors use them, and the upkeep of inverses.
extension ManagedObject {
    /// The object that a to-one relationship leads to.
    @_spi(Generated)
    public final func toOne<Destination: ManagedObject>(_ ordinal: Int) -> Destination? {
        destination(at: ordinal)?.cast(to: Destination.self)
    }

    /// The object that a required to-one relationship leads to. Where there is none (it was never
    /// set, or its row is gone) a ghost that reads as deleted, with placeholder values.
    @_spi(Generated)
    public final func requiredToOne<Destination: ManagedObject>(_ ordinal: Int) -> Destination {
        toOne(ordinal) ?? ghost(of: ordinal)
    }

    /// Leads a to-one relationship to an object, or nowhere.
    @_spi(Generated)
    public final func setToOne(_ ordinal: Int, _ object: ManagedObject?) {
        withRelationship(ordinal) { setDestination(of: $0, to: object) }
    }

    /// Calls the body with the description of a relationship.
    @inline(__always)
    final func withRelationship<Result>(
        _ ordinal: Int, _ body: (RelationshipDescription) -> Result
    ) -> Result {
        // Safety: the state holds the coordinator, which holds all descriptions as they are.
        uncounted(entityDescription).use { uncounted($0.relationships[ordinal]).use(body) }
    }

    /// The objects that a to-many relationship leads to.
    @_spi(Generated)
    public final func toMany<Destination: ManagedObject>(_ ordinal: Int) -> ToMany<Destination> {
        ToMany(owner: standIn, ordinal: ordinal)
    }

    // MARK: To one

    /// The destination of a to-one by its number.
    ///
    /// - Parameter known: The object's context, where it is at hand.
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
        if let known, known.state === state { return known.object(at: place, key: key) }
        if let object = state.registered.object(root: place.root, key: key) { return object }
        guard let context = state.context else {
            state.noteLostContext()
            return state.recorder?.destination(entity: place.destination, key: key)
        }
        return context.object(at: place, key: key)
    }

    final func destination(of relationship: RelationshipDescription) -> ManagedObject? {
        if let slot = relationship.slot {
            if notesReads { noteRead(of: slot) }
            let record = readable
            guard record.hasValue(slot) else { return nil }
            let entity = destinationEntity(of: relationship, in: record)
            let key = record.integer(slot)
            guard let context = state.context else {
                state.noteLostContext()
                return state.recorder?.destination(entity: entity, key: key)
            }
            return context.object(entity: entity, key: key)
        }
        return links(relationship.ordinal).members.first.flatMap { object(for: $0) }
    }

    /// The destination where the context has it: nobody else can have read its links.
    private func registeredDestination(of relationship: RelationshipDescription) -> ManagedObject? {
        guard let slot = relationship.slot else { return nil }
        let record = readable
        guard record.hasValue(slot) else { return nil }
        return state.context?.registered(
            entity: relationship.destination, key: record.integer(slot))
    }

    final func destinationEntity(
        of relationship: RelationshipDescription, in record: Record
    ) -> Int {
        state.coordinator.model.destination(of: relationship, in: record)
    }

    final func setDestination(of relationship: RelationshipDescription, to object: ManagedObject?) {
        if let row = state.batchRow { return row.set(relationship, of: self, to: object) }
        if let survivor = extras?.survivor {
            let same = survivor.entityDescription.relationships[relationship.ordinal]
            return survivor.setDestination(of: same, to: object)
        }
        // Safety: the caller holds the object.
        guard let object = object.map({ uncounted($0) }) else {
            return clearDestination(of: relationship)
        }
        object.use { object in
            guard isUsable(object, for: relationship) else { return }
            if object.lifecycle == .gone {
                lead(relationship, to: object.standIn)
            } else {
                lead(relationship, to: object)
            }
        }
    }

    private func clearDestination(of relationship: RelationshipDescription) {
        if relationship.isTransient { return setTransientDestination(of: relationship, to: nil) }
        guard relationship.slot != nil else { return clearFarDestination(of: relationship) }
        guard let inverse = relationship.inverse else { return clearKey(of: relationship) }
        let old = registeredDestination(of: relationship)
        // Before the key is another: whoever reads the lists after that does not find them as they
        // were. Of what has no order nothing is read.
        old?.willChangeLinks(of: inverse)
        clearKey(of: relationship)
        old?.noteUnlink(inverse, key)
    }

    private func lead(_ relationship: RelationshipDescription, to object: ManagedObject) {
        if relationship.isTransient {
            return setTransientDestination(of: relationship, to: object)
        }
        guard mayLink(relationship, to: object) else { return }
        guard relationship.slot != nil else {
            guard let inverse = relationship.inverse else { return }
            // The other side keeps the key.
            return object.withRelationship(inverse) { object.setDestination(of: $0, to: self) }
        }
        let old = registeredDestination(of: relationship)
        guard let inverse = relationship.inverse, old == nil || old !== object else {
            return writeKey(of: relationship, object)
        }
        old?.willChangeLinks(of: inverse)
        object.withRelationship(inverse) { opposite in
            if opposite.isOrdered { object.willChangeLinks(of: inverse) }
            writeKey(of: relationship, object)
            old?.noteUnlink(inverse, key)
            // The far side of a one-to-one lets its former partner go.
            if !opposite.isToMany, let partner = object.partner(opposite, besides: self) {
                partner.clearKey(of: relationship)
                object.noteUnlink(inverse, partner.key)
            }
            object.noteLink(opposite, self)
        }
    }

    /// Whom a one-to-one leads to whose key the other side keeps, beside an object that may lead
    /// here already.
    final func partner(
        _ relationship: RelationshipDescription, besides object: ManagedObject
    ) -> ManagedObject? {
        linksToChange(relationship.ordinal).members.first { $0.key != object.key }.flatMap {
            self.object(for: $0)
        }
    }

    /// Clears the side of a one-to-one whose key the other side keeps.
    private func clearFarDestination(of relationship: RelationshipDescription) {
        guard let inverse = relationship.inverse,
            let old = linksToChange(relationship.ordinal).members.first.flatMap({ object(for: $0) })
        else { return }
        old.withRelationship(inverse) { old.setDestination(of: $0, to: nil) }
    }

    private func clearKey(of relationship: RelationshipDescription) {
        guard let slot = relationship.slot else { return }
        writeNull(slot)
        if let entitySlot = relationship.entitySlot { writeNull(entitySlot) }
    }

    private func writeKey(of relationship: RelationshipDescription, _ object: ManagedObject) {
        guard let slot = relationship.slot else { return }
        writeInteger(slot, object.key)
        if let entitySlot = relationship.entitySlot {
            object.entityDescription.name.write(to: self, entitySlot)
        }
    }

    // MARK: To many

    /// The members of a to-many relationship, read if they were not; none where the context is gone,
    /// in which alone they can be found.
    final func members(_ ordinal: Int) -> [LinkSet.Member] {
        hasContext ? links(ordinal).members : []
    }

    /// Whether the context is there, in which alone members of relationships can be found.
    final var hasContext: Bool {
        if state.context != nil { return true }
        state.noteLostContext()
        return false
    }

    /// The links of a relationship kept elsewhere, read if they were not.
    final func links(_ ordinal: Int) -> LinkSet {
        if notesReads { noteRead(of: .links(ordinal)) }
        let relationship = entityDescription.relationships[ordinal]
        if relationship.isTransient { return transientLinks(of: relationship) }
        let known = extras?.links[ordinal] ?? LinkSet(isOrdered: relationship.isOrdered)
        guard let context = state.context, key != .min else { return known }
        if lifecycle == .inserted || lifecycle == .gone || lifecycle == .discarded {
            if let survivor = known.stored == nil ? extras?.survivor : nil {
                return survivor.links(ordinal)
            }
            return known.needsOrdering ? settled(known, ordinal) : known
        }
        if known.stored != nil, known.readAt >= context.lastChange(of: relationship) {
            return known.needsOrdering ? settled(known, ordinal) : known
        }
        var read = known
        guard context.readLinks(of: self, relationship, into: &read) else { return known }
        if !relationship.isJoinTable, read.hasChanges { keepUnsavedChanges(&read, relationship) }
        read.settleOrder()
        ownExtras.links[ordinal] = read
        return read
    }

    /// Keeps of the changes of a relationship those that the members' own unsaved changes make. A
    /// member may have none any more: they were undone or dropped, or others deleted it, or moved
    /// it where it was to stay.
    private func keepUnsavedChanges(_ links: inout LinkSet, _ relationship: RelationshipDescription)
    {
        guard let context = state.context else { return }
        func change(of key: Int64) -> ManagedObject? {
            let member = context.registered(entity: relationship.destination, key: key)
            return member?.flags.contains(.isDraft) == true || member?.lifecycle == .deleted
                ? member : nil
        }
        links.keepChanges(
            added: { change(of: $0.key)?.isMember(of: self, relationship) == true },
            removed: { change(of: $0)?.hasLeft(self, relationship) == true })
    }

    /// Links whose order is worked out, and kept.
    private func settled(_ links: LinkSet, _ ordinal: Int) -> LinkSet {
        var links = links
        links.settleOrder()
        ownExtras.links[ordinal] = links
        return links
    }

    final func object(for member: LinkSet.Member) -> ManagedObject? {
        guard let context = state.context else {
            state.noteLostContext()
            return state.recorder?.destination(entity: member.entity, key: member.key)
        }
        return context.object(entity: member.entity, key: member.key)
    }

    final func link(_ ordinal: Int, to object: ManagedObject) {
        let relationship = entityDescription.relationships[ordinal]
        if let row = state.batchRow { return row.refuse(relationship, of: self) }
        guard isUsable(object, for: relationship) else { return }
        let object = object.standIn
        if relationship.isTransient { return linkTransient(relationship, to: object) }
        guard relationship.isJoinTable else {
            // The destination keeps the key.
            guard let inverse = relationship.inverse else { return }
            return object.setDestination(
                of: object.entityDescription.relationships[inverse], to: self)
        }
        guard mayLink(relationship, to: object) else { return }
        noteLink(ordinal, object)
        if let inverse = relationship.inverse { object.noteLink(inverse, self) }
    }

    /// Whether the object is still there, so that another one can lead to it: the context remembers
    /// the mistake where it is not.
    private func mayLink(
        _ relationship: RelationshipDescription, to object: ManagedObject
    ) -> Bool {
        guard lifecycle == .gone || lifecycle == .discarded else { return true }
        let end = relationship.inverse.map { object.entityDescription.relationships[$0] }
        state.context?.recordForeignLink(object, end ?? relationship, self)
        return false
    }

    final func unlink(_ ordinal: Int, from object: ManagedObject) {
        let relationship = entityDescription.relationships[ordinal]
        if let row = state.batchRow { return row.refuse(relationship, of: self) }
        guard isUsable(object, for: relationship) else { return }
        let object = object.standIn
        if relationship.isTransient { return unlinkTransient(relationship, from: object) }
        guard relationship.isJoinTable else {
            guard let inverse = relationship.inverse else { return }
            let owner = object.entityDescription.relationships[inverse]
            if object.destination(of: owner) === self {
                object.setDestination(of: owner, to: nil)
            }
            return
        }
        noteUnlink(ordinal, object.key)
        if let inverse = relationship.inverse { object.noteUnlink(inverse, key) }
    }

    /// Notes that the other end now leads here, without reading what is there.
    final func noteLink(_ ordinal: Int, _ object: ManagedObject) {
        withRelationship(ordinal) { noteLink($0, object) }
    }

    private func noteLink(_ relationship: RelationshipDescription, _ object: ManagedObject) {
        guard lifecycle != .gone, lifecycle != .discarded else { return }
        willChangeLinks()
        keepEventLinks(relationship)
        let ordinal = relationship.ordinal
        let member = LinkSet.Member(key: object.key, entity: object.entityDescription.index)
        // Safety: the object keeps its extras.
        uncounted(ownExtras).use { extras in
            extras.links.prepare(ordinal, isOrdered: relationship.isOrdered)
            extras.links[ordinal]?.add(member)
        }
        if notesReads { tellOfChange(of: .links(ordinal)) }
    }

    final func noteUnlink(_ ordinal: Int, _ key: Int64) {
        guard lifecycle != .gone else { return }
        // A side that keeps the key itself has written it already.
        let relationship = entityDescription.relationships[ordinal]
        guard relationship.slot == nil else { return }
        willChangeLinks(of: ordinal)
        let extras = ownExtras
        extras.links.prepare(ordinal, isOrdered: relationship.isOrdered)
        extras.links[ordinal]?.remove(key)
        if notesReads { tellOfChange(of: .links(ordinal)) }
    }

    /// Keeps the links as they are before one of them comes or goes.
    private func willChangeLinks(of ordinal: Int) {
        // A new object that was deleted may still have its delete rules to follow: not to who has
        // left it since.
        let relationship = entityDescription.relationships[ordinal]
        guard relationship.slot == nil, lifecycle != .gone, lifecycle != .discarded else { return }
        willChangeLinks()
        keepEventLinks(relationship)
    }

    @inline(__always)
    final func willChangeLinks() {
        // Most links of one object are made one after the other.
        if lifecycle != .clean, flags.contains(.isNoted) { return }
        guard let context = state.context else { return state.noteLostContext() }
        context.willChangeLinks(self)
    }

    final var ownExtras: ObjectExtras {
        if let extras { return extras }
        let made = ObjectExtras()
        extras = made
        return made
    }

    /// An object of another context, or one that is gone, cannot be linked: the context remembers
    /// the mistake and the next save reports it.
    final func isUsable(
        _ object: ManagedObject, for relationship: RelationshipDescription
    ) -> Bool {
        if flags.contains(.isForgotten) {
            state.context?.recordForgotten(self)
            return false
        }
        if object.state === state, object.key != .min,
            object.entityDescription.index == relationship.destination
        {
            return true
        }
        guard object.state === state, object.key != .min else {
            state.context?.recordForeignLink(self, relationship, object)
            return false
        }
        let entity = object.entityDescription.index
        guard
            entity == relationship.destination
                || state.coordinator.model.families[relationship.destination].contains(entity)
        else {
            state.context?.recordWrongEntity(self, relationship, object)
            return false
        }
        return true
    }
}
