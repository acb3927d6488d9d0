import CambiumModel
import Testing

@testable import CambiumRecords

/// Every small case of a row in conflict: what was there, what either side made of it, each strategy
/// and each merge rule, against the rules told in another way.
struct RowDecisionTests {
    private struct Case {
        let intent: ConflictingRow.Intent
        let strategy: ConflictStrategy
        let rule: MergeRule?
        let base: Int64?
        let ours: Int64?
        /// Nil for a row that others deleted.
        let theirs: Int64??
        let isChanged: Bool
        let hasBase: Bool
        let chosen: Int64?
    }

    /// What is to come of the row: the value that is written, or what happens to the row instead.
    private enum Outcome: Equatable {
        case value(Int64?)
        case insertedAgain(Int64?)
        case deleted
        case left
    }

    private static let values: [Int64?] = [nil, 1, 2, 5]
    private static let rules: [MergeRule?] =
        [nil] + MergeRule.allCases.filter { $0 != .union }.map(Optional.some)

    private static func forEachCase(_ body: (Case) throws -> Void) rethrows {
        for intent in ConflictingRow.Intent.allCases {
            for strategy in ConflictStrategy.allCases {
                for rule in rules {
                    for base in values {
                        for ours in values {
                            for theirs in values.map(Optional.some) + [nil] {
                                for flags in 0..<8 {
                                    try body(
                                        Case(
                                            intent: intent, strategy: strategy, rule: rule,
                                            base: base, ours: ours, theirs: theirs,
                                            isChanged: flags & 1 != 0, hasBase: flags & 2 != 0,
                                            chosen: flags & 4 != 0 ? 9 : nil))
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// The rules once more.
    private static func expected(_ one: Case) -> Outcome {
        let oursStays = [.overwrite, .objectTrump].contains(one.strategy)
        guard let theirs = one.theirs else {
            guard one.intent == .update, oursStays else { return .left }
            return .insertedAgain(one.chosen ?? one.ours)
        }
        if one.intent == .deletion { return oursStays ? .deleted : .left }
        if let chosen = one.chosen { return .value(chosen) }
        if one.strategy == .rollback { return .left }
        guard one.hasBase else { return oursStays && one.isChanged ? .value(one.ours) : .left }
        if one.strategy == .overwrite { return .value(one.ours) }
        guard one.isChanged, one.ours != one.base else { return .left }
        let merged: Int64?
        if theirs == one.base {
            merged = one.ours
        } else {
            switch one.rule {
            case .sum?: merged = (theirs ?? 0) + (one.ours ?? 0) - (one.base ?? 0)
            case .max?: merged = [theirs, one.ours].compactMap(\.self).max()
            case .min?: merged = one.ours.flatMap { ours in theirs.map { min(ours, $0) } }
            case .store?: merged = theirs
            case .object?: merged = one.ours
            case .union?, nil: merged = oursStays ? one.ours : theirs
            }
        }
        return merged == theirs ? .left : .value(merged)
    }

    private static func outcome(of one: Case) throws -> (Outcome, RowDecision, SlotSet?) {
        let shape = RecordShape(kinds: [.integer, .integer])
        let writer = RecordWriter()
        func row(_ value: Int64?, version: Int64) -> PlacedRecord {
            let placed = writer.makeRecord(shape)
            placed.record.version = version
            placed.record.setInteger(1, version)
            if let value { placed.record.setInteger(0, value) }
            return placed
        }
        var stored = SlotSet(0)
        stored.insert(1)
        // The second slot is derived: the store's value always stays.
        let rules = MergeRules(
            shape: shape, stored: stored, derived: SlotSet(1), rules: [one.rule, nil])
        let (base, ours) = (row(one.base, version: 3), row(one.ours, version: 3))
        let theirs = one.theirs.map { row($0, version: 4) }
        let before = theirs.map { ($0.record.hasValue(0), $0.record.integer(0)) }
        let decision = withExtendedLifetime((base, ours)) {
            one.strategy.decide(
                ConflictingRow(
                    intent: one.intent, base: one.hasBase ? base.record : nil, ours: ours.record,
                    changed: one.isChanged ? SlotSet(0) : SlotSet(), theirs: theirs),
                chosen: one.chosen.map { [0: .integer($0)] } ?? [:], rules, writer)
        }
        // It makes rows of its own.
        let after = theirs.map { ($0.record.hasValue(0), $0.record.integer(0)) }
        #expect(before?.0 == after?.0 && before?.1 == after?.1)
        func value(_ placed: PlacedRecord) -> Int64? {
            placed.record.hasValue(0) ? placed.record.integer(0) : nil
        }
        switch decision.row {
        case .write(let placed, let slots):
            #expect(placed.record.version == 4 && placed.record.integer(1) == 4)
            return (.value(value(placed)), decision, slots)
        case .insertAgain(let placed): return (.insertedAgain(value(placed)), decision, nil)
        case .delete: return (.deleted, decision, nil)
        case .leave: return (.left, decision, nil)
        }
    }

    @Test func `a decision is what the rules say, in every small case`() throws {
        var count = 0
        try Self.forEachCase { one in
            count += 1
            let (outcome, _, slots) = try Self.outcome(of: one)
            guard outcome != Self.expected(one) || slots.map({ !$0.contains(0) }) == true else {
                return
            }
            Issue.record("\(one): \(outcome) with \(slots?.slots ?? [])")
        }
        #expect(count == 3 * 4 * 6 * 4 * 4 * 5 * 8)
    }

    @Test func `links follow the decision about the row`() throws {
        try Self.forEachCase { one in
            let (outcome, decision, _) = try Self.outcome(of: one)
            let expected: RowDecision.Links =
                switch (outcome, one.strategy) {
                case (.insertedAgain, _): .restored
                case _ where one.theirs == nil || one.intent == .deletion: .asChanged
                case (_, .rollback): .discarded
                case (_, .overwrite): one.hasBase ? .exactlyOurs : .asChanged
                default: .asChanged
                }
            if decision.links != expected { Issue.record("\(one): \(decision.links)") }
        }
    }
}
