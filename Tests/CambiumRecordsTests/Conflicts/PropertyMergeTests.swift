import CambiumModel
import Testing

@testable import CambiumRecords

/// Merge rules of values that are no integers. ``RowDecisionTests`` has those of integers.
struct PropertyMergeTests {
    private func merge(
        _ rule: MergeRule, _ kind: StorageClass, anyDecimal: Bool = false, base: StoredValue,
        ours: StoredValue, theirs: StoredValue, keepsOurs: Bool = false
    ) -> StoredValue {
        let shape = RecordShape(kinds: [kind])
        let writer = RecordWriter()
        func row(_ value: StoredValue) -> PlacedRecord {
            var placed = writer.makeRecord(shape)
            writer.set(value, 0, of: &placed, shape)
            return placed
        }
        let rules = MergeRules(
            shape: shape, stored: SlotSet(0), rules: [rule],
            anyDecimals: anyDecimal ? SlotSet(0) : SlotSet())
        let (base, ours, theirs) = (row(base), row(ours), row(theirs))
        return withExtendedLifetime((base, ours)) {
            let merged = PropertyMerge(keepsOurs: keepsOurs, rules, writer)
                .merge(theirs, ours: ours.record, base: base.record, changed: SlotSet(0))
            return (merged?.0 ?? theirs).record.storedValue(0, kind)
        }
    }

    @Test(arguments: [true, false])
    func `arrays are merged as sets, in every small case`(_ keepsOurs: Bool) throws {
        let arrays = [[], ["a"], ["b"], ["a", "b"], ["b", "a"], ["c"], ["a", "b", "c"]]
        func text(_ array: [String]) -> StoredValue {
            .text("[" + array.map { "\"\($0)\"" }.joined(separator: ",") + "]")
        }
        for base in arrays {
            for ours in arrays where ours != base {
                for theirs in arrays where theirs != base {
                    var expected = theirs.filter { ours.contains($0) || !base.contains($0) }
                    expected += ours.filter { !base.contains($0) && !expected.contains($0) }
                    #expect(
                        merge(
                            .union, .text, base: text(base), ours: text(ours),
                            theirs: text(theirs), keepsOurs: keepsOurs) == text(expected),
                        "\(base), \(ours), \(theirs)")
                }
            }
        }
    }

    @Test func `what is no array is decided as without the rule`() {
        for (value, keepsOurs) in [(StoredValue.text("no"), true), (.text("no"), false)] {
            let merged = merge(
                .union, .text, base: .text("[]"), ours: value, theirs: .text("[1]"),
                keepsOurs: keepsOurs)
            #expect(merged == (keepsOurs ? value : .text("[1]")))
        }
    }

    @Test func `a sum that 64 bits do not hold stays theirs`() {
        let merged = merge(
            .sum, .integer, base: .integer(0), ours: .integer(.max), theirs: .integer(1))
        #expect(merged == .integer(1))
        let difference = merge(
            .sum, .integer, base: .integer(.min), ours: .integer(.max), theirs: .integer(1))
        #expect(difference == .integer(1))
    }

    @Test func `sums of other numbers count both changes`() throws {
        #expect(
            merge(.sum, .real, base: .real(1), ours: .real(1.5), theirs: .real(3)) == .real(3.5))
        func decimal(_ text: String) throws -> StoredValue {
            let number = try #require(Decimal(string: text))
            return .blob(try #require(OrderedDecimal.bytes(of: number)))
        }
        let merged = merge(
            .sum, .blob, anyDecimal: true, base: try decimal("1.25"), ours: try decimal("2"),
            theirs: try decimal("-7.5"))
        let expected = try decimal("-6.75")
        #expect(merged == expected)
    }

    @Test func `texts are compared by their bytes`() {
        #expect(
            merge(.max, .text, base: .text(""), ours: .text("é"), theirs: .text("z")) == .text("é"))
        #expect(
            merge(.min, .text, base: .text(""), ours: .text("é"), theirs: .text("z")) == .text("z"))
    }
}
