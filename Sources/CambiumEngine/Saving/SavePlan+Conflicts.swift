import CambiumRecords

// Rows that other contexts or programs changed or deleted.
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
        case .leave: keepStored(id, to: conflict.theirs)
        }
        switch decision.links {
        case .asChanged: break
        case .discarded: dropLinks(of: id)
        case .exactlyOurs: fixMembers(of: id)
        case .restored: restoreMembers(of: id)
        }
    }

    /// Inserts all pairs of a deleted row again that the context has read.
    private mutating func restoreMembers(of id: RowIdentity) {
        for members in members[id] ?? [] {
            var pairs = members.pairs
            pairs.added = members.set.members.map {
                members.isSource ? (id.key, $0.key) : ($0.key, id.key)
            }
            add(pairs)
        }
    }

    /// Sets the members of a row to exactly the members that the context has, if it has read them.
    private mutating func fixMembers(of id: RowIdentity) {
        for members in members[id] ?? [] where members.set.stored != nil {
            fix(
                Membership(
                    links: members.pairs, key: id.key, isSource: members.isSource,
                    members: members.set.members.map(\.key)))
        }
    }

    // MARK: Rows that were to be deleted and stay, because others have changed them

    /// Reverts the effects of delete rules for rows that are not deleted after all. Rows that were
    /// deleted with them are kept too, and cleared keys reference them again.
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

    /// Restores the rows that a kept row references by a relationship with the delete rule cascade.
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
        keepStored(id, to: former)
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

// Unique values, and partners in one-to-ones, that two rows claim.
extension SavePlan {
    /// Writes decisions about collisions into the plan.
    ///
    /// - Returns: The collisions that the strategies do not resolve.
    package mutating func resolve(
        _ collisions: [UniqueCollision], by strategies: [ConflictStrategy]
    ) -> [UniqueCollision] {
        let revision = revision
        var refused: [UniqueCollision] = []
        for (collision, strategy) in zip(collisions, strategies) {
            // A decision about one of them may have settled this collision too; if not, it is found
            // again.
            if isTouched(collision.claims.map(\.id), since: revision) { continue }
            let winner = collision.claims[0]
            var isResolved = true
            for loser in collision.claims.dropFirst() {
                isResolved =
                    resolve(winner, loser, collision.key, by: strategy) && isResolved
            }
            if !isResolved { refused.append(collision) }
        }
        return refused
    }

    /// - Returns: Whether the conflict is resolved.
    private mutating func resolve(
        _ winner: UniqueCollision.Claim, _ loser: UniqueCollision.Claim, _ key: UniqueKey,
        by strategy: ConflictStrategy
    ) -> Bool {
        let decision = strategy.decide(
            ClaimPair(
                winner: winner.kind, loser: loser.kind, isPartner: key.isPartner,
                isRequired: key.isRequired))
        switch decision {
        case .unite(let handedOver):
            switch handedOver {
            case .none: dropLinks(of: loser.id)
            case .linksOnly: break
            case .setValues: handOver(setSlots(of: loser), of: loser, to: winner.id, key)
            case .allValues: handOver(loser.entity.storedSlots, of: loser, to: winner.id, key)
            }
            replace(loser.id, with: winner.id)
            return true
        case .takeBack(let side, let all):
            return takeBack(all ? nil : key.writtenSlots, of: (side == .winner ? winner : loser).id)
        case .clear(let side):
            clear(key.writtenSlots, of: (side == .winner ? winner : loser).id)
            return true
        case .refuse:
            return false
        }
    }

    /// Writes values of a new row into the row that it becomes.
    private mutating func handOver(
        _ wanted: SlotSet, of loser: UniqueCollision.Claim, to winner: RowIdentity, _ key: UniqueKey
    ) {
        guard let row = rows[winner] else { return }
        let entity = row.entity
        // If the row is from another branch of the hierarchy, only the common properties.
        let common = model.commonSlots(loser.entity, entity, key.declarer)
        var placed = writer.copy(row.record, entity.shape)
        var slots = SlotSet()
        wanted.intersection(common).subtracting(entity.derivedSlots).forEach { slot in
            guard !loser.record.isEqual(slot, entity.shape.kinds[slot], to: row.record) else {
                return
            }
            writer.copySlot(slot, from: loser.record, to: &placed, entity.shape)
            slots.insert(slot)
        }
        if !slots.isEmpty { write(placed, row.written(with: slots), to: winner) }
    }

    /// The slots of a new row that the program has set: the ones that differ from the defaults.
    private func setSlots(of claim: UniqueCollision.Claim) -> SlotSet {
        let entity = claim.entity
        guard let row = rows[claim.id] else { return entity.storedSlots }
        guard claim.kind == .inserted else { return row.changed }
        var slots = SlotSet()
        entity.storedSlots.forEach { slot in
            let kind = entity.shape.kinds[slot]
            if let value = row.defaults[slot] {
                if claim.record.storedValue(slot, kind) != value { slots.insert(slot) }
            } else if !claim.record.isEqual(slot, kind, to: entity.template.record) {
                slots.insert(slot)
            }
        }
        return slots
    }

    /// Reverts the values of a row that another row has.
    ///
    /// - Parameter slots: The slots that get their former values; nil for all, with the links of
    ///   the row.
    /// - Returns: Whether its former values are known.
    private mutating func takeBack(_ slots: SlotSet?, of id: RowIdentity) -> Bool {
        guard let row = rows[id], case .update(let written) = row.write,
            let former = row.formerPlaced
        else { return false }
        if slots == nil { dropLinks(of: id) }
        let rest = slots.map { written.subtracting($0) } ?? SlotSet()
        guard let slots, !rest.isEmpty else {
            keepStored(id, to: former)
            return true
        }
        var placed = writer.copy(row.record, row.entity.shape)
        slots.forEach { slot in
            writer.copySlot(slot, from: former.record, to: &placed, row.entity.shape)
        }
        write(placed, rest, to: id)
        return true
    }

    // Keys that would reference no row.

    /// Writes decisions about keys into the plan.
    ///
    /// - Parameter strategy: The strategy for conflicts, or nil to report them as an error.
    package mutating func resolve(_ dangling: DanglingKeys, by strategy: ConflictStrategy?) {
        // Without an inverse, no context could have read the link, and there is no conflict.
        for key in dangling.keys where key.rule != nil && key.relationship.inverse == nil {
            resolve(key)
        }
        guard let strategy else { return }
        if !strategy.keepsOurs, keepTargets(of: dangling) { return }
        dropLinks(endingAt: dangling.missing.contains)
        let revision = revision
        for key in dangling.keys where !isTouched([key.row], since: revision) { resolve(key) }
    }

    /// Keeps the rows that this save was to delete if rows of other contexts or programs reference
    /// them: their changes win the conflict.
    ///
    /// - Returns: Whether there was any.
    private mutating func keepTargets(of dangling: DanglingKeys) -> Bool {
        var kept: Set<RowIdentity> = []
        for key in dangling.keys where key.rule != nil && key.relationship.inverse != nil {
            guard let id = target(of: key), let row = rows[id], case .delete = row.write,
                row.origin == .deleted, let former = row.formerPlaced
            else { continue }
            keepStored(id, to: former)
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
        case .leaveDeleted: keepStored(key.row, to: nil)
        case .none: break
        }
    }

    /// The row that this save deletes and that the row of a key references.
    package func target(of key: DanglingKey) -> RowIdentity? {
        guard let row = rows[key.row], let slot = key.relationship.slot else { return nil }
        let root = model.entities[key.relationship.destination].rootIndex
        return RowIdentity(root: root, key: (row.theirs?.record ?? row.record).integer(slot))
    }

    /// Sets a to-one of a row, in addition to its other written values.
    package mutating func set(
        _ relationship: RelationshipDescription, of id: RowIdentity, to other: RowIdentity
    ) {
        guard let row = rows[id], let slot = relationship.slot, let end = rows[other] else {
            return
        }
        var placed = writer.copy(row.record, row.entity.shape)
        var slots = SlotSet(slot)
        writer.set(.integer(other.key), slot, of: &placed, row.entity.shape)
        if let entitySlot = relationship.entitySlot {
            slots.insert(entitySlot)
            writer.set(.text(end.entity.name), entitySlot, of: &placed, row.entity.shape)
        }
        write(placed, row.written(with: slots), to: id)
    }

    /// Sets some slots of a row to null, in addition to the slots that are written already.
    package mutating func clear(_ slots: SlotSet, of id: RowIdentity) {
        guard let row = rows[id] else { return }
        let placed = writer.copy(row.record, row.entity.shape)
        slots.forEach { placed.record.setNull($0) }
        write(placed, row.written(with: slots), to: id)
    }
}

extension ModelDescription {
    /// The common slots of two entities of the same family.
    package func commonSlots(
        _ one: EntityDescription, _ other: EntityDescription, _ family: Int
    ) -> SlotSet {
        if families[one.index].contains(other.index) { return one.storedSlots }
        if families[other.index].contains(one.index) { return other.storedSlots }
        return entities[family].storedSlots
    }
}
