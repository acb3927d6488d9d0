import CambiumRecords

// Rows that others changed or deleted.
extension SavePlan {
    /// Writes decisions about conflicts into the plan.
    package mutating func resolve(_ conflicts: [RowConflict], by verdicts: [Verdict]) {
        var kept: [RowIdentity] = []
        for (conflict, verdict) in zip(conflicts, verdicts) {
            resolve(conflict, by: verdict)
            if conflict.isDeletion, !verdict.strategy.keepsOurs { kept.append(conflict.id) }
        }
        restoreRelated(of: kept)
    }

    private mutating func resolve(_ conflict: RowConflict, by verdict: Verdict) {
        let id = conflict.id
        guard let row = rows[id] else { return }
        let decision = verdict.strategy.decide(
            ConflictingRow(
                intent: row.intent, base: row.base, ours: row.record, changed: row.changed,
                theirs: conflict.theirs),
            chosen: verdict.chosen, row.entity.mergeRules, writer)
        switch decision.row {
        case .write(let placed, let slots): write(placed, slots, to: id)
        case .insertAgain(let placed): reinsert(placed, as: id)
        case .delete: if let theirs = conflict.theirs { delete(id, theirs) }
        case .leave: yield(id, to: conflict.theirs)
        }
        switch decision.links {
        case .asChanged: break
        case .discarded: dropLinks(of: id)
        case .exactlyOurs: fixMembers(of: id)
        case .restored: restoreMembers(of: id)
        }
    }

    /// Inserts all pairs again that the context knows of a row that was deleted.
    private mutating func restoreMembers(of id: RowIdentity) {
        for members in members[id] ?? [] {
            var pairs = members.pairs
            pairs.added = members.set.members.map {
                members.isSource ? (id.key, $0.key) : ($0.key, id.key)
            }
            add(pairs)
        }
    }

    /// Makes the members of a row exactly those that the context knows, where it has read them.
    private mutating func fixMembers(of id: RowIdentity) {
        for members in members[id] ?? [] where members.set.stored != nil {
            fix(
                Membership(
                    links: members.pairs, key: id.key, isSource: members.isSource,
                    members: members.set.members.map(\.key)))
        }
    }

    // MARK: Rows that were to be deleted and stay, because others have changed them

    /// Takes back what the delete rules have done to the rows around those that stay after all: what
    /// was deleted with them stays too, and keys that were cleared reference them again.
    package mutating func restoreRelated(of ids: [RowIdentity]) {
        var restored = Set(ids)
        for id in ids { dropLinks(of: id) }
        var latest = restored
        while !latest.isEmpty {
            var found: Set<RowIdentity> = []
            for (id, row) in sortedRows {
                if restored.contains(id) {
                    if latest.contains(id) { restoreOwned(row, &found) }
                } else if isRestored(id, row, by: latest) {
                    found.insert(id)
                }
            }
            latest = found.subtracting(restored)
            restored.formUnion(latest)
        }
    }

    /// Restores what a row that stays references by a relationship whose delete rule is cascade.
    private mutating func restoreOwned(_ row: Row, _ found: inout Set<RowIdentity>) {
        for relationship in row.entity.relationships
        where relationship.relationship.deleteRule == .cascade {
            guard let slot = relationship.slot, row.record.hasValue(slot) else { continue }
            let id = RowIdentity(
                root: model.entities[relationship.destination].rootIndex,
                key: row.record.integer(slot))
            if restore(id) { found.insert(id) }
        }
    }

    /// - Returns: Whether the row stays too. A key that was cleared is set again.
    private mutating func isRestored(_ id: RowIdentity, _ row: Row, by latest: Set<RowIdentity>)
        -> Bool
    {
        guard let former = row.former else { return false }
        for relationship in row.entity.relationships {
            let destination = model.entities[relationship.destination]
            guard let slot = relationship.slot, former.hasValue(slot),
                latest.contains(RowIdentity(root: destination.rootIndex, key: former.integer(slot)))
            else { continue }
            switch row.write {
            case .delete:
                let rule = relationship.inverse.map {
                    destination.relationships[$0].relationship.deleteRule
                }
                if rule == .cascade { return restore(id) }
            case .update(let slots) where slots.contains(slot) && !row.record.hasValue(slot):
                restore(relationship, slot, of: id, from: former)
            case .update, .insert, .nothing:
                break
            }
        }
        return false
    }

    private mutating func restore(_ id: RowIdentity) -> Bool {
        guard let row = rows[id], case .delete = row.write, let former = row.formerPlaced
        else { return false }
        yield(id, to: former)
        dropLinks(of: id)
        return true
    }

    private mutating func restore(
        _ relationship: RelationshipDescription, _ slot: Int, of id: RowIdentity,
        from former: Record
    ) {
        guard let row = rows[id], case .update(let slots) = row.write else { return }
        var restored = SlotSet(slot)
        if let entitySlot = relationship.entitySlot { restored.insert(entitySlot) }
        var placed = writer.copy(row.record, row.entity.shape)
        restored.forEach { slot in
            writer.copySlot(slot, from: former, to: &placed, row.entity.shape)
        }
        write(placed, slots.subtracting(restored), to: id)
    }
}
