import CambiumRecords

/// Lets deleted objects live again, and finds those that can be linked to.
struct Revival: ContextAccess {
    let context: ManagedObjectContext

    /// Lets an object live that the next save was to delete.
    func takeBackDeletion(of object: ManagedObject) {
        changes.unpropagated.removeAll { $0 === object }
        if object.record == nil { errors.failedReads.removeAll(of: RowIdentity(object)) }
        let isChanged =
            object.flags.contains(.isDraft) || object.extras?.hasRelationshipChanges == true
        object.lifecycle = isChanged ? .updated : .clean
        if isChanged { changes.updated.append(object) }
        changes.areStale = true
        // What others have saved meanwhile it takes over when all is undone.
        if object.extras?.deferred == .change {
            object.extras?.deferred = .nothing
            deferredMerges.postpone(object)
        }
        divergentLists.forget(otherBecauseOf: object)
        // What came and went with it in one event. What comes back links itself again.
        for (ordinal, links) in object.extras?.links ?? [:] {
            for member in links.added.members {
                let other = registry.registered(member)
                if other?.canBeRestored == true { continue }
                object.extras?.links[ordinal]?.forgetChange(of: member.key)
            }
        }
    }

    /// The object of a key, where it can be linked to.
    func livingObject(_ member: LinkSet.Member) -> ManagedObject? {
        let object = registry.object(member)
        guard object.isFault, object.lifecycle == .clean else {
            return object.canBeRestored ? object : nil
        }
        // A fault may stand for a row that another context has deleted.
        if faulting.hasRow(object) { return object.orReplacement }
        // Nor are its links to be changed.
        object.row.becomePlaceholder()
        object.row.becomeGone()
        return nil
    }
}
