import CambiumRecords

/// The links of an object's transient relationships, which are in memory only. Both ends are kept
/// consistent like those of stored ones; a deleted or refreshed object leaves the other ends, a save and
/// a rollback change nothing about them.
///
/// In a child context an object shows the links of its parent's object until it changes them.
struct TransientLinks: ObjectAccess {
    let subject: ManagedObject

    /// The links of a transient relationship; a to-one has at most one.
    func links(of relationship: RelationshipDescription) -> LinkSet {
        if let links = extras?.transientLinks[relationship.ordinal] { return links }
        if state.parentReader != nil { return inherited(of: relationship) }
        return LinkSet(isOrdered: relationship.isOrdered)
    }

    /// Leads a transient to-one to an object, or nowhere.
    func setDestination(of relationship: RelationshipDescription, to object: ManagedObject?) {
        let old = subject.destination(of: relationship)
        guard old !== object else { return }
        if let old { unlink(relationship, from: old) }
        if let object { link(relationship, to: object) }
    }

    /// Links an object, and its other end where there is one.
    func link(_ relationship: RelationshipDescription, to object: ManagedObject) {
        guard !links(of: relationship).contains(object.key) else { return }
        if !relationship.isToMany, let old = subject.destination(of: relationship) {
            unlink(relationship, from: old)
        }
        noteLink(relationship, to: object)
        guard let inverse = object.transients.inverse(of: relationship) else { return }
        if !inverse.isToMany, let partner = object.destination(of: inverse), partner !== subject {
            object.transients.unlink(inverse, from: partner)
        }
        object.transients.noteLink(inverse, to: subject)
    }

    /// Takes a link away, and its other end where there is one.
    func unlink(_ relationship: RelationshipDescription, from object: ManagedObject) {
        noteUnlink(relationship, from: object)
        if let inverse = object.transients.inverse(of: relationship) {
            object.transients.noteUnlink(inverse, from: subject)
        }
    }

    /// Leaves all other ends.
    ///
    /// - Parameter keepsDenying: Whether those stay that forbid a delete, which is judged later.
    func drop(keepsDenying: Bool = false) {
        if state.parentReader != nil { inherit() }
        guard let links = extras?.transientLinks, !links.isEmpty else { return }
        for (ordinal, set) in links {
            let relationship = entity.relationships[ordinal]
            if keepsDenying, relationship.relationship.deleteRule == .deny { continue }
            for member in set.members {
                // What a child has not made an object for has the link in the parent.
                let other =
                    state.parentReader == nil
                    ? state.context?.registry.registered(member)
                    : subject.object(for: member)
                if let other {
                    unlink(relationship, from: other)
                }
            }
            extras?.transientLinks[ordinal] = nil
        }
    }

    private func inverse(of relationship: RelationshipDescription) -> RelationshipDescription? {
        relationship.inverse.map { entity.relationships[$0] }
    }

    private func noteLink(_ relationship: RelationshipDescription, to object: ManagedObject) {
        guard lifecycle != .invalid, lifecycle != .discarded else { return }
        subject.ownLinks.willChangeLinks()
        subject.tracking.keepEventLinks(relationship)
        var links = self.links(of: relationship)
        links.add(LinkSet.Member(key: object.key, entity: object.entityDescription.index))
        ownExtras.transientLinks[relationship.ordinal] = links
        if notesReads { subject.notifyOfChange(of: .links(relationship.ordinal)) }
    }

    private func noteUnlink(_ relationship: RelationshipDescription, from object: ManagedObject) {
        var links = self.links(of: relationship)
        guard links.contains(object.key) else { return }
        if lifecycle != .invalid, lifecycle != .discarded, lifecycle != .deleted {
            subject.ownLinks.willChangeLinks()
            subject.tracking.keepEventLinks(relationship)
        }
        links.remove(object.key)
        ownExtras.transientLinks[relationship.ordinal] = links
        if notesReads { subject.notifyOfChange(of: .links(relationship.ordinal)) }
    }

    /// The links of a transient relationship as the parent's object has them.
    func inherited(of relationship: RelationshipDescription) -> LinkSet {
        var links = LinkSet(isOrdered: relationship.isOrdered)
        guard
            let above = state.context?.parent?
                .registry.registered(entity: entity.index, key: subject.key),
            above.entityDescription.relationships.indices.contains(relationship.ordinal)
        else { return links }
        let same = above.entityDescription.relationships[relationship.ordinal]
        links.setStored(above.transients.links(of: same).members, at: 0)
        return links
    }

    /// Makes the inherited links the object's own, so that they can be taken away.
    func inherit() {
        for relationship in entity.relationships
        where relationship.isTransient && extras?.transientLinks[relationship.ordinal] == nil {
            let links = inherited(of: relationship)
            if !links.members.isEmpty {
                ownExtras.transientLinks[relationship.ordinal] = links
            }
        }
    }

    /// Shows the links of the parent's object again, without unsaved changes.
    func forget() {
        for (ordinal, links) in extras?.transientLinks ?? [:] {
            let relationship = entity.relationships[ordinal]
            guard let inverse = relationship.inverse else { continue }
            for key in links.added.keys + Array(links.removed) {
                state.context?.registry.registered(relationship, key)?
                    .extras?.transientLinks[inverse] = nil
            }
        }
        extras?.transientLinks = [:]
    }

    /// The parent's object has the links now.
    func commit() {
        guard let extras, !extras.transientLinks.isEmpty else { return }
        for ordinal in Array(extras.transientLinks.keys) {
            extras.transientLinks[ordinal]?.commit()
        }
    }
}
