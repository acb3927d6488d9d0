import CambiumRecords

// Looking at relationships without reading what they lead to.
extension ManagedObject {
    /// Whether using a relationship would read from the store: the object is a fault, or the
    /// members of the to-many were not read yet. Reads nothing itself. False for an object whose
    /// context is gone: nothing can be read for it any more.
    ///
    /// - Throws: ``StoreError`` with `unknownName` where the entity has no such relationship.
    public final func hasFault(forRelationship name: String) throws -> Bool {
        if orReplacement !== self { return try orReplacement.hasFault(forRelationship: name) }
        guard let relationship = entityDescription.relationship(named: name) else {
            throw properties.unknownKey(name)
        }
        guard let context = state.context else { return false }
        switch lifecycle {
        case .inserted, .discarded, .gone: return false
        case .clean, .updated, .deleted: break
        }
        if relationship.isTransient { return false }
        if relationship.slot != nil { return record == nil }
        guard let links = extras?.links[relationship.ordinal], links.stored != nil else {
            return true
        }
        return links.readAt < context.merges.lastChange(of: relationship)
    }

    /// The ids of the objects that a relationship leads to, in their order, or sorted by key where
    /// they have none; of a to-one at most one. Makes no objects. Reads the keys where they were
    /// not read yet, which ``hasFault(forRelationship:)`` tells.
    ///
    /// - Throws: ``StoreError`` with `unknownName` where the entity has no such relationship; what
    ///   the store threw.
    public final func objectIDs(forRelationship name: String) throws -> [ObjectID] {
        if orReplacement !== self { return try orReplacement.objectIDs(forRelationship: name) }
        guard let relationship = entityDescription.relationship(named: name) else {
            throw properties.unknownKey(name)
        }
        if relationship.slot != nil {
            return properties.destinationID(of: relationship, in: readable).map { [$0] } ?? []
        }
        guard let context = state.context, try hasFault(forRelationship: name) else {
            return links(relationship.ordinal).members.map(properties.id)
        }
        // The members' rows are read when they are gone through, in one statement, so what is read
        // here does not count as reading the relationship.
        var links =
            extras?.links[relationship.ordinal] ?? LinkSet(isOrdered: relationship.isOrdered)
        try context.linkReading.readKeys(of: self, relationship, into: &links)
        links.settleOrder()
        return links.members.map(properties.id)
    }
}
