import CambiumSQLite

/// Resolves the conflicts of one save, property by property from three rows: the base that the change
/// started from, ours and theirs. It changes nothing in memory; the outcome is taken over when the
/// save has succeeded.
struct ConflictResolver {
    let policy: MergePolicy
    let context: ManagedObjectContext

    func resolve(_ conflicts: [RowConflict]) throws -> [ConflictResolution] {
        guard policy != .error else {
            throw ConflictError(conflicts: conflicts.map(describe))
        }
        return conflicts.map { ConflictResolution(conflict: $0, action: action(for: $0)) }
    }

    private func object(_ conflict: RowConflict) -> ManagedObject? {
        context.objects[conflict.entity.rootIndex].map[conflict.key]
    }

    private func describe(_ conflict: RowConflict) -> MergeConflict {
        let slots = bothChanged(conflict)
        return MergeConflict(
            objectID: ObjectID(
                conflict.entity, key: conflict.key,
                store: context.coordinator.storeIdentifier(ofRoot: conflict.entity.rootIndex)),
            isDeletion: conflict.isDeletion, isRowGone: conflict.theirs == nil,
            properties: slots.map { conflict.entity.layout.slots[$0].property })
    }

    private func bothChanged(_ conflict: RowConflict) -> [Int] {
        guard let theirs = conflict.theirs?.record, let extras = object(conflict)?.extras,
            let base = extras.snapshot?.record
        else { return [] }
        return extras.changedSlots.slots.filter { slot in
            conflict.entity.layout.slots[slot].column != nil
                && !theirs.isEqual(slot, conflict.entity.shape.kinds[slot], to: base)
        }
    }

    private func action(for conflict: RowConflict) -> ConflictResolution.Action {
        let keepsOurs = policy == .objectTrump
        guard let theirs = conflict.theirs else {
            // Changed here, deleted there.
            guard keepsOurs, let ours = object(conflict)?.record else { return .yield(nil) }
            return .reinsert(context.draftWriter.copy(ours, conflict.entity.shape))
        }
        if conflict.isDeletion { return keepsOurs ? .delete(theirs) : .yield(theirs) }
        return merge(theirs, conflict)
    }

    /// Theirs, with our changes on top where they do not yield.
    private func merge(
        _ theirs: PlacedRecord, _ conflict: RowConflict
    ) -> ConflictResolution.Action {
        let entity = conflict.entity
        guard let object = object(conflict), let ours = object.record,
            let base = object.extras?.snapshot?.record
        else { return .yield(theirs) }
        var merged = context.draftWriter.copy(theirs.record, entity.shape)
        var written = SlotSet()
        for slot in object.extras?.changedSlots.slots ?? []
        where entity.layout.slots[slot].column != nil {
            let kind = entity.shape.kinds[slot]
            if ours.isEqual(slot, kind, to: base) { continue }  // set, but to what it was
            let rule = entity.attributes[slot]?.merge
            if theirs.record.isEqual(slot, kind, to: base) {
                context.draftWriter.copySlot(slot, from: ours, to: &merged, entity.shape)
            } else if rule == .sum {
                if entity.attributes[slot]?.type == .anyDecimal {
                    addDecimals(slot, base, ours, to: &merged, entity.shape)
                } else {
                    addBoth(slot, kind, base, ours, to: &merged)
                }
            } else if rule == .union,
                unite(slot, base, ours, to: &merged, entity.shape)
            {
                // Done.
            } else if takesOurs(slot, kind, rule, ours, theirs.record) {
                context.draftWriter.copySlot(slot, from: ours, to: &merged, entity.shape)
            }
            written.insert(slot)
        }
        return written.isEmpty ? .yield(theirs) : .update(merged, written)
    }

    private func takesOurs(
        _ slot: Int, _ kind: StorageClass, _ rule: MergeRule?, _ ours: Record, _ theirs: Record
    ) -> Bool {
        switch rule {
        case .store?: return false
        case .object?: return true
        case .max?: return isLess(theirs, ours, slot, kind)
        case .min?: return isLess(ours, theirs, slot, kind)
        case .sum?, .union?, nil: return policy == .objectTrump
        }
    }

    private func isLess(_ one: Record, _ other: Record, _ slot: Int, _ kind: StorageClass) -> Bool {
        guard one.hasValue(slot), other.hasValue(slot) else { return !one.hasValue(slot) }
        return switch kind {
        case .integer: one.integer(slot) < other.integer(slot)
        case .real: one.real(slot) < other.real(slot)
        case .text, .blob: one.bytes(slot).lexicographicallyPrecedes(other.bytes(slot))
        }
    }

    /// Both differences from the base count. A sum that 64 bits do not hold stays theirs.
    private func addBoth(
        _ slot: Int, _ kind: StorageClass, _ base: Record, _ ours: Record,
        to merged: inout PlacedRecord
    ) {
        switch kind {
        case .integer:
            let difference = ours.integer(slot).subtractingReportingOverflow(base.integer(slot))
            let sum = merged.record.integer(slot)
                .addingReportingOverflow(difference.partialValue)
            if !difference.overflow, !sum.overflow {
                merged.record.setInteger(slot, sum.partialValue)
            }
        case .real:
            merged.record.setReal(
                slot, merged.record.real(slot) + ours.real(slot) - base.real(slot))
        case .text, .blob:
            break
        }
    }

    /// Adds our difference to a decimal of any scale. Where the sum would not be exact, theirs stays.
    private func addDecimals(
        _ slot: Int, _ base: Record, _ ours: Record, to merged: inout PlacedRecord,
        _ shape: RecordShape
    ) {
        func number(_ record: Record) -> Decimal? {
            record.hasValue(slot) ? OrderedDecimal.decimal(of: Data(record.bytes(slot))) : 0
        }
        guard let base = number(base), let ours = number(ours),
            let theirs = number(merged.record)
        else { return }
        let sum = theirs + (ours - base)
        guard sum - theirs == ours - base, let bytes = OrderedDecimal.bytes(of: sum) else { return }
        bytes.withUnsafeBytes { context.draftWriter.setBytes($0, slot, of: &merged, shape) }
    }

    /// Merges JSON arrays as sets.
    ///
    /// - Returns: False where one of the three is none.
    private func unite(
        _ slot: Int, _ base: Record, _ ours: Record, to merged: inout PlacedRecord,
        _ shape: RecordShape
    ) -> Bool {
        func array(_ record: Record) -> JSONArrayText? {
            JSONArrayText(record.hasValue(slot) ? Array(record.bytes(slot)) : Array("[]".utf8))
        }
        guard ours.hasValue(slot), merged.record.hasValue(slot), let base = array(base),
            let ours = array(ours), let theirs = array(merged.record)
        else { return false }
        JSONArrayText.union(base: base, ours: ours, theirs: theirs).json.withUnsafeBytes {
            context.draftWriter.setBytes($0, slot, of: &merged, shape)
        }
        return true
    }
}
