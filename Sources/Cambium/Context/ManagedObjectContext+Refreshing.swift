import CambiumSQLite

extension ManagedObjectContext {
    /// Brings an object back to what the store has.
    ///
    /// - Parameter mergeChanges: True reads the row again and keeps the unsaved changes on top; false
    ///   drops the changes and makes the object a fault. What was changed in a to-many whose links
    ///   the objects at the other end keep is their change and stays.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
        guard object.state === state else { return recordForeign(object) }
        switch object.lifecycle {
        case .clean, .updated: break
        case .inserted, .deleted, .discarded, .gone: return
        }
        object.extras?.fetched = [:]
        for ordinal in object.extras.map({ Array($0.links.keys) }) ?? [] {
            object.extras?.links[ordinal]?.forget()
        }
        if mergeChanges, object.lifecycle == .updated, object.flags.contains(.isDraft) {
            do {
                try reread(object)
            } catch {
                recordedErrors.append(error)
            }
            return
        }
        if mergeChanges, object.lifecycle == .updated { return }
        object.takeBackLinks()
        object.dropTransientLinks()
        object.takeBackPlaces()
        remember(object)
        object.becomeClean(nil)
        listsAreStale = true
        // Links that are kept in the rows of others are their changes, and stay.
        if object.extras?.hasRelationshipChanges == true { willChangeLinks(object) }
        noteForEvent(object)
    }

    /// Brings all objects back to what the store has: unchanged ones become faults, changed ones keep
    /// their changes on top of the row, which is read again.
    public func refreshAllObjects() {
        for object in registeredObjects {
            refresh(object, mergeChanges: object.lifecycle == .updated)
        }
        for identities in coordinator.model.touchedRelationships {
            for identity in identities { lastChanges[identity] = coordinator.latestCommit }
        }
    }

    private func reread(_ object: ManagedObject) throws {
        let commit = coordinator.rowCache.commit
        let request = RowRequest(
            entity: object.entityDescription, selection: .key(object.key))
        try store(of: request.entity).fetch(request) { row in
            let placed = try row.record(in: rowWriter)
            object.rebase(on: placed, draftWriter)
            guard usesRowCache else { return }
            coordinator.rowCache.insert(
                CollectionOfOne(RowCache.Row(entity: object.entityDescription, placed: placed)),
                readAt: commit, replacesOnly: true)
        }
    }
}

extension ManagedObject {
    /// Takes unsaved links of this object back at the other ends, before its own changes are dropped.
    fileprivate final func takeBackLinks() {
        for relationship in entityDescription.relationships {
            guard let inverse = relationship.inverse else { continue }
            if let slot = relationship.slot {
                guard let record, let base = extras?.snapshot?.record else { continue }
                for row in [record, base] where row.hasValue(slot) {
                    registered(relationship, row.integer(slot))?.forgetLink(inverse, to: key)
                }
            } else if relationship.isJoinTable, let links = extras?.links[relationship.ordinal] {
                for other in links.added.keys + Array(links.removed) {
                    registered(relationship, other)?.forgetLink(inverse, to: key)
                }
                extras?.links[relationship.ordinal] = nil
            }
        }
    }

    /// Takes back where this object put the members of its lists. The members themselves are others'
    /// changes where they keep the key.
    fileprivate final func takeBackPlaces() {
        for relationship in entityDescription.relationships where relationship.isOrdered {
            extras?.links[relationship.ordinal]?.discardPlaces()
        }
    }

    private func registered(
        _ relationship: RelationshipDescription, _ key: Int64
    ) -> ManagedObject? {
        state.context?.registered(entity: relationship.destination, key: key)
    }

    private func forgetLink(_ ordinal: Int, to key: Int64) {
        extras?.links[ordinal]?.forgetChange(of: key)
    }
}
