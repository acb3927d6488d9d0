import CambiumRecords

// New objects that a save gave up for others with the same unique values, and the objects of
// children that were read from them.
extension ManagedObjectContext {
    /// Lets another object stand for one from now on.
    func forward(_ object: ManagedObject, to survivor: ManagedObject) {
        forget(object)
        object.becomeForward(to: survivor)
        forwards[RowIdentity(object)] = RowIdentity(survivor)
        noteForEvent(object)
        if survivor.lifecycle == .clean { noteForEvent(survivor) }
    }

    /// The object that stands for the one of a row, here or further up; nil where none does.
    func survivor(of id: RowIdentity) -> ManagedObject? {
        if let survivor = forwarded(id.root, id.key) { return survivor }
        guard let above = parent?.survivor(of: id) else { return nil }
        return object(entity: above.entityDescription.index, key: above.key)
    }

    /// Lets the objects of a child follow those of the parent.
    func followForwards() {
        guard let parent else { return }
        for id in parent.forwardedIDs.sorted() {
            if let object = objects[id.root].map[id.key] { followForward(of: object) }
        }
    }

    /// Lets an object of a child follow the parent's, where another one stands for that. What was
    /// changed here becomes a change of the other one.
    ///
    /// - Returns: Whether it does.
    @discardableResult
    func followForward(of object: ManagedObject) -> Bool {
        guard let above = parent?.survivor(of: RowIdentity(object)) else { return false }
        let survivor = self.object(entity: above.entityDescription.index, key: above.key)
        switch object.lifecycle {
        case .clean:
            break
        case .updated:
            var transfer = ChangeTransfer(to: self)
            transfer.add(object, object.settableChangedSlots, to: survivor)
            transfer.apply()
            object.takeBackLinks()
        case .deleted:
            delete(survivor)
        case .inserted, .discarded, .gone:
            return false
        }
        listsAreStale = true
        forward(object, to: survivor)
        return true
    }

    /// The rows that others stand for, here or further up.
    private var forwardedIDs: Set<RowIdentity> {
        Set(forwards.keys).union(parent?.forwardedIDs ?? [])
    }
}
