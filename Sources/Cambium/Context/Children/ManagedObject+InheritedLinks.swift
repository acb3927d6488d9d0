import CambiumRecords

// Transient relationships in a child context: until it changes them, an object shows the links of
// its parent's object.
extension ManagedObject {
    /// The links of a transient relationship as the parent's object has them.
    final func inheritedTransientLinks(of relationship: RelationshipDescription) -> LinkSet {
        var links = LinkSet(isOrdered: relationship.isOrdered)
        guard
            let above = state.context?.parent?
                .registered(entity: entityDescription.index, key: key),
            above.entityDescription.relationships.indices.contains(relationship.ordinal)
        else { return links }
        let same = above.entityDescription.relationships[relationship.ordinal]
        links.setStored(above.transientLinks(of: same).members, at: 0)
        return links
    }

    /// Makes the inherited links the object's own, so that they can be taken away.
    final func inheritTransientLinks() {
        for relationship in entityDescription.relationships
        where relationship.isTransient && extras?.transientLinks[relationship.ordinal] == nil {
            let links = inheritedTransientLinks(of: relationship)
            if !links.members.isEmpty { ownExtras.transientLinks[relationship.ordinal] = links }
        }
    }

    /// Shows the links of the parent's object again, without unsaved changes.
    final func forgetTransientLinks() {
        for (ordinal, links) in extras?.transientLinks ?? [:] {
            let relationship = entityDescription.relationships[ordinal]
            guard let inverse = relationship.inverse else { continue }
            for key in links.added.keys + Array(links.removed) {
                state.context?.registered(entity: relationship.destination, key: key)?
                    .extras?.transientLinks[inverse] = nil
            }
        }
        extras?.transientLinks = [:]
    }

    /// The parent's object has the links now.
    final func commitTransientLinks() {
        guard let extras, !extras.transientLinks.isEmpty else { return }
        for ordinal in Array(extras.transientLinks.keys) {
            extras.transientLinks[ordinal]?.commit()
        }
    }
}
