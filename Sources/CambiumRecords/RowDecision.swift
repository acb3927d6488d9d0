import CambiumModel

/// A row that others changed or deleted after this context had read it.
package struct ConflictingRow {
    /// The intention of the save for the row.
    package enum Intent: CaseIterable, Sendable {
        /// That it is unchanged; nothing is written.
        case check
        /// That it is changed.
        case update
        /// That it is deleted.
        case deletion
    }

    package let intent: Intent
    /// The row that the context read before its change. It is nil if the save was to insert a
    /// deleted row again, and another context had already done so.
    package let base: Record?
    /// The row as the context has it.
    package let ours: Record
    /// The slots that the context has set.
    package let changed: SlotSet
    /// The row in the store; nil if it was deleted.
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

/// The decision of a save about a row in conflict.
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

    /// The decision about the object's pairs in join tables.
    package enum Links: Sendable {
        /// The changes are written.
        case asChanged
        /// The changes are discarded.
        case discarded
        /// The pairs become exactly the ones that the context has read.
        case exactlyOurs
        /// All pairs that the context has read are inserted again.
        case restored
    }

    package var row: Row
    package var links = Links.asChanged
}

extension ConflictStrategy {
    /// Decides a conflict about a row.
    ///
    /// - Parameter chosen: Values that the program has chosen. They are written even if the other
    ///   values are discarded, unless the row stays deleted or is to be deleted.
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
        } else if keepsOurs, !row.changed.isEmpty {
            merged = overwritten(theirs, row.ours, rules, writer)
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

/// A strategy for conflicts between a save and the saves of others: a merge policy that neither
/// rejects the save nor calls the program.
package enum ConflictStrategy: CaseIterable, Sendable {
    /// The store's row stays as it is.
    case rollback
    /// Our row is written as it is.
    case overwrite
    /// Both changes are kept; if both sides changed a property, the store's value wins.
    case storeTrump
    /// Both changes are kept; if both sides changed a property, our value wins.
    case objectTrump

    /// Whether our side wins if the two exclude each other.
    package var keepsOurs: Bool { self == .objectTrump || self == .overwrite }
}

/// Merges two changes of a row, property by property from three rows: the base that the change
/// started from, ours and theirs.
package struct PropertyMerge {
    /// Whether our value wins if both sides changed a property without a rule of its own.
    private let keepsOurs: Bool
    private let rules: MergeRules
    private let writer: RecordWriter

    package init(keepsOurs: Bool, _ rules: MergeRules, _ writer: RecordWriter) {
        self.keepsOurs = keepsOurs
        self.rules = rules
        self.writer = writer
    }

    /// Merges our changes into their row, unless a change loses.
    ///
    /// - Returns: The merged row and the slots that differ from theirs and have to be written. Nil
    ///   if none does: a context that has their row then has the latest.
    package func merge(
        _ theirs: PlacedRecord, ours: Record, base: Record, changed: SlotSet
    ) -> (PlacedRecord, SlotSet)? {
        let shape = rules.shape
        var merged = writer.copy(theirs.record, shape)
        var written = SlotSet()
        for slot in changed.intersection(rules.stored).slots {
            let kind = shape.kinds[slot]
            if ours.isEqual(slot, kind, to: base) { continue }  // set, but to what it was
            let rule = rules.rules[slot]
            if theirs.record.isEqual(slot, kind, to: base) {
                writer.copySlot(slot, from: ours, to: &merged, shape)
            } else if rule == .sum {
                if rules.anyDecimals.contains(slot) {
                    addDecimals(slot, base, ours, to: &merged, shape)
                } else {
                    addBoth(slot, kind, base, ours, to: &merged)
                }
            } else if rule == .union,
                unite(slot, base, ours, to: &merged, shape)
            {
                // Done.
            } else if takesOurs(slot, kind, rule, ours, theirs.record) {
                writer.copySlot(slot, from: ours, to: &merged, shape)
            }
            if !merged.record.isEqual(slot, kind, to: theirs.record) { written.insert(slot) }
        }
        return written.isEmpty ? nil : (merged, written)
    }

    private func takesOurs(
        _ slot: Int, _ kind: StorageClass, _ rule: MergeRule?, _ ours: Record, _ theirs: Record
    ) -> Bool {
        switch rule {
        case .store?: return false
        case .object?: return true
        case .max?: return isLess(theirs, ours, slot, kind)
        case .min?: return isLess(ours, theirs, slot, kind)
        case .sum?, .union?, nil: return keepsOurs
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

    /// Adds both differences to the base. If the sum exceeds 64 bits, the store's value is kept.
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

    /// Adds our difference to a decimal of any scale. If the sum would not be exact, their value is
    /// kept.
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
        bytes.withUnsafeBytes { writer.setBytes($0, slot, of: &merged, shape) }
    }

    /// Merges JSON arrays as sets.
    ///
    /// - Returns: False if one of the three is not an array.
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
            writer.setBytes($0, slot, of: &merged, shape)
        }
        return true
    }
}

/// The elements of a JSON array as strings, for merging arrays with an unknown element type.
///
/// JSON of this library has sorted keys and no white space: equal elements are equal strings.
struct JSONArrayText {
    private(set) var elements: [ArraySlice<UInt8>]

    /// Splits an array into its elements; nil if the string is not an array.
    init?(_ json: [UInt8]) {
        var bytes = json[...]
        Self.trim(&bytes)
        guard bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]"), bytes.count > 1
        else { return nil }
        bytes = bytes.dropFirst().dropLast()
        elements = []
        var start = bytes.startIndex
        var depth = 0
        var isInText = false
        var isEscaped = false
        for index in bytes.indices {
            let byte = bytes[index]
            if isInText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInText = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInText = true
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: ",") where depth == 0:
                guard append(bytes[start..<index]) else { return nil }
                start = index + 1
            default: break
            }
            if depth < 0 { return nil }
        }
        guard depth == 0, !isInText else { return nil }
        if elements.isEmpty, bytes[start...].allSatisfy(Self.isSpace) { return }
        guard append(bytes[start...]) else { return nil }
    }

    private mutating func append(_ element: ArraySlice<UInt8>) -> Bool {
        var element = element
        Self.trim(&element)
        elements.append(element)
        return !element.isEmpty
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    private static func trim(_ bytes: inout ArraySlice<UInt8>) {
        bytes = bytes.drop(while: isSpace)
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
    }

    /// The array as a text.
    var json: [UInt8] {
        [UInt8(ascii: "[")] + elements.joined(separator: [UInt8(ascii: ",")])
            + [UInt8(ascii: "]")]
    }

    /// Returns the store's elements without the elements that this save removes, and then the
    /// elements that it adds.
    static func union(
        base: JSONArrayText, ours: JSONArrayText, theirs: JSONArrayText
    ) -> JSONArrayText {
        let (before, mine) = (Set(base.elements), Set(ours.elements))
        var known = Set(theirs.elements)
        var merged = theirs
        merged.elements.removeAll { before.contains($0) && !mine.contains($0) }
        for element in ours.elements
        where !before.contains(element) && known.insert(element).inserted {
            merged.elements.append(element)
        }
        return merged
    }
}
