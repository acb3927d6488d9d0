import CambiumRecords

/// Takes an object's unsaved links back, on both sides.
struct LinkReversal: ObjectAccess {
    let subject: ManagedObject

    /// Takes unsaved links of this object back, on both sides, before its own changes are dropped.
    func takeBackLinks() {
        takeBackLinksElsewhere()
        for relationship in entity.relationships where relationship.isJoinTable {
            extras?.links[relationship.ordinal] = nil
        }
    }

    /// Takes unsaved links of this object back at the other ends.
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

    /// Takes the partners back that the object has in the store and has lost to others here: nobody
    /// has two.
    func takeBackPartners() {
        guard let record = subject.record, let base = extras?.snapshot?.record else { return }
        for relationship in entity.relationships {
            guard let slot = relationship.slot, let inverse = relationship.inverse,
                entity.partnerSlots.contains(slot), base.hasValue(slot),
                !record.hasValue(slot) || record.integer(slot) != base.integer(slot),
                let other = registered(relationship, base.integer(slot))
            else { continue }
            other.ownLinks.partner(
                other.entityDescription.relationships[inverse], besides: subject)?
                .setDestination(of: relationship, to: nil)
        }
    }

    /// Takes back, at the other ends, what was noted of to-ones that the object has let go of in
    /// favour of what other contexts have saved.
    ///
    /// - Parameter former: The values before.
    func takeBackLinks(whereOtherThan former: Record) {
        guard let record = subject.record else { return }
        for relationship in relationships(whereOtherThan: former) {
            for row in [record, former] { forgetEnd(of: relationship, in: row) }
        }
    }

    /// Lets the other ends be read again to which to-ones have led in a row, where the object leads
    /// elsewhere.
    func takeBackFormerEnds(in row: Record) {
        for relationship in relationships(whereOtherThan: row) {
            forgetEnd(of: relationship, in: row)
        }
    }

    /// The to-ones that the row keeps and that the object has led elsewhere.
    private func relationships(whereOtherThan row: Record) -> [RelationshipDescription] {
        guard let record = subject.record else { return [] }
        return entity.relationships.filter { relationship in
            guard let slot = relationship.slot else { return false }
            return !record.isEqual(slot, entity.shape.kinds[slot], to: row)
        }
    }

    /// Lets the far end of a to-one in a row be read again.
    private func forgetEnd(of relationship: RelationshipDescription, in row: Record) {
        guard let slot = relationship.slot, let inverse = relationship.inverse, row.hasValue(slot)
        else { return }
        registered(relationship, row.integer(slot))?.reversal.forgetLink(inverse, to: subject.key)
    }

    /// Takes back where this object put the members of its lists. The members themselves are
    /// others' changes where they keep the key.
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

    /// Forgets what was changed about one member of a relationship, which is read again.
    func forgetLink(_ ordinal: Int, to key: Int64) {
        let isChange = extras?.links[ordinal]?.hasChange(of: key) == true
        extras?.links[ordinal]?.forgetChange(of: key)
        if notesReads { subject.notifyOfChange(of: .links(ordinal)) }
        if isChange { state.context?.noteOtherLinks(subject) }
        subject.row.becomeCleanWithoutChanges()
    }
}
