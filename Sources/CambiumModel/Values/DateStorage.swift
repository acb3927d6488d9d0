/// Dates as whole numbers of microseconds since 2001-01-01 UTC, which the stores of some engines keep.
package enum DateStorage {
    private static let perSecond: Int64 = 1_000_000

    /// The nearest number of microseconds; nil where 64 bits do not hold it.
    package static func microseconds(ofSeconds seconds: Double) -> Int64? {
        // The whole seconds apart: their product would be rounded once more.
        let whole = seconds.rounded(.towardZero)
        guard let count = Int64(exactly: whole) else { return nil }
        let (product, overflows) = count.multipliedReportingOverflow(by: perSecond)
        let rest = Int64(((seconds - whole) * Double(perSecond)).rounded())
        let (sum, isTooGreat) = product.addingReportingOverflow(rest)
        return overflows || isTooGreat ? nil : sum
    }

    /// The number of seconds, from which ``microseconds(ofSeconds:)`` leads back to what the seconds
    /// were made of.
    package static func seconds(ofMicroseconds microseconds: Int64) -> Double {
        let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: perSecond)
        return Double(whole) + Double(rest) / Double(perSecond)
    }
}

/// The dates that a store keeps which does not keep each of them to the bit: to the microsecond, in a
/// range.
package struct KeptDates: Sendable {
    /// The range, in microseconds since 2001-01-01 UTC.
    private let microseconds: ClosedRange<Int64>
    /// The first and the last year of the range, for people.
    private let years: (first: Int, last: Int)

    package init(microseconds: ClosedRange<Int64>, years: (first: Int, last: Int)) {
        self.microseconds = microseconds
        self.years = years
    }

    /// A date as the store keeps it; nil where it keeps none near it.
    ///
    /// - Parameter seconds: Since 2001-01-01 UTC.
    package func kept(_ seconds: Double) -> Double? {
        guard let count = DateStorage.microseconds(ofSeconds: seconds),
            microseconds.contains(count)
        else { return nil }
        return DateStorage.seconds(ofMicroseconds: count)
    }

    /// A date as the store keeps it. One that it cannot keep stays as it is, for validation to refuse.
    package func rounded(_ seconds: Double) -> Double { kept(seconds) ?? seconds }

    /// A value in which a date is as the store keeps it.
    package func rounded(_ value: Value) -> Value {
        guard case .date(let date) = value else { return value }
        return .date(
            Date(timeIntervalSinceReferenceDate: rounded(date.timeIntervalSinceReferenceDate)))
    }

    /// Why a date is refused.
    package func refusal(of property: String) -> String {
        "\(property) is a date that the store cannot keep. It keeps the years \(years.first) to "
            + "\(years.last)."
    }
}
