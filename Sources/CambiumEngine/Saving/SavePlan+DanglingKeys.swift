import CambiumRecords

// Keys that would reference no row.
extension SavePlan {
    /// Writes decisions about keys into the plan.
    ///
    /// - Parameter strategy: How conflicts are decided; nil leaves them to the error.
    package mutating func resolve(_ dangling: DanglingKeys, by strategy: ConflictStrategy?) {
        // Without an inverse nobody could know of the link, and there is no conflict.
        for key in dangling.keys where key.rule != nil && key.relationship.inverse == nil {
            resolve(key)
        }
        guard let strategy else { return }
        if !strategy.keepsOurs, keepTargets(of: dangling) { return }
        dropLinks(endingAt: dangling.missing.contains)
        let revision = revision
        for key in dangling.keys where !isTouched([key.row], since: revision) { resolve(key) }
    }

    /// Keeps the rows that this save was to delete and that others reference: that is their side.
    ///
    /// - Returns: Whether there was any.
    private mutating func keepTargets(of dangling: DanglingKeys) -> Bool {
        var kept: Set<RowIdentity> = []
        for key in dangling.keys where key.rule != nil && key.relationship.inverse != nil {
            guard let id = target(of: key), let row = rows[id], case .delete = row.write,
                row.origin == .deleted, let former = row.formerPlaced
            else { continue }
            yield(id, to: former)
            kept.insert(id)
        }
        if !kept.isEmpty { restoreRelated(of: kept.sorted()) }
        return !kept.isEmpty
    }

    private mutating func resolve(_ key: DanglingKey) {
        guard let row = rows[key.row], let slot = key.relationship.slot else { return }
        let decision = DanglingDecision.decide(
            rule: key.rule, isOptional: key.relationship.relationship.isOptional,
            isInserted: row.isInserted, wasDeleted: row.origin == .updated)
        switch decision {
        case .delete:
            if let former = row.formerPlaced { delete(key.row, former) }
        case .clear:
            var slots = SlotSet(slot)
            if let entitySlot = key.relationship.entitySlot { slots.insert(entitySlot) }
            clear(slots, of: key.row)
        case .leaveDeleted: yield(key.row, to: nil)
        case .none: break
        }
    }

    /// The row that this save deletes and that the row of a key references.
    package func target(of key: DanglingKey) -> RowIdentity? {
        guard let row = rows[key.row], let slot = key.relationship.slot else { return nil }
        let root = model.entities[key.relationship.destination].rootIndex
        return RowIdentity(root: root, key: (row.theirs?.record ?? row.record).integer(slot))
    }

    /// Writes no value into some slots of a row, beside what is written of it.
    package mutating func clear(_ slots: SlotSet, of id: RowIdentity) {
        guard let row = rows[id] else { return }
        let placed = writer.copy(row.record, row.entity.shape)
        slots.forEach { placed.record.setNull($0) }
        write(placed, row.written(with: slots), to: id)
    }
}
