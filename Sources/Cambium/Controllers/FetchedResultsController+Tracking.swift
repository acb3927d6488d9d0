extension FetchedResultsController {
    /// Fetches the results again and reports what is different: after ``fetchRequest`` was given
    /// other conditions or another order, or where the program knows of changes that nobody has
    /// told the context.
    ///
    /// The first call, before any ``performFetch()``, is one.
    ///
    /// - Throws: What ``performFetch()`` throws; the results are what they were then.
    public func refetch() throws {
        guard self.scope != nil else { return try performFetch() }
        managedObjectContext.mergeIfAutomatic()
        managedObjectContext.processChanges()
        guard !tracking.isDelivering else {
            tracking.isStale = true
            tracking.waiting.append(ObjectChanges())
            return
        }
        let (scope, order) = try currentScope()
        // What changed while nobody listened has ended the following.
        managedObjectContext.observers.add(self)
        tracking.isDelivering = true
        defer { finishDelivering() }
        try refetch(ChangedObjects(ObjectChanges()), scope, order)
    }

    // MARK: Tracking

    private var isTracking: Bool { delegate != nil || tracking.hasConsumers }

    func updateTracking() {
        guard scope != nil, isTracking else { return }
        managedObjectContext.observers.add(self)
        guard tracking.isStale else { return }
        managedObjectContext.mergeIfAutomatic()
        managedObjectContext.processChanges()
        if tracking.isStale { contextDidChange(ObjectChanges()) }
    }

    private func follow(_ changes: ObjectChanges, _ scope: ResultScope) {
        guard tracking.isStale || scope.isTouched(by: changes) else { return }
        let isKnown = !tracking.isStale && changes.isComplete
        tracking.isStale = true  // until it is known that nothing was missed
        do {
            if isKnown, !scope.needsRefetch {
                let edit = try list.edit(for: changes, scope, in: managedObjectContext)
                let difference = try list.apply(edit)
                tracking.isStale = false
                deliver(difference)
            } else {
                let changed = ChangedObjects(changes, of: scope.family)
                try refetch(changed, scope, list.order)
            }
        } catch {
            // The next save throws it. Whatever the context does next brings the list up to date.
            if !tracking.isBehind { managedObjectContext.errors.record(error) }
            tracking.isBehind = true
            managedObjectContext.observers.followersAreBehind = true
        }
    }

    /// Compares what the request finds now with what the list has, and reports the difference.
    private func refetch(
        _ changed: ChangedObjects, _ scope: ResultScope, _ order: ObjectOrder
    ) throws {
        let entries = try scope.fetchEntries(order, in: managedObjectContext)
        let new = try makeList(of: entries, scope, order)
        let isReordered = order.terms != list.order.terms
        let history = list.history(
            of: entries, changed, isReordered: isReordered,
            managedObjectContext.registry.roots[scope.request.entity.rootIndex])
        let difference = new.difference(from: FormerResults(list.state), history)
        // Released when the list is the new one: what goes with an object may look at it.
        let former = list
        list = new
        withExtendedLifetime(former) {}
        self.scope = scope
        tracking.isStale = false
        deliver(difference, isReordered: isReordered)
    }

    private func deliver(
        _ difference: FetchedResultsDifference<ManagedObject>, isReordered: Bool = false
    ) {
        tracking.isBehind = false
        guard !difference.isEmpty else { return }
        for consumer in tracking.consumers {
            consumer.receive(difference, list.state, isReordered: isReordered)
        }
        if let delegate { FetchedResultsDifference(difference).deliver(to: delegate, from: self) }
    }

    private func finishDelivering() {
        while !tracking.waiting.isEmpty, let scope { follow(tracking.waiting.removeFirst(), scope) }
        tracking.isDelivering = false
    }
}

extension FetchedResultsController: ChangeFollower {
    var watchedEntities: Set<Int> { scope?.watchedEntities ?? [] }

    var isBehind: Bool { tracking.isBehind }

    func contextWasReset() {
        tracking.isStale = true
    }

    func contextDidChange(_ changes: ObjectChanges) {
        guard isTracking else {
            tracking.isStale = true
            return managedObjectContext.observers.remove(self)
        }
        tracking.waiting.append(changes)
        guard !tracking.isDelivering else { return }
        tracking.isDelivering = true
        finishDelivering()
    }
}
