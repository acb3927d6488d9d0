import CambiumSQLite

// Keys that would lead nowhere.
extension ConflictResolver {
    func resolve(_ dangling: DanglingKeys, in plan: inout SavePlan) {
        // Where nothing leads back nobody could know of the link, and there is no conflict.
        for key in dangling.keys where key.rule != nil && key.relationship.inverse == nil {
            resolve(key, in: &plan)
        }
        guard !initialPolicy.refuses else { return }
        if !initialPolicy.keepsOurs, keepTargets(of: dangling, in: &plan) { return }
        plan.dropLinks(toMissing: dangling.missing.contains)
        let revision = plan.revision
        for key in dangling.keys where !plan.isTouched([key.row], since: revision) {
            resolve(key, in: &plan)
        }
    }

    /// Lets what is to be deleted live where others lead to it: that is their side.
    ///
    /// - Returns: Whether there was any.
    private func keepTargets(of dangling: DanglingKeys, in plan: inout SavePlan) -> Bool {
        var kept: Set<RowID> = []
        for key in dangling.keys where key.rule != nil && key.relationship.inverse != nil {
            guard let id = target(of: key, in: plan), let row = plan.rows[id],
                case .delete = row.write, row.origin == .deleted, let base = base(of: id, row)
            else { continue }
            plan.yield(id, to: base)
            kept.insert(id)
        }
        if !kept.isEmpty { reviveRelated(of: kept.sorted(), in: &plan) }
        return !kept.isEmpty
    }

    private func resolve(_ key: DanglingKey, in plan: inout SavePlan) {
        guard let row = plan.rows[key.row], let slot = key.relationship.slot else { return }
        if key.rule == .cascade {
            if case .insert = row.write { return }
            guard
                let theirs = row.theirs ?? object(key.row)?.extras?.snapshot
                    ?? object(key.row)?.placed
            else { return }
            return plan.delete(key.row, theirs)
        }
        if key.rule == .deny { return }
        guard !key.relationship.relationship.isOptional else {
            let placed = context.draftWriter.copy(row.record, row.entity.shape)
            var slots = SlotSet(slot)
            if let entitySlot = key.relationship.entitySlot { slots.insert(entitySlot) }
            slots.forEach { placed.record.setNull($0) }
            if case .update(let others) = row.write { slots.formUnion(others) }
            return plan.write(placed, slots, to: key.row)
        }
        // An object that was deleted there, and what it cannot be without: it stays deleted.
        if case .insert = row.write, row.origin == .updated { plan.yield(key.row, to: nil) }
    }

    func refuse(_ keys: [DanglingKey], in plan: SavePlan) throws {
        // Of what this save itself leads nowhere, the store's refusal says it.
        let leftBehind = keys.filter { $0.rule != nil }
        let denials = leftBehind.compactMap { denial(of: $0, in: plan) }
        if !denials.isEmpty { throw ValidationErrors.combined(denials) }
        guard !leftBehind.isEmpty else { return }
        context.refusedDeletions += leftBehind.compactMap { target(of: $0, in: plan) }
            .compactMap(object)
        throw ConflictError(conflicts: leftBehind.compactMap { conflict(of: $0, in: plan) })
    }

    /// What is to be deleted, though a row of others leads to it.
    private func target(of key: DanglingKey, in plan: SavePlan) -> RowID? {
        guard let row = plan.rows[key.row], let slot = key.relationship.slot else { return nil }
        let root = plan.model.entities[key.relationship.destination].rootIndex
        return RowID(root: root, key: (row.theirs?.record ?? row.record).integer(slot))
    }

    /// Why an object cannot be deleted to which others lead, whatever they have changed.
    private func denial(of key: DanglingKey, in plan: SavePlan) -> ValidationError? {
        let relationship = key.relationship.relationship
        guard key.rule == .deny || (key.rule == .nullify && !relationship.isOptional),
            let entity = plan.rows[key.row]?.entity, let target = target(of: key, in: plan)
        else { return nil }
        let name = "\(plan.model.entities[target.root].name)/\(target.key)"
        return ValidationError(
            code: key.rule == .deny ? .deleteDenied : .missing, entityName: entity.name,
            objectID: id(key.row, entity), property: relationship.name,
            message: "\(relationship.name) references \(name), which is being deleted. "
                + "Set it to another object, or delete this one too.")
    }

    /// The row of others that leads to what is to be deleted, of which this context did not know.
    private func conflict(of key: DanglingKey, in plan: SavePlan) -> MergeConflict? {
        guard let row = plan.rows[key.row] else { return nil }
        return describe(
            RowConflict(
                entity: row.entity, key: key.row.key, theirs: row.theirs, isDeletion: false),
            properties: [key.relationship.relationship.name])
    }
}
