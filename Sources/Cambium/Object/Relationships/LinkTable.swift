import CambiumRecords

/// The links of an object's relationships, by the ordinals of the relationships.
///
/// It is an array with gaps: the ordinals are small, and hashing one would take longer than the
/// other work on a set of links.
struct LinkTable {
    private var sets: [LinkSet?] = []

    var isEmpty: Bool { sets.allSatisfy { $0 == nil } }

    var keys: [Int] { sets.indices.filter { sets[$0] != nil } }

    var values: [LinkSet] { sets.compactMap(\.self) }

    subscript(ordinal: Int) -> LinkSet? {
        get { ordinal < sets.count ? sets[ordinal] : nil }
        // In place: a set that is removed and put back would be copied when it changes.
        _modify {
            makeRoom(for: ordinal)
            yield &sets[ordinal]
        }
    }

    /// Makes sure that a relationship has a set of links that can be changed.
    ///
    /// - Parameter isOrdered: Whether the relationship is ordered.
    @inline(__always)
    mutating func prepare(_ ordinal: Int, isOrdered: Bool) {
        makeRoom(for: ordinal)
        if sets[ordinal] == nil { sets[ordinal] = LinkSet(isOrdered: isOrdered) }
    }

    @inline(__always)
    private mutating func makeRoom(for ordinal: Int) {
        if sets.count <= ordinal { grow(to: ordinal + 1) }
    }

    @inline(never)
    private mutating func grow(to count: Int) {
        while sets.count < count { sets.append(nil) }
    }
}

extension LinkTable: Sequence {
    func makeIterator() -> some IteratorProtocol<(key: Int, value: LinkSet)> {
        sets.enumerated().lazy.compactMap { ordinal, links in
            links.map { (key: ordinal, value: $0) }
        }.makeIterator()
    }
}

extension LinkTable: ExpressibleByDictionaryLiteral {
    init(dictionaryLiteral elements: (Int, LinkSet)...) {
        for (ordinal, links) in elements { self[ordinal] = links }
    }
}

/// Undoes an object's unsaved links, on both sides.
struct LinkReversal: ObjectAccess {
    let subject: ManagedObject

    /// Undoes unsaved links of this object on both sides, before its own changes are discarded.
    func takeBackLinks() {
        takeBackLinksElsewhere()
        for relationship in entity.relationships where relationship.isJoinTable {
            extras?.links[relationship.ordinal] = nil
        }
    }

    /// Undoes unsaved links of this object on the other sides.
    func takeBackLinksElsewhere() {
        for relationship in entity.relationships {
            guard let inverse = relationship.inverse else { continue }
            if relationship.slot != nil {
                guard let record = subject.record, let base = extras?.snapshot?.record else {
                    continue
                }
                for row in [record, base] { forgetEnd(of: relationship, in: row) }
            } else if relationship.isJoinTable, let links = extras?.links[relationship.ordinal] {
                for other in links.added.keys + Array(links.removed) {
                    registered(relationship, other)?.reversal.forgetLink(inverse, to: subject.key)
                }
            }
        }
    }

    /// Restores the stored partners that unsaved changes have linked to other objects: a one-to-one
    /// relationship has one partner.
    func takeBackPartners() {
        guard let record = subject.record, let base = extras?.snapshot?.record else { return }
        for relationship in entity.relationships {
            guard let slot = relationship.slot, let inverse = relationship.inverse,
                entity.partnerSlots.contains(slot),
                !record.isEqual(slot, entity.shape.kinds[slot], to: base)
            else { continue }
            let other = base.hasValue(slot) ? registered(relationship, base.integer(slot)) : nil
            if relationship.isOwnInverse {
                let partner = other?.canBeRestored == true ? other : nil
                subject.setDestination(of: relationship, to: partner)
                continue
            }
            guard let other else { continue }
            other.ownLinks.partner(
                other.entityDescription.relationships[inverse], besides: subject)?
                .setDestination(of: relationship, to: nil)
        }
    }

    /// Undoes, on the other sides, unsaved to-one links that the object has discarded in favour of
    /// another context's saved values.
    ///
    /// - Parameter former: The values before.
    func takeBackLinks(whereOtherThan former: Record) {
        guard let record = subject.record else { return }
        for relationship in relationships(whereOtherThan: former) {
            for row in [record, former] { forgetEnd(of: relationship, in: row) }
        }
    }

    /// Marks the objects that to-one relationships reference in a row to be read again, if the
    /// object now references different ones.
    func takeBackFormerEnds(in row: Record) {
        for relationship in relationships(whereOtherThan: row) {
            forgetEnd(of: relationship, in: row)
        }
    }

    /// Returns the to-one relationships in the row that the object has changed.
    private func relationships(whereOtherThan row: Record) -> [RelationshipDescription] {
        guard let record = subject.record else { return [] }
        return entity.relationships.filter { relationship in
            guard let slot = relationship.slot else { return false }
            return !record.isEqual(slot, entity.shape.kinds[slot], to: row)
        }
    }

    /// Marks the far side of a to-one relationship in a row to be read again.
    private func forgetEnd(of relationship: RelationshipDescription, in row: Record) {
        guard let slot = relationship.slot, let inverse = relationship.inverse, row.hasValue(slot)
        else { return }
        registered(relationship, row.integer(slot))?.reversal.forgetLink(inverse, to: subject.key)
    }

    /// Undoes the positions that this object gave to the members of its lists. If the members have
    /// the key column, membership is their own change.
    func takeBackPlaces() {
        for relationship in entity.relationships where relationship.isOrdered {
            extras?.links[relationship.ordinal]?.discardPlaces()
        }
    }

    private func registered(
        _ relationship: RelationshipDescription, _ key: Int64
    ) -> ManagedObject? {
        state.context?.registry.registered(relationship, key)
    }

    /// Discards the changes of one member of a relationship. Its links are read again.
    func forgetLink(_ ordinal: Int, to key: Int64) {
        let isChange = extras?.links[ordinal]?.hasChange(of: key) == true
        extras?.links[ordinal]?.forgetChange(of: key)
        if notesReads { subject.notifyOfChange(of: .links(ordinal)) }
        if isChange { state.context?.noteOtherLinks(subject) }
        subject.row.becomeCleanWithoutChanges()
    }
}

/// The links of an object's transient relationships. They exist only in memory. Both sides are kept
/// consistent, as in stored relationships. A deleted or refreshed object is removed from the other
/// sides; a save or a rollback does not change them.
///
/// In a child context, an object shows the links of its parent's object until it changes them.
struct TransientLinks: ObjectAccess {
    let subject: ManagedObject

    /// Returns the links of a transient relationship; a to-one has at most one.
    func links(of relationship: RelationshipDescription) -> LinkSet {
        if let links = extras?.transientLinks[relationship.ordinal] { return links }
        if state.parentReader != nil { return inherited(of: relationship) }
        return LinkSet(isOrdered: relationship.isOrdered)
    }

    /// Sets the destination of a transient to-one relationship; nil clears it.
    func setDestination(of relationship: RelationshipDescription, to object: ManagedObject?) {
        let old = subject.destination(of: relationship)
        guard old !== object else { return }
        if let old { unlink(relationship, from: old) }
        if let object { link(relationship, to: object) }
    }

    /// Links an object, and the inverse if there is one.
    func link(_ relationship: RelationshipDescription, to object: ManagedObject) {
        guard !links(of: relationship).contains(object.key) else { return }
        if !relationship.isToMany, let old = subject.destination(of: relationship) {
            unlink(relationship, from: old)
        }
        noteLink(relationship, to: object)
        guard let inverse = object.transients.inverse(of: relationship) else { return }
        if !inverse.isToMany, let partner = object.destination(of: inverse), partner !== subject {
            object.transients.unlink(inverse, from: partner)
        }
        object.transients.noteLink(inverse, to: subject)
    }

    /// Removes a link, and the inverse if there is one.
    func unlink(_ relationship: RelationshipDescription, from object: ManagedObject) {
        noteUnlink(relationship, from: object)
        if let inverse = object.transients.inverse(of: relationship) {
            object.transients.noteUnlink(inverse, from: subject)
        }
    }

    /// Removes the object from all other sides.
    ///
    /// - Parameter keepsDenying: Whether relationships with the delete rule deny are kept. They are
    ///   checked later.
    func drop(keepsDenying: Bool = false) {
        if state.parentReader != nil { inherit() }
        guard let links = extras?.transientLinks, !links.isEmpty else { return }
        for (ordinal, set) in links {
            let relationship = entity.relationships[ordinal]
            if keepsDenying, relationship.relationship.deleteRule == .deny { continue }
            for member in set.members {
                // If a child context has no object for it yet, the parent has the link.
                let other =
                    state.parentReader == nil
                    ? state.context?.registry.registered(member)
                    : subject.object(for: member)
                if let other {
                    unlink(relationship, from: other)
                }
            }
            extras?.transientLinks[ordinal] = nil
        }
    }

    private func inverse(of relationship: RelationshipDescription) -> RelationshipDescription? {
        relationship.inverse.map { entity.relationships[$0] }
    }

    private func noteLink(_ relationship: RelationshipDescription, to object: ManagedObject) {
        guard lifecycle != .invalid, lifecycle != .discarded else { return }
        subject.ownLinks.willChangeLinks()
        subject.tracking.keepEventLinks(relationship)
        var links = self.links(of: relationship)
        links.add(LinkSet.Member(key: object.key, entity: object.entityDescription.index))
        ownExtras.transientLinks[relationship.ordinal] = links
        if notesReads { subject.notifyOfChange(of: .links(relationship.ordinal)) }
    }

    private func noteUnlink(_ relationship: RelationshipDescription, from object: ManagedObject) {
        var links = self.links(of: relationship)
        guard links.contains(object.key) else { return }
        if lifecycle != .invalid, lifecycle != .discarded, lifecycle != .deleted {
            subject.ownLinks.willChangeLinks()
            subject.tracking.keepEventLinks(relationship)
        }
        links.remove(object.key)
        ownExtras.transientLinks[relationship.ordinal] = links
        if notesReads { subject.notifyOfChange(of: .links(relationship.ordinal)) }
    }

    /// Returns the links of a transient relationship in the parent's object.
    func inherited(of relationship: RelationshipDescription) -> LinkSet {
        var links = LinkSet(isOrdered: relationship.isOrdered)
        guard
            let above = state.context?.parent?
                .registry.registered(entity: entity.index, key: subject.key),
            above.entityDescription.relationships.indices.contains(relationship.ordinal)
        else { return links }
        let same = above.entityDescription.relationships[relationship.ordinal]
        links.setStored(above.transients.links(of: same).members, at: 0)
        return links
    }

    /// Copies the inherited links to the object, so that they can be removed.
    func inherit() {
        for relationship in entity.relationships
        where relationship.isTransient && extras?.transientLinks[relationship.ordinal] == nil {
            let links = inherited(of: relationship)
            if !links.members.isEmpty {
                ownExtras.transientLinks[relationship.ordinal] = links
            }
        }
    }

    /// Discards unsaved changes, so that the links of the parent's object are shown again.
    func forget() {
        for (ordinal, links) in extras?.transientLinks ?? [:] {
            let relationship = entity.relationships[ordinal]
            guard let inverse = relationship.inverse else { continue }
            for key in links.added.keys + Array(links.removed) {
                state.context?.registry.registered(relationship, key)?
                    .extras?.transientLinks[inverse] = nil
            }
        }
        extras?.transientLinks = [:]
    }

    /// Makes the links saved: the parent's object has them now.
    func commit() {
        guard let extras, !extras.transientLinks.isEmpty else { return }
        for ordinal in extras.transientLinks.keys {
            extras.transientLinks[ordinal]?.commit()
        }
    }
}
