import CambiumRecords

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
            // What was decided about one of them may have settled this too; if not, it comes back.
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

    /// - Returns: Whether it is resolved.
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
            forward(loser.id, to: winner.id)
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
        // Of a row of another branch of the hierarchy only what both have.
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

    /// The slots of a new row that the program has set: those that differ from the defaults.
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

    /// Takes back that a row got values that another one has.
    ///
    /// - Parameter slots: Those in which it keeps what it had; nil for the whole row, with its links.
    /// - Returns: Whether it is known what it had before.
    private mutating func takeBack(_ slots: SlotSet?, of id: RowIdentity) -> Bool {
        guard let row = rows[id], case .update(let written) = row.write,
            let former = row.formerPlaced
        else { return false }
        if slots == nil { dropLinks(of: id) }
        let rest = slots.map { written.subtracting($0) } ?? SlotSet()
        guard let slots, !rest.isEmpty else {
            yield(id, to: former)
            return true
        }
        var placed = writer.copy(row.record, row.entity.shape)
        slots.forEach { slot in
            writer.copySlot(slot, from: former.record, to: &placed, row.entity.shape)
        }
        write(placed, rest, to: id)
        return true
    }
}

extension ModelDescription {
    /// The slots that two entities have in common, which both are of the family of a third.
    package func commonSlots(
        _ one: EntityDescription, _ other: EntityDescription, _ family: Int
    ) -> SlotSet {
        if families[one.index].contains(other.index) { return one.storedSlots }
        if families[other.index].contains(one.index) { return other.storedSlots }
        return entities[family].storedSlots
    }
}
