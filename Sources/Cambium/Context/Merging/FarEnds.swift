import CambiumRecords

/// The objects that to-ones of an entity's rows reference, while a merge or a save applies what
/// other contexts have saved: their relationships change when a row leads elsewhere or is deleted,
/// and the context that saved it may not have had them.
struct FarEnds {
    private let context: ManagedObjectContext
    private let relationships: [RelationshipDescription]
    /// The relationships in join tables that reference objects of the entity: by the number of the
    /// entity that has it, its own number there.
    private let lists: [(owner: Int, ordinal: Int)]

    /// - Parameter watched: The numbers of the entities whose changes are asked for.
    fileprivate init(
        of entity: EntityDescription, watched: Set<Int>, in context: ManagedObjectContext
    ) {
        self.context = context
        let model = context.coordinator.model
        func isWatched(_ entity: Int) -> Bool {
            context.state.notesReads || model.families[entity].contains(where: watched.contains)
        }
        relationships = entity.relationships.filter { relationship in
            relationship.slot != nil && relationship.inverse != nil
                && isWatched(relationship.destination)
        }
        let paired = entity.relationships.compactMap { relationship in
            relationship.isJoinTable
                ? relationship.inverse.map { (owner: relationship.destination, ordinal: $0) } : nil
        }
        let oneWay = model.oneWayLinks[entity.index].filter(\.relationship.isJoinTable)
            .map { (owner: $0.owner, ordinal: $0.relationship.ordinal) }
        lists = (paired + oneWay).filter { isWatched($0.owner) }
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

    /// The objects that have one of these in a relationship that a join table keeps, as far as the
    /// context has read it: neither has a row that tells of it.
    func paired(with keys: [Int64]) -> [ManagedObject] {
        if keys.isEmpty || lists.isEmpty { return [] }
        let keys = Set(keys)
        return lists.flatMap { list in
            context.registry.registered(family: list.owner) {
                $0.extras?.links[list.ordinal]?.mentions(keys) == true
            }
        }
    }

    /// The objects that a row has left or come to, as far as the context has them.
    ///
    /// - Parameters:
    ///   - former: The keys before.
    ///   - now: The keys now; nil where the row was deleted.
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
                key.flatMap {
                    context.registry.registered(relationship, $0)
                }
            }
        }
        return ends
    }
}

/// The far ends of each entity, worked out once for a merge or a save.
final class FarEndsByEntity {
    private let context: ManagedObjectContext
    private(set) lazy var watched = context.observers.watchedEntities(in: context.coordinator.model)
    private var known: [Int: FarEnds] = [:]

    init(in context: ManagedObjectContext) {
        self.context = context
    }

    subscript(entity: EntityDescription) -> FarEnds {
        if let ends = known[entity.index] { return ends }
        let ends = FarEnds(of: entity, watched: watched, in: context)
        known[entity.index] = ends
        return ends
    }
}

extension ObjectChanges.Update {
    /// A change of nothing but relationships that are kept elsewhere.
    init(ofLinksOf object: ManagedObject) {
        self.init(object: object, slots: SlotSet(), changesLinks: true)
    }
}
