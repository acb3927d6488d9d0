import CambiumRecords

/// Lists that were read otherwise than the store has them, because of an object: without one that
/// other contexts have put there meanwhile and that unsaved changes have elsewhere, or with one
/// whose row others have deleted or led elsewhere and that stays until a save has met the conflict.
/// When the object merges what others saved, by a refresh, an undo or a merge, the lists have to be
/// read again.
struct DivergentLists: ContextAccess {
    let context: ManagedObjectContext

    /// Whether unsaved changes keep an object, which the store has among an owner's, away from
    /// there; what is read of the owner's members leaves it out.
    func isDeferred(
        _ member: ManagedObject, of owner: ManagedObject, _ relationship: RelationshipDescription
    ) -> Bool {
        guard member.ownLinks.hasLeft(owner, relationship) else { return false }
        // An owner that has noted a change is notified of its being taken back.
        if owner.extras?.links[relationship.ordinal]?.hasChange(of: member.key) != true {
            noteList(of: owner, relationship, hasMember: false, because: member)
        }
        return true
    }

    /// The members that the store has among an owner's, and those that lead there still because they
    /// have deferred what other contexts have saved.
    func addingDeferred(
        to members: [LinkSet.Member], of owner: ManagedObject,
        _ relationship: RelationshipDescription
    ) -> [LinkSet.Member] {
        if merges.deferred.isEmpty || relationship.isJoinTable { return members }
        if !relationship.isToMany, !members.isEmpty { return members }
        let family = coordinator.model.families[relationship.destination]
        let stored = Set(members.map(\.key))
        var all = members
        for member in merges.deferred
        where family.contains(member.entityDescription.index) && member.defersOthersRow
            && !stored.contains(member.key) && member.ownLinks.isMember(of: owner, relationship)
        {
            noteList(of: owner, relationship, hasMember: true, because: member)
            all.append(LinkSet.Member(key: member.key, entity: member.entityDescription.index))
        }
        return all
    }

    private func noteList(
        of owner: ManagedObject, _ relationship: RelationshipDescription, hasMember: Bool,
        because member: ManagedObject
    ) {
        let owner = LinkOwner(
            row: RowIdentity(owner), ordinal: relationship.ordinal, hasMember: hasMember)
        if merges.divergentLists[RowIdentity(member)]?.contains(owner) == true { return }
        merges.divergentLists[RowIdentity(member), default: []].append(owner)
    }

    /// Lets the lists be read again that an object leads to: they may have been read without it.
    func forget(with object: ManagedObject) {
        guard let record = object.record else { return }
        for relationship in object.entityDescription.relationships {
            guard let slot = relationship.slot, let inverse = relationship.inverse,
                record.hasValue(slot)
            else { continue }
            let owner = registry.registered(relationship, record.integer(slot))
            owner?.extras?.links[inverse]?.forget()
        }
    }

    /// Lets the lists be read again that an object made others than the store has them, after it
    /// has merged what other contexts saved. Those that it makes so still, as it has changes, are
    /// notified of it later.
    func forget(otherBecauseOf object: ManagedObject) {
        guard !merges.divergentLists.isEmpty,
            let lists = merges.divergentLists.removeValue(forKey: RowIdentity(object))
        else { return }
        for list in lists {
            guard let owner = registry[list.row] else { continue }
            let relationship = owner.entityDescription.relationships[list.ordinal]
            forget(list)
            // An undo may have led it back before it goes. Where a fault leads is not known, nor what
            // is in a list by its row.
            if relationship.isJoinTable || !object.isThere || object.record == nil
                || object.ownLinks.isMember(of: owner, relationship) != list.hasMember
            {
                context.noteOtherLinks(owner)
            } else if object.lifecycle == .updated || object.defersOthersRow {
                merges.divergentLists[RowIdentity(object), default: []].append(list)
            }
        }
    }

    /// Lets all lists be read again that any object made others than the store has them.
    func forgetAll() {
        for list in merges.divergentLists.values.joined() { forget(list) }
        merges.divergentLists = [:]
    }

    private func forget(_ list: LinkOwner) {
        guard let owner = registry[list.row] else { return }
        owner.extras?.links[list.ordinal]?.forget()
        if owner.notesReads { owner.notifyOfChange(of: .links(list.ordinal)) }
    }
}
