/// Dates as integers of microseconds since 2001-01-01 UTC, as some engines store them.
package enum DateStorage {
    private static let perSecond: Int64 = 1_000_000

    /// Returns the nearest number of microseconds; nil if 64 bits cannot hold it.
    package static func microseconds(ofSeconds seconds: Double) -> Int64? {
        // The whole seconds apart: their product would be rounded once more.
        let whole = seconds.rounded(.towardZero)
        guard let count = Int64(exactly: whole) else { return nil }
        let (product, overflows) = count.multipliedReportingOverflow(by: perSecond)
        let rest = Int64(((seconds - whole) * Double(perSecond)).rounded())
        let (sum, isTooGreat) = product.addingReportingOverflow(rest)
        return overflows || isTooGreat ? nil : sum
    }

    /// Returns the number of seconds. ``microseconds(ofSeconds:)`` converts the result back to the
    /// same microseconds.
    package static func seconds(ofMicroseconds microseconds: Int64) -> Double {
        let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: perSecond)
        return Double(whole) + Double(rest) / Double(perSecond)
    }
}

/// The dates that a store can keep if it does not keep them exactly: dates to the microsecond, in a
/// range.
package struct StoredDatePrecision: Sendable {
    /// The range, in microseconds since 2001-01-01 UTC.
    private let microseconds: ClosedRange<Int64>
    /// The first and the last year of the range, for people.
    private let years: (first: Int, last: Int)

    package init(microseconds: ClosedRange<Int64>, years: (first: Int, last: Int)) {
        self.microseconds = microseconds
        self.years = years
    }

    /// Returns a date as the store keeps it; nil if it is out of range.
    ///
    /// - Parameter seconds: Since 2001-01-01 UTC.
    package func kept(_ seconds: Double) -> Double? {
        guard let count = DateStorage.microseconds(ofSeconds: seconds),
            microseconds.contains(count)
        else { return nil }
        return DateStorage.seconds(ofMicroseconds: count)
    }

    /// Returns a date as the store keeps it. A date out of range stays unchanged, so that
    /// validation rejects it.
    package func rounded(_ seconds: Double) -> Double { kept(seconds) ?? seconds }

    /// Returns a value, rounded as the store rounds dates if it is a date.
    package func rounded(_ value: Value) -> Value {
        guard case .date(let date) = value else { return value }
        return .date(
            Date(timeIntervalSinceReferenceDate: rounded(date.timeIntervalSinceReferenceDate)))
    }

    /// The reason why a date is rejected.
    package func refusal(of property: String) -> String {
        "\(property) is a date that the store cannot keep. It keeps the years \(years.first) to "
            + "\(years.last)."
    }
}
