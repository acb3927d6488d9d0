import CambiumSQLite

/// The objects that to-ones of an entity's rows lead to, while a merge takes these rows over: their
/// relationships change when a row leads elsewhere or is deleted, and the context that saved it may
/// not have had them.
struct FarEnds {
    private let context: ManagedObjectContext
    private let relationships: [RelationshipDescription]

    /// - Parameter watched: The numbers of the entities whose changes are asked for.
    init(of entity: EntityDescription, watched: Set<Int>, in context: ManagedObjectContext) {
        self.context = context
        let families = context.coordinator.model.families
        relationships = entity.relationships.filter { relationship in
            relationship.slot != nil && relationship.inverse != nil
                && (context.state.notesReads
                    || families[relationship.destination].contains(where: watched.contains))
        }
    }

    /// The keys that the row of an object has, by the relationships that matter.
    func keys(of object: ManagedObject) -> [Int64?] {
        if relationships.isEmpty { return [] }
        guard let record = object.extras?.snapshot?.record ?? object.record else {
            return relationships.map { _ in nil }
        }
        return relationships.map { relationship in
            relationship.slot.flatMap { record.hasValue($0) ? record.integer($0) : nil }
        }
    }

    /// The objects that a row has left or come to, as far as the context has them.
    ///
    /// - Parameters:
    ///   - former: The keys before.
    ///   - now: The keys now; nil where the row is gone.
    ///   - slots: What was set.
    func updates(
        from former: [Int64?], to now: [Int64?]?, slots: SlotSet? = nil
    ) -> [ObjectChanges.Update] {
        var updates: [ObjectChanges.Update] = []
        for (index, relationship) in relationships.enumerated() {
            let (old, new) = (former[index], now.flatMap { $0[index] })
            guard old != new, let slot = relationship.slot, slots?.contains(slot) ?? true
            else { continue }
            for key in [old, new].compactMap(\.self) {
                guard let end = context.registered(entity: relationship.destination, key: key)
                else { continue }
                updates.append(.init(object: end, slots: SlotSet(), changesLinks: true))
            }
        }
        return updates
    }
}
