@testable import Cambium
import Foundation
import Testing

/// The bits by which rows are sorted, against the order of the values.
struct SortPrefixesTests {
    private static let integers: [Int64] = [.min, -1, 0, 1, 1 << 53, 1 << 53 + 1, .max - 1, .max]
    private static let doubles: [Double] = [
        -.infinity, -1e300, -1.5, -.leastNonzeroMagnitude, -0.0, 0.0, .leastNonzeroMagnitude, 1,
        1.5, 1.5.nextUp, 1e300, .infinity, .nan,
    ]
    private static let strings = [
        "", "\0", "a", "a\0", "ab", "Person", "Person 0000001", "Person 0000002",
        "Person 0000002b", "Person 0000010", "Persön", "Perso\u{308}n", "\u{10FFFF}", "ÿ",
    ]
    private static let others: [Value] = [
        .null, .bool(false), .bool(true), .decimal(1), .data(Data([1])), .string("a"), .int(7),
    ]

    /// Values that may stand in one column.
    private static let columns: [[Value]] = {
        let numbers: [Value] = [.null] + integers.map { .int($0) } + doubles.map { .double($0) }
        let dates: [Value] = doubles.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        let texts: [Value] = strings.map { .string($0) }
        return [numbers, dates, texts + [.null], Array(texts[6...9]), others, []]
    }()

    @Test func `bits that differ are in order where the values are`() {
        for values in Self.columns { check(values) }
    }

    private func check(_ values: [Value]) {
        let prefixes = SortPrefixes(of: values)
        for one in values {
            for other in values where prefixes[one] != prefixes[other] {
                #expect((prefixes[one] < prefixes[other]) == (one.order(relativeTo: other) < 0))
                #expect(one.order(relativeTo: other) != 0)
            }
        }
    }

    @Test func `what texts have in common leaves room for what they have not`() {
        let texts = (0..<100).map { Value.string("A long name with the number \(100 + $0)") }
        let prefixes = SortPrefixes(of: texts)
        #expect(Set(texts.map { prefixes[$0] }).count == 100)
    }
}
