/// Durations as integers of nanoseconds, which the store keeps, and as texts of ISO 8601, such as
/// `PT1H30M` or `-PT0.5S`. Days and weeks are read as 24 and 168 hours; months and years, whose length
/// varies, are not.
package enum DurationStorage {
    /// The scale of a decimal number of seconds that has the same units.
    package static let scale = 9
    private static let nanosecondsPerSecond: Int128 = 1_000_000_000

    /// The nanoseconds of a duration, rounded to the nearest, halves away from zero; nil where 64 bits
    /// do not hold them (beyond 292 years).
    package static func nanoseconds(of duration: Duration) -> Int64? {
        // The components of longer ones may not exist.
        let limit = Duration.seconds(1 << 34)
        guard (.zero - limit...limit).contains(duration) else { return nil }
        let (seconds, attoseconds) = duration.components
        let (whole, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let rounding = rest.magnitude >= 500_000_000 ? rest.signum() : 0
        return Int64(exactly: Int128(seconds) * nanosecondsPerSecond + Int128(whole + rounding))
    }

    /// The nearest duration that the store can keep.
    package static func nearest(to duration: Duration) -> Duration {
        .nanoseconds(nanoseconds(of: duration) ?? (duration < .zero ? .min : .max))
    }

    /// A duration as text, in hours, minutes and seconds.
    package static func text(of duration: Duration) -> String {
        let total = nanoseconds(of: nearest(to: duration)) ?? 0
        let (seconds, fraction) = total.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        let (minutes, rest) = seconds.quotientAndRemainder(dividingBy: 60)
        var text = total < 0 ? "-PT" : "PT"
        if minutes >= 60 { text += "\(minutes / 60)H" }
        if minutes % 60 > 0 { text += "\(minutes % 60)M" }
        if rest > 0 || fraction > 0 || total == 0 {
            text += "\(rest)"
            if fraction > 0 {
                let digits = String(fraction + 1_000_000_000).dropFirst()
                text +=
                    ".\(digits.prefix(through: digits.lastIndex { $0 != "0" } ?? digits.startIndex))"
            }
            text += "S"
        }
        return text
    }

    /// The duration of a text; nil where it is none, has parts of a nanosecond, or is too long.
    package static func duration(of text: String) -> Duration? {
        var rest = Substring(text)
        let isNegative = rest.first == "-"
        if isNegative { rest.removeFirst() }
        guard rest.first == "P" else { return nil }
        let parts = rest.dropFirst().split(separator: "T", omittingEmptySubsequences: false)
        guard parts.count == 1 || parts.count == 2 && !parts[1].isEmpty,
            var total = nanoseconds(parts[0], [("W", 604_800), ("D", 86_400)])
        else { return nil }
        if parts.count == 2 {
            guard let time = nanoseconds(parts[1], [("H", 3600), ("M", 60), ("S", 1)]) else {
                return nil
            }
            total += time
        } else if parts[0].isEmpty {
            return nil
        }
        return Int64(exactly: isNegative ? -total : total).map(Duration.nanoseconds)
    }

    /// The sum of numbers with units behind them, in this order, each at most once. Only seconds have
    /// decimal places.
    private static func nanoseconds(
        _ text: Substring, _ units: [(name: Character, seconds: Int128)]
    ) -> Int128? {
        var total: Int128 = 0
        var rest = text
        for unit in units {
            guard let end = rest.firstIndex(of: unit.name) else { continue }
            let number = rest[..<end].split(separator: ".", omittingEmptySubsequences: false)
            let places = number.count == 2 ? number[1] : ""
            let isNumber = number.allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
            }
            guard isNumber, (1...(unit.seconds == 1 ? 2 : 1)).contains(number.count),
                number[0].count <= 18, places.count <= scale, let whole = Int64(number[0]),
                let fraction = Int64(places + String(repeating: "0", count: scale - places.count))
            else { return nil }
            total += Int128(whole) * unit.seconds * nanosecondsPerSecond + Int128(fraction)
            rest = rest[rest.index(after: end)...]
        }
        return rest.isEmpty ? total : nil
    }
}
