// Lists that were read without an object which others have put there meanwhile, because unsaved
// changes of this context had it elsewhere. When the object takes over what others saved, by a
// refresh, an undo or a merge, the lists have to be read again.
extension ManagedObjectContext {
    /// Whether unsaved changes keep an object, which the store has among an owner's, away from
    /// there; what is read of the owner's members leaves it out.
    func isLeftOut(
        _ member: ManagedObject, of owner: ManagedObject, _ relationship: RelationshipDescription
    ) -> Bool {
        guard member.hasLeft(owner, relationship) else { return false }
        // An owner that it was read with hears of its coming and going.
        if !member.wasRead(with: owner, relationship) {
            leftLists[RowID(member), default: []]
                .append(LinkOwner(row: RowID(owner), ordinal: relationship.ordinal))
        }
        return true
    }

    /// Lets the lists be read again that were read without an object.
    func forgetLists(without object: ManagedObject) {
        if leftLists.isEmpty { return }
        for list in leftLists.removeValue(forKey: RowID(object)) ?? [] { forget(list) }
    }

    /// Lets all lists be read again that were read without any object.
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
struct LinkOwner {
    let row: RowID
    /// The number of the relationship.
    let ordinal: Int
}

extension ManagedObject {
    /// Whether the row that the object was last read with leads to an owner.
    fileprivate final func wasRead(
        with owner: ManagedObject, _ relationship: RelationshipDescription
    ) -> Bool {
        guard let base = extras?.snapshot?.record ?? record, let inverse = relationship.inverse,
            let slot = entityDescription.relationships[inverse].slot
        else { return true }
        return base.hasValue(slot) && base.integer(slot) == owner.key
    }
}
