import CambiumRecords

/// An object that an undo has given former values and links: it drops those that are as the store has
/// them.
struct UndoneObject: ObjectAccess {
    let subject: ManagedObject

    /// Has no draft any more where all values are as the store has them.
    func dropEqualValues() {
        guard lifecycle == .updated, let extras, extras.unfitSlots.isEmpty,
            let snapshot = extras.snapshot, let record = subject.record
        else { return }
        for (slot, kind) in entity.shape.kinds.enumerated()
        where !record.isEqual(slot, kind, to: snapshot.record) {
            return
        }
        let base = subject.eventBaseRecord
        subject.row.becomeClean(snapshot)
        subject.lifecycle = .updated
        if let base { extras.eventBase = .copy(base) }
        subject.flags.insert(.hasOtherValues)
    }

    /// Becomes clean where all values and links are as the store has them.
    func becomeCleanIfUnchanged() {
        guard lifecycle == .updated, let extras else { return }
        for (ordinal, links) in extras.links where links.hasChanges {
            dropEqualLinks(links, entity.relationships[ordinal])
        }
        subject.row.becomeCleanWithoutChanges()
    }

    /// Drops the changes of a relationship where they lead to what the store has. What was read
    /// before may have been read without those that were deleted meanwhile, so it is read again.
    private func dropEqualLinks(_ links: LinkSet, _ relationship: RelationshipDescription) {
        var links = links
        if !relationship.isJoinTable {
            let settled = keysAsInMembers(of: links, relationship)
            if settled.count < links.added.keys.count + links.removed.count {
                // In an order each has its place beside the others.
                if relationship.isOrdered { return }
                for key in settled { links.forgetChange(of: key) }
                extras?.links[relationship.ordinal] = links
                return
            }
        }
        if relationship.isJoinTable || relationship.isOrdered {
            // Nothing is read of members that are deleted here, and they may come back.
            func mayComeBack(_ key: Int64) -> Bool {
                state.context?.registry.registered(relationship, key)?.lifecycle == .deleted
            }
            let keepsSome = links.removed.contains(where: mayComeBack)
            // What is not known may be other than it was.
            guard
                state.context?.linkReading.read(of: subject, relationship, into: &links) == true
            else { return }
            if keepsSome || links.members != links.stored {
                // One that is again as it was must follow what others do to it.
                guard relationship.isJoinTable else { return }
                let known = Set((links.stored ?? []).map(\.key))
                links.keepChanges(
                    added: { !known.contains($0.key) },
                    removed: { known.contains($0) || mayComeBack($0) })
            } else {
                links.discardChanges()
            }
        } else {
            links.discardChanges()
            links.forget()
        }
        let former = extras?.links[relationship.ordinal]
        extras?.links[relationship.ordinal] = links
        if let former { dropOtherSides(since: former, links, relationship) }
    }

    /// Looks at the other side of each pair of which this side notes nothing any more: of those that
    /// the undo has not changed.
    private func dropOtherSides(
        since former: LinkSet, _ links: LinkSet, _ relationship: RelationshipDescription
    ) {
        guard relationship.isJoinTable, let inverse = relationship.inverse else { return }
        for key in former.added.keys + Array(former.removed) where !links.hasChange(of: key) {
            let other = state.context?.registry.registered(relationship, key)
            guard let other, !other.flags.contains(.isNoted),
                let notes = other.extras?.links[inverse], notes.hasChange(of: subject.key)
            else { continue }
            UndoneObject(subject: other).dropEqualLinks(
                notes, other.entityDescription.relationships[inverse])
            other.row.becomeCleanWithoutChanges()
        }
    }

    /// The members about which the links say what their rows say, where these are as the store has
    /// them.
    private func keysAsInMembers(
        of links: LinkSet, _ relationship: RelationshipDescription
    ) -> [Int64] {
        guard let inverse = relationship.inverse else { return [] }
        func leadsHere(_ key: Int64) -> Bool? {
            guard
                let member = state.context?.registry.registered(relationship, key)
            else { return nil }
            if member.lifecycle == .discarded { return false }
            guard let record = member.record, !member.flags.contains(.isDraft),
                member.lifecycle == .clean || member.lifecycle == .updated,
                let slot = member.entityDescription.relationships[inverse].slot
            else { return nil }
            return record.hasValue(slot) && record.integer(slot) == subject.key
        }
        return links.added.keys.filter { leadsHere($0) == true }
            + links.removed.filter { leadsHere($0) == false }
    }
}
