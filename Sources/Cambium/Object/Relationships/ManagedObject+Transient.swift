import CambiumRecords

// Transient relationships: links that are in memory only. Both ends are kept in step like those of
// stored ones; a deleted or refreshed object leaves the other ends, a save and a rollback change
// nothing about them.
extension ManagedObject {
    /// The links of a transient relationship; a to-one has at most one.
    final func transientLinks(of relationship: RelationshipDescription) -> LinkSet {
        if let links = extras?.transientLinks[relationship.ordinal] { return links }
        if state.parentReader != nil { return inheritedTransientLinks(of: relationship) }
        return LinkSet(isOrdered: relationship.isOrdered)
    }

    /// Leads a transient to-one to an object, or nowhere.
    final func setTransientDestination(
        of relationship: RelationshipDescription, to object: ManagedObject?
    ) {
        let old = destination(of: relationship)
        guard old !== object else { return }
        if let old { unlinkTransient(relationship, from: old) }
        if let object { linkTransient(relationship, to: object) }
    }

    /// Links an object, and its other end where there is one.
    final func linkTransient(
        _ relationship: RelationshipDescription, to object: ManagedObject
    ) {
        guard !transientLinks(of: relationship).contains(object.key) else { return }
        if !relationship.isToMany, let old = destination(of: relationship) {
            unlinkTransient(relationship, from: old)
        }
        noteTransientLink(relationship, to: object)
        guard let inverse = object.inverse(of: relationship) else { return }
        if !inverse.isToMany, let partner = object.destination(of: inverse), partner !== self {
            object.unlinkTransient(inverse, from: partner)
        }
        object.noteTransientLink(inverse, to: self)
    }

    /// Takes a link away, and its other end where there is one.
    final func unlinkTransient(
        _ relationship: RelationshipDescription, from object: ManagedObject
    ) {
        noteTransientUnlink(relationship, from: object)
        if let inverse = object.inverse(of: relationship) {
            object.noteTransientUnlink(inverse, from: self)
        }
    }

    /// Leaves all other ends.
    ///
    /// - Parameter keepsDenying: Whether those stay that forbid a delete, which is judged later.
    final func dropTransientLinks(keepsDenying: Bool = false) {
        if state.parentReader != nil { inheritTransientLinks() }
        guard let links = extras?.transientLinks, !links.isEmpty else { return }
        for (ordinal, set) in links {
            let relationship = entityDescription.relationships[ordinal]
            if keepsDenying, relationship.relationship.deleteRule == .deny { continue }
            for member in set.members {
                // What a child has not made an object for has the link in the parent.
                let other =
                    state.parentReader == nil
                    ? state.context?.registered(entity: member.entity, key: member.key)
                    : object(for: member)
                if let other {
                    unlinkTransient(relationship, from: other)
                }
            }
            extras?.transientLinks[ordinal] = nil
        }
    }

    private func inverse(of relationship: RelationshipDescription) -> RelationshipDescription? {
        relationship.inverse.map { entityDescription.relationships[$0] }
    }

    private func noteTransientLink(
        _ relationship: RelationshipDescription, to object: ManagedObject
    ) {
        guard lifecycle != .gone, lifecycle != .discarded else { return }
        willChangeLinks()
        keepEventLinks(relationship)
        var links = transientLinks(of: relationship)
        links.add(LinkSet.Member(key: object.key, entity: object.entityDescription.index))
        ownExtras.transientLinks[relationship.ordinal] = links
        if notesReads { tellOfChange(of: .links(relationship.ordinal)) }
    }

    private func noteTransientUnlink(
        _ relationship: RelationshipDescription, from object: ManagedObject
    ) {
        var links = transientLinks(of: relationship)
        guard links.contains(object.key) else { return }
        if lifecycle != .gone, lifecycle != .discarded, lifecycle != .deleted {
            willChangeLinks()
            keepEventLinks(relationship)
        }
        links.remove(object.key)
        ownExtras.transientLinks[relationship.ordinal] = links
        if notesReads { tellOfChange(of: .links(relationship.ordinal)) }
    }
}
