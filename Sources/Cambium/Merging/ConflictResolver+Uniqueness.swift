import CambiumRecords

// Unique values, and partners in one-to-ones.
extension ConflictResolver {
    func resolve(_ collisions: [UniqueCollision], in plan: inout SavePlan) throws {
        let policies = try judge(collisions, in: plan)
        let revision = plan.revision
        var refused: [ConstraintConflict] = []
        for (collision, policy) in zip(collisions, policies) {
            // What was decided about one of them may have settled this too; if not, it comes back.
            if plan.isTouched(collision.claims.map(\.id), since: revision) { continue }
            let winner = collision.claims[0]
            for loser in collision.claims.dropFirst() {
                let isResolved =
                    collision.key.isPartner
                    ? separate(winner, loser, collision.key, policy, in: &plan)
                    : unite(loser, with: winner.id, collision.key, policy, in: &plan)
                if !isResolved { refused.append(describe(collision, in: plan)) }
            }
        }
        guard refused.isEmpty else { throw ConstraintConflictError(conflicts: refused) }
    }

    private func judge(
        _ collisions: [UniqueCollision], in plan: SavePlan
    ) throws -> [MergePolicy] {
        guard policy.refuses else { return collisions.map { _ in policy } }
        var described = collisions.map { describe($0, in: plan) }
        if case .custom(let custom) = policy {
            for index in described.indices { try custom.resolveConstraint(&described[index]) }
        }
        let unresolved = described.filter(\.policy.refuses)
        guard unresolved.isEmpty else { throw ConstraintConflictError(conflicts: unresolved) }
        return described.map(\.policy)
    }

    private func describe(_ collision: UniqueCollision, in plan: SavePlan) -> ConstraintConflict {
        func id(_ claim: UniqueCollision.Claim) -> ObjectID {
            ObjectID(
                claim.entity, key: claim.id.key,
                store: context.coordinator.storeIdentifier(ofRoot: claim.id.root))
        }
        let stored = collision.claims.first { $0.kind == .stored }
        let ours = collision.claims.filter { $0.kind != .stored }
        return ConstraintConflict(
            constraint: collision.key.properties, databaseObjectID: stored.map(id),
            conflictingObjectIDs: ours.map(id), policy: initialPolicy,
            database: stored.flatMap { copy($0) }, conflicting: ours.compactMap { copy($0) })
    }

    private func copy(_ claim: UniqueCollision.Claim) -> RowSnapshot? {
        snapshot(RecordWriter.compactCopy(claim.record, claim.entity.shape), claim.entity)
    }

    // MARK: Unique values

    /// - Returns: Whether the policy can do it.
    private func unite(
        _ loser: UniqueCollision.Claim, with winner: RowID, _ key: UniqueKey,
        _ policy: MergePolicy, in plan: inout SavePlan
    ) -> Bool {
        switch loser.kind {
        case .inserted, .reinserted:
            if policy.keepsOurs { handOver(loser, to: winner, key, policy, in: &plan) }
            if policy == .rollback { plan.dropLinks(of: loser.id) }
            plan.forward(loser.id, to: winner)
            return true
        case .updated:
            // Both rows are in the store, and no policy gives up one for a value of the other.
            return !policy.keepsOurs && takeBack(loser, key, policy, in: &plan)
        case .stored:
            return false
        }
    }

    /// Writes the values of a new object into the row that has its unique values.
    private func handOver(
        _ loser: UniqueCollision.Claim, to winner: RowID, _ key: UniqueKey,
        _ policy: MergePolicy, in plan: inout SavePlan
    ) {
        guard let row = plan.rows[winner] else { return }
        let entity = row.entity
        // Of an object of another branch of the hierarchy only what both have.
        let common = context.coordinator.model.commonSlots(loser.entity, entity, key.declarer)
        let wanted =
            (policy == .overwrite ? entity.storedSlots : setSlots(of: loser))
            .intersection(common).subtracting(entity.derivedSlots)
        var placed = context.draftWriter.copy(row.record, entity.shape)
        var slots = SlotSet()
        wanted.forEach { slot in
            guard !loser.record.isEqual(slot, entity.shape.kinds[slot], to: row.record) else {
                return
            }
            context.draftWriter.copySlot(slot, from: loser.record, to: &placed, entity.shape)
            slots.insert(slot)
        }
        if slots.isEmpty { return }
        if case .update(let others) = row.write { slots.formUnion(others) }
        plan.write(placed, slots, to: winner)
    }

    /// The slots of a new object that the program has set: those that differ from the defaults.
    private func setSlots(of claim: UniqueCollision.Claim) -> SlotSet {
        let entity = claim.entity
        guard claim.kind == .inserted else {
            return object(claim.id)?.extras?.changedSlots ?? entity.storedSlots
        }
        let defaults = object(claim.id)?.extras?.dynamicDefaults ?? [:]
        var slots = SlotSet()
        entity.storedSlots.forEach { slot in
            let kind = entity.shape.kinds[slot]
            if let value = defaults[slot] {
                if claim.record.storedValue(slot, kind) != value { slots.insert(slot) }
            } else if !claim.record.isEqual(slot, kind, to: entity.template.record) {
                slots.insert(slot)
            }
        }
        return slots
    }

    /// Takes back that an object got the values that another one has.
    ///
    /// - Returns: Whether it is known what it had before.
    private func takeBack(
        _ loser: UniqueCollision.Claim, _ key: UniqueKey, _ policy: MergePolicy,
        in plan: inout SavePlan
    ) -> Bool {
        guard let row = plan.rows[loser.id], case .update(let slots) = row.write,
            let theirs = row.theirs ?? object(loser.id)?.extras?.snapshot
        else { return false }
        let rest = policy == .rollback ? SlotSet() : slots.subtracting(key.writtenSlots)
        if policy == .rollback { plan.dropLinks(of: loser.id) }
        if rest.isEmpty {
            plan.yield(loser.id, to: theirs)
            return true
        }
        var placed = context.draftWriter.copy(row.record, row.entity.shape)
        key.writtenSlots.forEach { slot in
            context.draftWriter.copySlot(slot, from: theirs.record, to: &placed, row.entity.shape)
        }
        plan.write(placed, rest, to: loser.id)
        return true
    }

    // MARK: Partners

    /// Lets one of two partners of an object go.
    ///
    /// - Returns: Whether it can.
    private func separate(
        _ winner: UniqueCollision.Claim, _ loser: UniqueCollision.Claim, _ key: UniqueKey,
        _ policy: MergePolicy, in plan: inout SavePlan
    ) -> Bool {
        // Whoever was linked by others meanwhile yields to this context's link, or the reverse.
        let leaver = policy.keepsOurs && winner.kind == .stored ? winner : loser
        if policy == .rollback, leaver.kind == .updated {
            return takeBack(leaver, key, policy, in: &plan)
        }
        if key.isRequired { return false }
        guard let row = plan.rows[leaver.id] else { return false }
        let placed = context.draftWriter.copy(row.record, row.entity.shape)
        var slots = key.writtenSlots
        slots.forEach { placed.record.setNull($0) }
        if case .update(let others) = row.write { slots.formUnion(others) }
        plan.write(placed, slots, to: leaver.id)
        return true
    }
}

extension RuntimeModel {
    /// The slots that two entities have in common, which both are of the family of a third.
    func commonSlots(_ one: EntityDescription, _ other: EntityDescription, _ family: Int) -> SlotSet
    {
        if families[one.index].contains(other.index) { return one.storedSlots }
        if families[other.index].contains(one.index) { return other.storedSlots }
        return entities[family].storedSlots
    }
}
