import CambiumRecords

/// Reads the rows of faults.
struct Faulting: ContextAccess {
    let context: ManagedObjectContext

    /// Reads the row of a fault. It never throws: if the row was deleted, the object shows
    /// placeholder values from then on. If the row could not be read, the object stays a fault. The
    /// next save throws the error.
    func fire(_ object: ManagedObject) {
        guard object.record == nil else { return }
        // That its row was deleted is known already.
        if object.lifecycle == .invalid || object.lifecycle == .discarded {
            return object.row.becomePlaceholder()
        }
        do {
            try load(object)
        } catch let error as StoreError where error.code == .missingRow {
            return showPlaceholder(object, because: error)
        } catch {
            return noteFailedRead(.row(RowIdentity(object)), of: object, error)
        }
        if object.record == nil, !replacements.followParent(object) {
            showPlaceholder(object, because: StoreError.missingRow(of: object))
        }
    }

    /// Whether an object has a row. Reads the row if necessary. The library uses it for its own
    /// checks: a deleted row is not an error then, and the object stays a fault. If the row cannot
    /// be read, the result is true: the next use of the object records the error.
    @inline(never)
    func hasRow(_ object: ManagedObject) -> Bool {
        if object.record != nil { return true }
        if object.lifecycle == .invalid || object.lifecycle == .discarded {
            return object.orReplacement !== object
        }
        do {
            try load(object)
        } catch {
            guard (error as? StoreError)?.code == .missingRow else { return true }
        }
        return object.record != nil || replacements.followParent(object)
    }

    /// Shows placeholder values in an object with a deleted row.
    private func showPlaceholder(_ object: ManagedObject, because error: StoreError) {
        object.row.becomePlaceholder()
        object.row.becomeInvalid()
        if observers.wantsChanges { changes.invalidatedInEvent.append(object) }
        context.noteForEvent(object)
        if context.shouldDeleteInaccessibleFaults { return }
        noteInaccessible(object, error)
    }

    /// Reads the row of a fault. If there is no row, the object stays a fault.
    ///
    /// The coordinator's row cache is consulted before the store, see
    /// ``ManagedObjectContext/stalenessInterval``. If rows of any age are accepted, a row from the
    /// store may be slightly out of date, too.
    @inline(never)
    func load(_ fault: ManagedObject) throws {
        if takeCached(fault) { return activity.withoutTracking { fault.awakeFromFetch() } }
        // Safety: the coordinator keeps its model and its row cache.
        try uncounted(coordinator.model).use { model in
            try uncounted(model.entities[fault.entityDescription.rootIndex]).use { root in
                let commit = coordinator.rowCache.commit
                let mayBeOld = reads.usesRowCache && context.stalenessInterval < 0
                guard
                    let read = try readRow(fault.key, ofRoot: root, at: mayBeOld ? commit : nil)
                else { return }
                fault.placed = read.placed
                // The object has the row itself: the cache is for other readers.
                if reads.usesRowCache,
                    context.stalenessInterval >= 0 || coordinator.hasSeveralContexts
                {
                    uncounted(model.entities[read.entity]).use { entity in
                        coordinator.rowCache.insertShared(
                            RowCache.Row(entity: entity, placed: read.placed), readAt: commit)
                    }
                }
                // Afterwards: a hook may fetch, and the store is busy meanwhile.
                activity.withoutTracking { fault.awakeFromFetch() }
            }
        }
    }

    private func readRow(
        _ key: Int64, ofRoot root: EntityDescription, at commit: Int64?
    ) throws -> ReadRow? {
        // The most frequent read, without a detour.
        if reads.usesRowCache, reads.logs.isEmpty {
            return try coordinator.readRow(key, ofRoot: root, at: commit, into: reads.faultWriter)
        }
        return try reads.store(of: root).readRow(
            key, ofRoot: root, at: commit, into: reads.faultWriter)
    }

    /// Gives a fault its row from the row cache.
    ///
    /// - Returns: Whether the cache has the row, and it is recent enough.
    private func takeCached(_ fault: ManagedObject) -> Bool {
        guard reads.usesRowCache, fault.record == nil, !coordinator.rowCache.isEmpty,
            let entry = coordinator.rowCache.entry(
                RowIdentity(fault), within: context.stalenessInterval)
        else { return false }
        fault.placed = entry.placed
        return true
    }

    /// Puts the row of an object that turns into a fault into the row cache, for later reads.
    func remember(_ object: ManagedObject) {
        // Values that were set without being recorded as changes are not in the store.
        let base = object.extras?.snapshot ?? object.extras?.quietChanges?.base
        guard reads.usesRowCache, object.extras?.deferred ?? .nothing == .nothing,
            let placed = base ?? object.placed,
            base != nil || !object.flags.contains(.isDraft), !object.needsRow
        else { return }
        coordinator.rowCache.insertFaulted(
            RowCache.Row(entity: object.entityDescription, placed: placed),
            knownCommit: merges.mergedCommit)
    }

    /// Reads the rows of faults, with one statement for each hierarchy. An object without a row
    /// stays a fault.
    func load(_ faults: [ManagedObject]) throws {
        var awoken =
            coordinator.rowCache.isEmpty ? [] : faults.filter { $0.record == nil && takeCached($0) }
        let faults = awoken.isEmpty ? faults : faults.filter { $0.needsRow }
        var completed: [(object: ManagedObject, row: PlacedRecord)] = []
        for group in Dictionary(grouping: faults, by: { $0.entityDescription.rootIndex }) {
            let root = coordinator.model.entities[group.key]
            let request = RowRequest(entity: root, selection: .keys(group.value.map { $0.key }))
            try reads.store(of: request.entity).fetch(request) { row in
                guard let object = registry.roots[root.rootIndex].map[row.key], object.needsRow
                else { return }
                let placed = try row.record(in: reads.rowWriter)
                awoken.append(object)
                if object.flags.contains(.isUnread) { return completed.append((object, placed)) }
                object.placed = placed
            }
        }
        for (object, row) in completed { complete(object, with: row) }
        activity.awaken(awoken)
    }

    /// The object of a row that another context saved, for an observer that wants it.
    func registerFresh(entity: Int, key: Int64, placed: PlacedRecord?) -> ManagedObject {
        let description = coordinator.model.entities[entity]
        let id = RowIdentity(root: description.rootIndex, key: key)
        if let known = registry[id] { return known }
        let object = registry.register(description, key: key, placed: placed)
        if placed != nil { activity.awaken(CollectionOfOne(object)) }
        return object
    }

    /// Reads the rows of faults along paths of to-one relationships, one statement for each step
    /// instead of one for each object.
    func load(_ objects: [ManagedObject], along path: [String]) throws {
        var current = objects
        for name in path {
            var seen: Set<ObjectIdentifier> = []
            var next: [ManagedObject] = []
            for object in current {
                guard let relationship = object.entityDescription.relationship(named: name),
                    let destination = object.destination(of: relationship),
                    seen.insert(ObjectIdentifier(destination)).inserted
                else { continue }
                next.append(destination)
            }
            try load(next.filter { $0.record == nil && $0.lifecycle == .clean })
            current = next.filter { $0.record != nil }
        }
    }

    // MARK: Failed reads

    /// Notes that something of an object could not be read.
    func noteFailedRead(
        _ target: FailedReads.Target, of object: ManagedObject, _ error: any Error
    ) {
        if errors.failedReads.insert(target, error) {
            context.onInaccessibleFault?(object.objectID, error)
        }
    }

    /// Reads the rows of faults. Objects with unreadable rows stay faults.
    func loadOrNote(_ faults: [ManagedObject]) {
        if faults.isEmpty { return }
        do {
            try load(faults)
        } catch {
            for fault in faults where fault.record == nil {
                noteFailedRead(.row(RowIdentity(fault)), of: fault, error)
            }
        }
    }

    /// Repeats the failed reads, before a save.
    ///
    /// - Throws: The error of a read that fails again, or of a read that a change has needed.
    func readFailed() throws {
        if errors.failedReads.isEmpty { return }
        try readFailedRows()
        for target in errors.failedReads.targets {
            if let error = errors.failedReads.errorOfChange(by: target) { throw error }
            guard let object = registry[target.id], !hasRead(target, of: object) else {
                errors.failedReads.remove(target)
                continue
            }
            if let error = errors.failedReads[target] { throw error }
        }
    }

    /// Reads the rows of all objects with a failed read. If the read was of something other than a
    /// row, the object may not be in memory any more.
    private func readFailedRows() throws {
        let ids = Set(errors.failedReads.targets.map { $0.id }).filter { id in
            registry[id]?.needsRow ?? true
        }
        for (root, ids) in Dictionary(grouping: ids, by: \.root).ordered(by: { $0.key < $1.key }) {
            let entity = coordinator.model.entities[root]
            do {
                _ = try fetching.rows(
                    RowRequest(entity: entity, selection: .keys(ids.map { $0.key }.sorted())))
            } catch {
                // The rows of a removed store cannot be read any more. The save reports this once,
                // and saves that would write to the store fail.
                if !coordinator.hasStore(coordinator.storeIdentifier(ofRoot: root)) {
                    for id in ids {
                        let isChanged = registry[id]?.flags.contains(.isUnread)
                        if isChanged != true { errors.failedReads.removeAll(of: id) }
                    }
                }
                throw error
            }
            for id in ids {
                guard let object = registry[id] else { continue }
                if object.needsRow, !replacements.followParent(object) { settleWithoutRow(object) }
            }
        }
    }

    /// Tries a failed read again, unless the row or the links were read meanwhile.
    ///
    /// - Returns: Whether the row or the links were read.
    func hasRead(_ target: FailedReads.Target, of object: ManagedObject) -> Bool {
        guard
            object.lifecycle == .clean || object.lifecycle == .updated
                || object.lifecycle == .deleted
        else { return true }
        switch target {
        case .row:
            return !object.needsRow
        case .links(_, let ordinal):
            let relationship = object.entityDescription.relationships[ordinal]
            _ = object.links(ordinal)
            guard let links = object.extras?.links[ordinal], links.stored != nil else {
                return false
            }
            return links.readAt >= merges.lastChange(of: relationship)
        case .fetched(_, let number):
            _ = object.fetchedObjects(number)
            return object.extras?.fetched[number] != nil
        }
    }

    /// Forgets an object if its row was found deleted. If it has unsaved values, they are lost,
    /// which is an error. The merge policy decides about unsaved links.
    func settleWithoutRow(_ object: ManagedObject) {
        errors.failedReads.remove(.row(RowIdentity(object)))
        if object.row.hasUnsavedValues() {
            errors.record(StoreError.missingRow(of: object))
            deferredMerges.mergeDeletion(of: object)
        } else if object.row.hasUnsavedLinks(), context.mergePolicy.strategy == nil {
            errors.record(StoreError.missingRow(of: object))
        } else if object.extras?.deferred == .deletion || object.extras?.hasNewLinks != true {
            deferredMerges.mergeDeletion(of: object)
        }
    }

    /// Applies the unsaved changes of an object to its row. The row could not be read when the
    /// changes were made.
    @inline(never)
    func complete(_ object: ManagedObject, with row: PlacedRecord) {
        // The former values are known only now; the undo manager's record of them is wrong.
        context.undoManager?.forget([object])
        object.row.rebase(on: row)
        errors.failedReads.remove(.row(RowIdentity(object)))
        context.noteForEvent(object)
    }

    /// Notes that a value cannot be decoded.
    func noteUndecodable(_ object: ManagedObject, _ slot: Int, _ error: any Error) {
        let name = object.entityDescription.layout.slots[slot].property
        noteUnreadable(
            object, slot,
            StoreError(
                code: .corrupt,
                message: "The value of \(object.objectID).\(name) cannot be decoded.",
                remedy: "Set another value, or give its type an initializer that reads this one.",
                underlying: error))
    }

    /// Reports a property with a value that does not fit its type: once, however often it is read.
    func noteUnreadable(_ object: ManagedObject, _ slot: Int, _ error: StoreError) {
        if object.ownExtras.reportedSlots.contains(slot) { return }
        object.ownExtras.reportedSlots.insert(slot)
        noteInaccessible(object, error)
    }

    /// Reports a value that a getter could not show, or keeps the error for the next save.
    func noteInaccessible(_ object: ManagedObject, _ error: StoreError) {
        if let handler = context.onInaccessibleFault {
            handler(object.objectID, error)
        } else {
            errors.record(error)
        }
    }
}

/// Reads the far ends of relationships that are kept elsewhere than in an object's row.
struct LinkReading: ContextAccess {
    let context: ManagedObjectContext

    /// Reads the far end of a relationship.
    ///
    /// - Returns: False if the far end could not be read. The links are then unchanged.
    func read(
        of object: ManagedObject, _ relationship: RelationshipDescription, into links: inout LinkSet
    ) -> Bool {
        let target = FailedReads.Target.links(RowIdentity(object), relationship.ordinal)
        do {
            if relationship.isOrdered {
                // Only the keys: a list may be long, and perhaps only a part of it is used. The
                // objects are faults.
                try readKeys(of: object, relationship, into: &links)
            } else {
                try readMembers(of: object, relationship, into: &links)
            }
            if !errors.failedReads.isEmpty { errors.failedReads.remove(target) }
            return true
        } catch {
            faulting.noteFailedRead(target, of: object, error)
            return false
        }
    }

    private func readMembers(
        of object: ManagedObject, _ relationship: RelationshipDescription, into links: inout LinkSet
    ) throws {
        let commit = merges.readCommit(of: relationship)
        guard relationship.isKeptElsewhere else { return }
        let found = try fetching.rows(request(for: object, relationship))
        // Objects that this context added and did not save are in the links' own changes. Objects
        // that it moved or deleted are still in the store's result; this was recorded only in the
        // objects that existed at the time.
        let members = found.filter { !divergentLists.isDeferred($0, of: object, relationship) }
            .map { LinkSet.Member(key: $0.key, entity: $0.entityDescription.index) }
        links.setStored(
            divergentLists.addingDeferred(to: members, of: object, relationship), at: commit)
    }

    /// Reads the keys of a to-many's members and nothing else.
    func readKeys(
        of object: ManagedObject, _ relationship: RelationshipDescription, into links: inout LinkSet
    ) throws {
        guard relationship.isKeptElsewhere else { return }
        var request = request(for: object, relationship)
        request.readsKeysOnly = true
        let commit = merges.readCommit(of: relationship)
        var members: [LinkSet.Member] = []
        try reads.store(of: request.entity).fetch(request) { row in
            members.append(LinkSet.Member(key: row.key, entity: row.entity))
        }
        let present = members.filter { isStillMember($0, of: object, relationship) }
        links.setStored(
            divergentLists.addingDeferred(to: present, of: object, relationship), at: commit)
    }

    /// The request for the far end of a relationship.
    private func request(
        for object: ManagedObject, _ relationship: RelationshipDescription
    ) -> RowRequest {
        RowRequest(
            entity: coordinator.model.entities[relationship.destination],
            selection: .farEnd(
                .init(
                    entity: object.entityDescription, key: object.key, relationship: relationship)))
    }

    /// Whether a member of a to-many in the store is still a member after unsaved changes.
    func isStillMember(
        _ member: LinkSet.Member, of object: ManagedObject, _ relationship: RelationshipDescription
    ) -> Bool {
        // An object that this context does not have was not changed here.
        registry.registered(member)
            .map { !divergentLists.isDeferred($0, of: object, relationship) } ?? true
    }
}
