import CambiumModel

/// A row that others changed or deleted after this context had read it.
package struct ConflictingRow {
    /// What the save wants of the row.
    package enum Intent: CaseIterable, Sendable {
        /// That it is as it was; nothing is written.
        case check
        /// That it is changed.
        case update
        /// That it is deleted.
        case deletion
    }

    package let intent: Intent
    /// The row that our change started from; nil where none is known.
    package let base: Record?
    /// The row as the context has it.
    package let ours: Record
    /// The slots that the context has set.
    package let changed: SlotSet
    /// The row as the store has it; nil where it was deleted.
    package let theirs: PlacedRecord?

    package init(
        intent: Intent, base: Record?, ours: Record, changed: SlotSet, theirs: PlacedRecord?
    ) {
        self.intent = intent
        self.base = base
        self.ours = ours
        self.changed = changed
        self.theirs = theirs
    }
}

/// What a save does about a row in conflict.
package struct RowDecision {
    package enum Row {
        /// These slots of the record are written over the row; the record has the row's version.
        case write(PlacedRecord, SlotSet)
        /// The deleted row is inserted again.
        case insertAgain(PlacedRecord)
        /// The row is deleted.
        case delete
        /// The row stays as others left it.
        case leave
    }

    /// What becomes of the object's pairs in join tables.
    package enum Links: Sendable {
        /// The changes are written.
        case asChanged
        /// The changes are discarded.
        case discarded
        /// The pairs are to be exactly those that the context has read.
        case exactlyOurs
        /// All pairs that the context knows are inserted again.
        case restored
    }

    package var row: Row
    package var links = Links.asChanged
}

extension ConflictStrategy {
    /// Decides a conflict about a row.
    ///
    /// - Parameter chosen: Values that the program has chosen. They are written whatever becomes of
    ///   the others, unless the row stays deleted or is to be deleted.
    package func decide(
        _ row: ConflictingRow, chosen: [Int: StoredValue] = [:], _ rules: MergeRules,
        _ writer: RecordWriter
    ) -> RowDecision {
        guard let theirs = row.theirs else {
            guard row.intent == .update, keepsOurs else { return RowDecision(row: .leave) }
            var again = writer.copy(row.ours, rules.shape)
            for (slot, value) in chosen { writer.set(value, slot, of: &again, rules.shape) }
            return RowDecision(row: .insertAgain(again), links: .restored)
        }
        if row.intent == .deletion { return RowDecision(row: keepsOurs ? .delete : .leave) }
        var decision = RowDecision(row: .leave)
        if self == .rollback { decision.links = .discarded }
        var merged: (PlacedRecord, SlotSet)?
        if let base = row.base {
            switch self {
            case .rollback: break
            case .overwrite:
                merged = overwritten(theirs, row.ours, rules, writer)
                decision.links = .exactlyOurs
            case .storeTrump, .objectTrump:
                merged = PropertyMerge(keepsOurs: keepsOurs, rules, writer)
                    .merge(theirs, ours: row.ours, base: base, changed: row.changed)
            }
        }
        if !chosen.isEmpty {
            var (placed, slots) = merged ?? (writer.copy(theirs.record, rules.shape), SlotSet())
            for (slot, value) in chosen {
                writer.set(value, slot, of: &placed, rules.shape)
                slots.insert(slot)
            }
            merged = (placed, slots)
        }
        if let merged { decision.row = .write(merged.0, merged.1) }
        return decision
    }

    private func overwritten(
        _ theirs: PlacedRecord, _ ours: Record, _ rules: MergeRules, _ writer: RecordWriter
    ) -> (PlacedRecord, SlotSet) {
        var placed = writer.copy(ours, rules.shape)
        placed.record.version = theirs.record.version
        rules.derived.forEach { slot in
            writer.copySlot(slot, from: theirs.record, to: &placed, rules.shape)
        }
        return (placed, rules.stored.subtracting(rules.derived))
    }
}

/// How a conflict between a save and what others have saved meanwhile is decided: a merge policy
/// that neither refuses the save nor asks the program.
package enum ConflictStrategy: CaseIterable, Sendable {
    /// The store's row stays as it is.
    case rollback
    /// Our row is written as it is.
    case overwrite
    /// Both changes count; where both sides changed a property, the store's value stays.
    case storeTrump
    /// Both changes count; where both sides changed a property, our value stays.
    case objectTrump

    /// Whether our side stays, where the two exclude each other.
    package var keepsOurs: Bool { self == .objectTrump || self == .overwrite }
}
