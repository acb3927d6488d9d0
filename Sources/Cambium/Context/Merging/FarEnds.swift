import CambiumSQLite

/// The objects that to-ones of an entity's rows lead to, while a merge or a save takes over what
/// others have saved: their relationships change when a row leads elsewhere or is deleted, and the
/// context that saved it may not have had them.
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
    func savedKeys(of object: ManagedObject) -> [Int64?] {
        keys(in: object.extras?.snapshot?.record ?? object.record)
    }

    /// The keys that an object shows.
    func shownKeys(of object: ManagedObject) -> [Int64?] { keys(in: object.record) }

    private func keys(in record: Record?) -> [Int64?] {
        relationships.map { relationship in
            guard let record, let slot = relationship.slot, record.hasValue(slot) else {
                return nil
            }
            return record.integer(slot)
        }
    }

    /// The objects that a row has left or come to, as far as the context has them.
    ///
    /// - Parameters:
    ///   - former: The keys before.
    ///   - now: The keys now; nil where the row is gone.
    ///   - slots: What was set; nil where anything may have been.
    func changed(
        from former: [Int64?], to now: [Int64?]?, slots: SlotSet? = nil
    ) -> [ManagedObject] {
        var ends: [ManagedObject] = []
        for (index, relationship) in relationships.enumerated() {
            let (old, new) = (former[index], now.flatMap { $0[index] })
            guard old != new, let slot = relationship.slot, slots?.contains(slot) ?? true
            else { continue }
            ends += [old, new].compactMap { key in
                key.flatMap { context.registered(entity: relationship.destination, key: $0) }
            }
        }
        return ends
    }
}

extension ObjectChanges.Update {
    /// A change of nothing but relationships that are kept elsewhere.
    init(ofLinksOf object: ManagedObject) {
        self.init(object: object, slots: SlotSet(), changesLinks: true)
    }
}
