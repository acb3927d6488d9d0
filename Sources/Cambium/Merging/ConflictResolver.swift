import CambiumRecords

/// Resolves the conflicts of one save by the context's merge policy. It changes nothing in memory;
/// the outcome is taken over when the save has succeeded.
struct ConflictResolver: SaveConflictResolver {
    let policy: MergePolicy
    let context: ManagedObjectContext

    func resolve(_ conflicts: [RowConflict], in plan: inout SavePlan) throws {
        let cache = context.coordinator.rowCache
        let conflicts = conflicts.map { conflict in
            var conflict = conflict
            conflict.cached = cache.entry(conflict.id)?.placed
            return conflict
        }
        // What is in the store now, a fault is to show from here on.
        cache.note(conflicts)
        let judged = try judge(conflicts)
        for (conflict, judgement) in zip(conflicts, judged) {
            apply(judgement, to: conflict, in: &plan)
        }
        reviveRelated(
            of: zip(conflicts, judged).filter { $0.isDeletion && !$1.policy.keepsOurs }.map(\.0.id),
            in: &plan)
    }

    /// What a policy says about a conflict: a plain one, and values that go before it.
    private struct Judgement {
        var policy: MergePolicy
        var chosen: [Int: StoredValue] = [:]
    }

    private func judge(_ conflicts: [RowConflict]) throws -> [Judgement] {
        guard policy.refuses else {
            return conflicts.map { _ in Judgement(policy: policy) }
        }
        var described = conflicts.map { describe($0) }
        if case .custom(let custom) = policy {
            for index in described.indices { try custom.resolve(&described[index]) }
        }
        let unresolved = described.filter(\.policy.refuses)
        guard unresolved.isEmpty else { throw ConflictError(conflicts: unresolved) }
        return described.map { Judgement(policy: $0.policy, chosen: $0.chosen) }
    }

    func object(_ id: RowID) -> ManagedObject? { context.objects[id.root].map[id.key] }

    func snapshot(_ placed: PlacedRecord?, _ entity: EntityDescription) -> RowSnapshot? {
        placed.map {
            RowSnapshot(
                placed: $0, entity: entity,
                store: context.coordinator.store(ofRoot: entity.rootIndex))
        }
    }

    /// The policy that conflicts start with.
    var initialPolicy: MergePolicy {
        if case .custom(let custom) = policy { custom.base } else { policy }
    }

    func id(_ row: RowID, _ entity: EntityDescription) -> ObjectID {
        ObjectID(
            entity, key: row.key, store: context.coordinator.storeIdentifier(ofRoot: row.root))
    }

    /// - Parameter properties: What is in conflict, where that is not what both sides have changed.
    func describe(_ conflict: RowConflict, properties: [String]? = nil) -> MergeConflict {
        let entity = conflict.entity
        let object = object(conflict.id)
        // A draft goes on being changed when the error has been thrown.
        let ours = object?.record.map { RecordWriter.compactCopy($0, entity.shape) }
        return MergeConflict(
            objectID: id(conflict.id, entity),
            isDeletion: conflict.isDeletion, isRowGone: conflict.theirs == nil,
            properties: properties
                ?? bothChanged(conflict).map { entity.layout.slots[$0].property },
            newVersion: conflict.theirs?.record.version ?? 0, policy: initialPolicy,
            object: snapshot(ours, entity),
            base: snapshot(object?.extras?.snapshot ?? object?.placed, entity),
            cached: snapshot(conflict.cached, entity),
            persisted: conflict.isFoundInCache ? nil : snapshot(conflict.theirs, entity))
    }

    private func bothChanged(_ conflict: RowConflict) -> [Int] {
        guard let theirs = conflict.theirs?.record, let extras = object(conflict.id)?.extras,
            let base = extras.snapshot?.record
        else { return [] }
        return extras.changedSlots.slots.filter { slot in
            conflict.entity.layout.slots[slot].column != nil
                && !theirs.isEqual(slot, conflict.entity.shape.kinds[slot], to: base)
        }
    }

    private func apply(
        _ judgement: Judgement, to conflict: RowConflict, in plan: inout SavePlan
    ) {
        let id = conflict.id
        let entity = conflict.entity
        guard let theirs = conflict.theirs else {
            return applyToGone(judgement, conflict, in: &plan)
        }
        if conflict.isDeletion {
            return judgement.policy.keepsOurs ? plan.delete(id, theirs) : plan.yield(id, to: theirs)
        }
        var outcome: (PlacedRecord, SlotSet)?
        if let object = object(id), let ours = object.record,
            let base = object.extras?.snapshot?.record
        {
            outcome =
                switch judgement.policy {
                case .overwrite: overwritten(theirs, ours, entity)
                case .rollback: nil
                default:
                    PropertyMerge(judgement.policy, context.draftWriter, entity).merge(
                        theirs, ours: ours, base: base,
                        changed: object.extras?.changedSlots ?? SlotSet())
                }
            if judgement.policy == .overwrite { fixMembers(of: object, in: &plan) }
        }
        if judgement.policy == .rollback { plan.dropLinks(of: id) }
        if !judgement.chosen.isEmpty {
            var chosen =
                outcome ?? (context.draftWriter.copy(theirs.record, entity.shape), SlotSet())
            set(judgement.chosen, in: &chosen, entity)
            outcome = chosen
        }
        if let outcome {
            plan.write(outcome.0, outcome.1, to: id)
        } else {
            plan.yield(id, to: theirs)
        }
    }

    /// Deleted there, changed here.
    private func applyToGone(
        _ judgement: Judgement, _ conflict: RowConflict, in plan: inout SavePlan
    ) {
        let entity = conflict.entity
        guard judgement.policy.keepsOurs, let object = object(conflict.id),
            object.lifecycle == .updated, let ours = object.record
        else { return plan.yield(conflict.id, to: nil) }
        var again = (context.draftWriter.copy(ours, entity.shape), SlotSet())
        set(judgement.chosen, in: &again, entity)
        again.0.record.version = RowVersion.ofRebirth
        plan.reinsert(again.0, as: conflict.id)
        restoreLinks(of: object, in: &plan)
    }

    private func set(
        _ values: [Int: StoredValue], in outcome: inout (PlacedRecord, SlotSet),
        _ entity: EntityDescription
    ) {
        for (slot, value) in values {
            context.draftWriter.set(value, slot, of: &outcome.0, entity.shape)
            outcome.1.insert(slot)
        }
    }

    private func overwritten(
        _ theirs: PlacedRecord, _ ours: Record, _ entity: EntityDescription
    ) -> (PlacedRecord, SlotSet) {
        var placed = context.draftWriter.copy(ours, entity.shape)
        placed.record.version = theirs.record.version
        for slot in entity.derivedSlots.slots {
            context.draftWriter.copySlot(slot, from: theirs.record, to: &placed, entity.shape)
        }
        return (placed, entity.storedSlots.subtracting(entity.derivedSlots))
    }

    // MARK: Links

    /// Writes all pairs again that the context knows of an object whose row was deleted, and they
    /// with it.
    private func restoreLinks(of object: ManagedObject, in plan: inout SavePlan) {
        for relationship in object.entityDescription.relationships {
            guard var pairs = plan.model.pairs(of: relationship, object),
                let links = object.extras?.links[relationship.ordinal]
            else { continue }
            pairs.added = links.members.map {
                relationship.ownsPairs ? (object.key, $0.key) : ($0.key, object.key)
            }
            plan.add(pairs)
        }
    }

    /// Makes the members of the many-to-many relationships of an object exactly those that the
    /// context knows, where it has read them.
    private func fixMembers(of object: ManagedObject, in plan: inout SavePlan) {
        for relationship in object.entityDescription.relationships {
            guard let pairs = plan.model.pairs(of: relationship, object),
                let links = object.extras?.links[relationship.ordinal], links.stored != nil
            else { continue }
            plan.fix(
                .init(
                    links: pairs, key: object.key, isSource: relationship.ownsPairs,
                    members: links.members.map(\.key)))
        }
    }
}
