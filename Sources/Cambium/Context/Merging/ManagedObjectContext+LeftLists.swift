import CambiumRecords

// Lists that were read otherwise than the store has them, because of an object: without one that
// others have put there meanwhile and that unsaved changes have elsewhere, or with one whose row
// others have deleted or led elsewhere and that stays until a save has met the conflict. When the
// object takes over what others saved, by a refresh, an undo or a merge, the lists have to be read
// again.
extension ManagedObjectContext {
    /// Whether unsaved changes keep an object, which the store has among an owner's, away from
    /// there; what is read of the owner's members leaves it out.
    func isLeftOut(
        _ member: ManagedObject, of owner: ManagedObject, _ relationship: RelationshipDescription
    ) -> Bool {
        guard member.hasLeft(owner, relationship) else { return false }
        // An owner that has noted a change hears of its being taken back.
        if owner.extras?.links[relationship.ordinal]?.hasChange(of: member.key) != true {
            noteList(of: owner, relationship, hasMember: false, because: member)
        }
        return true
    }

    /// The members that the store has among an owner's, and those that lead there still because they
    /// have left out what others have saved.
    func addingMissed(
        to members: [LinkSet.Member], of owner: ManagedObject,
        _ relationship: RelationshipDescription
    ) -> [LinkSet.Member] {
        if missed.isEmpty || relationship.isJoinTable { return members }
        if !relationship.isToMany, !members.isEmpty { return members }
        let family = coordinator.model.families[relationship.destination]
        let stored = Set(members.map(\.key))
        var all = members
        for member in missed
        where family.contains(member.entityDescription.index) && member.leavesOutOthersRow
            && !stored.contains(member.key) && member.isMember(of: owner, relationship)
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
        if leftLists[RowIdentity(member)]?.contains(owner) == true { return }
        leftLists[RowIdentity(member), default: []].append(owner)
    }

    /// Lets the lists be read again that an object leads to: they may have been read without it.
    func forgetLists(with object: ManagedObject) {
        guard let record = object.record else { return }
        for relationship in object.entityDescription.relationships {
            guard let slot = relationship.slot, let inverse = relationship.inverse,
                record.hasValue(slot)
            else { continue }
            let owner = registered(entity: relationship.destination, key: record.integer(slot))
            owner?.extras?.links[inverse]?.forget()
        }
    }

    /// Lets the lists be read again that an object made others than the store has them, after it has
    /// taken over what others saved. Those that it makes so still, as it has changes, hear of it later.
    func forgetLists(otherBecauseOf object: ManagedObject) {
        guard !leftLists.isEmpty, let lists = leftLists.removeValue(forKey: RowIdentity(object))
        else {
            return
        }
        for list in lists {
            guard let owner = objects[list.row.root].map[list.row.key] else { continue }
            let relationship = owner.entityDescription.relationships[list.ordinal]
            forget(list)
            // An undo may have led it back before it goes. Where a fault leads is not known, nor what
            // is in a list by its row.
            if relationship.isJoinTable || !object.isThere || object.record == nil
                || object.isMember(of: owner, relationship) != list.hasMember
            {
                noteOtherLinks(owner)
            } else if object.lifecycle == .updated || object.leavesOutOthersRow {
                leftLists[RowIdentity(object), default: []].append(list)
            }
        }
    }

    /// Lets all lists be read again that any object made others than the store has them.
    func forgetLeftLists() {
        for list in leftLists.values.joined() { forget(list) }
        leftLists = [:]
    }

    private func forget(_ list: LinkOwner) {
        guard let owner = objects[list.row.root].map[list.row.key] else { return }
        owner.extras?.links[list.ordinal]?.forget()
        if owner.notesReads { owner.tellOfChange(of: .links(list.ordinal)) }
    }
}

/// The links of a relationship of a row.
struct LinkOwner: Hashable {
    let row: RowIdentity
    /// The number of the relationship.
    let ordinal: Int
    /// Whether the links were read with the object that made them other than the store has them.
    let hasMember: Bool
}
