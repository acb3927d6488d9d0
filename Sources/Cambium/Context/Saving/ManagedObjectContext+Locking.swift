extension ManagedObjectContext {
    /// Lets an unchanged object take part in the conflict detection of the next save: for when what
    /// is saved rests on what this object says.
    ///
    /// The save fails, or resolves the conflict by ``mergePolicy``, if somebody else has changed or
    /// deleted the object meanwhile. It holds for the next save that succeeds. What the context
    /// has merged since, at the end of an event (``automaticallyMergesChangesFromParent``) or by
    /// ``mergePending()``, is no conflict any more. The save of a child hands it on to the
    /// ``parent``.
    ///
    /// ```swift
    /// order.total = price.amount * 3
    /// context.detectConflicts(for: price)
    /// try context.save()      // fails if the price is another one now
    /// ```
    ///
    /// - Parameter object: An object of this context. The row of a fault is read.
    public func detectConflicts(for object: ManagedObject) {
        guard object.state === state else { return recordForeign(object) }
        if object.isFault { fire(object) }
        let object = object.standIn
        guard object.lifecycle == .clean || object.lifecycle == .updated,
            !locked.contains(where: { $0 === object })
        else { return }
        object.ownExtras.lastEvent = eventNumber
        locked.append(object)
    }
}
