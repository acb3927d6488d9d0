import CambiumRecords

/// New objects that a save merged into others with the same unique values, and the objects of children
/// that were read from them.
struct Replacements: ContextAccess {
    let context: ManagedObjectContext

    /// Lets another object stand for one from now on.
    func replace(_ object: ManagedObject, by replacement: ManagedObject) {
        context.forget(object)
        object.row.becomeReplaced(by: replacement)
        registry.replacements[RowIdentity(object)] = RowIdentity(replacement)
        context.noteForEvent(object)
        if replacement.lifecycle == .clean { context.noteForEvent(replacement) }
    }

    /// The object that stands for the one of a row, here or further up; nil where none does.
    func replacement(of id: RowIdentity) -> ManagedObject? {
        if let other = registry.replacement(id.root, id.key) { return other }
        guard let above = parent?.replacements.replacement(of: id) else { return nil }
        return registry.object(entity: above.entityDescription.index, key: above.key)
    }

    /// Lets the objects of a child follow those of the parent.
    func followParent() {
        guard let parent else { return }
        for id in parent.replacements.replacedIDs.sorted() {
            if let object = registry[id] { followParent(object) }
        }
    }

    /// Lets an object of a child follow the parent's, where another one stands for that. What was
    /// changed here becomes a change of the other one.
    ///
    /// - Returns: Whether it does.
    @discardableResult
    func followParent(_ object: ManagedObject) -> Bool {
        guard let above = parent?.replacements.replacement(of: RowIdentity(object)) else {
            return false
        }
        let replacement = registry.object(entity: above.entityDescription.index, key: above.key)
        switch object.lifecycle {
        case .clean:
            break
        case .updated:
            var transfer = ChangeTransfer(to: context)
            transfer.add(object, object.settableChangedSlots, to: replacement)
            transfer.apply()
            object.reversal.takeBackLinks()
        case .deleted:
            context.delete(replacement)
        case .inserted, .discarded, .invalid:
            return false
        }
        changes.areStale = true
        replace(object, by: replacement)
        return true
    }

    /// The rows that others stand for, here or further up.
    private var replacedIDs: Set<RowIdentity> {
        Set(registry.replacements.keys).union(parent?.replacements.replacedIDs ?? [])
    }
}
