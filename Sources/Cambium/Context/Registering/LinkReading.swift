import CambiumRecords

/// Reads the far ends of relationships that are kept elsewhere than in an object's row.
struct LinkReading: ContextAccess {
    let context: ManagedObjectContext

    /// Reads the far end of a relationship.
    ///
    /// - Returns: False where it could not be read; the links are as they were then.
    func read(
        of object: ManagedObject, _ relationship: RelationshipDescription, into links: inout LinkSet
    ) -> Bool {
        let target = FailedReads.Target.links(RowIdentity(object), relationship.ordinal)
        do {
            if relationship.isOrdered {
                // The keys of a list, which may be long and of which a part may be looked at; the
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
        // What this context added and did not save is in the links' own notes. What it moved
        // elsewhere or deleted is in the store's answer still, and was noted only by the objects
        // that were there at the time.
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

    /// What reads the far end of a relationship.
    private func request(
        for object: ManagedObject, _ relationship: RelationshipDescription
    ) -> RowRequest {
        RowRequest(
            entity: coordinator.model.entities[relationship.destination],
            selection: .farEnd(
                .init(
                    entity: object.entityDescription, key: object.key, relationship: relationship)))
    }

    /// Whether unsaved changes left a member of a to-many in the store where it is.
    func isStillMember(
        _ member: LinkSet.Member, of object: ManagedObject, _ relationship: RelationshipDescription
    ) -> Bool {
        // An object that this context does not have was not changed here.
        registry.registered(member)
            .map { !divergentLists.isDeferred($0, of: object, relationship) } ?? true
    }
}
