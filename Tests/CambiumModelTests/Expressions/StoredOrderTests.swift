@testable import CambiumModel
import Testing

struct StoredOrderTests {
    /// In order, as far as one has to come before the next.
    private static let numbers: [Value] = [
        .null, .double(.nan), .double(-.infinity), .int(-1), .double(-0.5), .double(0), .int(3),
        .double(.infinity),
    ]

    @Test func `numbers, and what is none, are in one order`() {
        for (index, one) in Self.numbers.enumerated() {
            #expect(one.order(relativeTo: one) == 0)
            for other in Self.numbers[(index + 1)...] {
                #expect(one.order(relativeTo: other) < 0, "\(one) comes before \(other)")
                #expect(other.order(relativeTo: one) > 0, "\(other) comes after \(one)")
            }
        }
    }

    @Test func `a date that is none comes before all dates`() {
        let none = Value.date(Date(timeIntervalSinceReferenceDate: .nan))
        let date = Value.date(Date(timeIntervalSinceReferenceDate: -1e9))
        #expect(none.order(relativeTo: none) == 0)
        #expect(none.order(relativeTo: date) < 0)
        #expect(date.order(relativeTo: none) > 0)
    }
}
