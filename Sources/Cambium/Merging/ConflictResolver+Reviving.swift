import CambiumRecords

// Objects that this context wanted to delete and that live, because others have changed them.
extension ConflictResolver {
    /// Takes back what the delete rules have done to the objects around those that live after all:
    /// what went with them lives too, and what led to them leads to them again.
    func reviveRelated(of ids: [RowID], in plan: inout SavePlan) {
        var revived = Set(ids)
        for id in ids { plan.dropLinks(of: id) }
        var news = revived
        while !news.isEmpty {
            var found: Set<RowID> = []
            for (id, row) in plan.sortedRows {
                if revived.contains(id) {
                    if news.contains(id) { reviveOwned(row, in: &plan, &found) }
                } else if isRevived(id, row, by: news, in: &plan) {
                    found.insert(id)
                }
            }
            news = found.subtracting(revived)
            revived.formUnion(news)
        }
    }

    /// What a row that lives leads to by a relationship whose delete rule is cascade.
    private func reviveOwned(
        _ row: SavePlan.Row, in plan: inout SavePlan, _ found: inout Set<RowID>
    ) {
        for relationship in row.entity.relationships
        where relationship.relationship.deleteRule == .cascade {
            guard let slot = relationship.slot, row.record.hasValue(slot) else { continue }
            let id = RowID(
                root: plan.model.entities[relationship.destination].rootIndex,
                key: row.record.integer(slot))
            if revive(id, in: &plan) { found.insert(id) }
        }
    }

    /// - Returns: Whether the row lives too. A link that was cleared is there again.
    private func isRevived(
        _ id: RowID, _ row: SavePlan.Row, by news: Set<RowID>, in plan: inout SavePlan
    ) -> Bool {
        guard let base = base(of: id, row) else { return false }
        for relationship in row.entity.relationships {
            let destination = plan.model.entities[relationship.destination]
            guard let slot = relationship.slot, base.record.hasValue(slot),
                news.contains(
                    RowID(root: destination.rootIndex, key: base.record.integer(slot)))
            else { continue }
            switch row.write {
            case .delete:
                let rule = relationship.inverse.map {
                    destination.relationships[$0].relationship.deleteRule
                }
                if rule == .cascade { return revive(id, in: &plan) }
            case .update(let slots) where slots.contains(slot) && !row.record.hasValue(slot):
                restore(relationship, slot, of: id, from: base, in: &plan)
            case .update, .insert, .nothing:
                break
            }
        }
        return false
    }

    /// A row as the store has it, as far as that is known.
    func base(of id: RowID, _ row: SavePlan.Row) -> PlacedRecord? {
        row.theirs ?? object(id)?.extras?.snapshot ?? object(id)?.placed
    }

    private func revive(_ id: RowID, in plan: inout SavePlan) -> Bool {
        guard let row = plan.rows[id], case .delete = row.write, let base = base(of: id, row)
        else { return false }
        plan.yield(id, to: base)
        plan.dropLinks(of: id)
        return true
    }

    private func restore(
        _ relationship: RelationshipDescription, _ slot: Int, of id: RowID,
        from base: PlacedRecord, in plan: inout SavePlan
    ) {
        guard let row = plan.rows[id], case .update(let slots) = row.write else { return }
        var restored = SlotSet(slot)
        if let entitySlot = relationship.entitySlot { restored.insert(entitySlot) }
        var placed = context.draftWriter.copy(row.record, row.entity.shape)
        restored.forEach { slot in
            context.draftWriter.copySlot(slot, from: base.record, to: &placed, row.entity.shape)
        }
        plan.write(placed, slots.subtracting(restored), to: id)
    }
}
