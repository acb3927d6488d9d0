import Foundation

/// Dates as they are written in a model.
enum DateText {
    /// A day, or a second of one in UTC.
    static func date(_ text: String) -> Date? {
        let halves = text.split(separator: "T", omittingEmptySubsequences: false)
        guard (1...2).contains(halves.count),
            let day = numbers(halves[0], separator: "-", widths: [4, 2, 2]),
            (1...12).contains(day[1]), day[2] >= 1, day[2] <= daysOfMonth(day[1], year: day[0])
        else { return nil }
        var seconds = daysSinceReference(year: day[0], month: day[1], day: day[2]) * 86_400
        if halves.count == 2 {
            guard halves[1].hasSuffix("Z"),
                let time = numbers(halves[1].dropLast(), separator: ":", widths: [2, 2, 2]),
                time[0] < 24, time[1] < 60, time[2] < 60
            else { return nil }
            seconds += time[0] * 3600 + time[1] * 60 + time[2]
        }
        return Date(timeIntervalSinceReferenceDate: Double(seconds))
    }

    private static func numbers(
        _ text: Substring, separator: Character, widths: [Int]
    ) -> [Int]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == widths,
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
        else { return nil }
        return parts.compactMap { Int($0) }
    }

    private static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    private static func daysOfMonth(_ month: Int, year: Int) -> Int {
        month == 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// Days since 2001-01-01 in the Gregorian calendar.
    private static func daysSinceReference(year: Int, month: Int, day: Int) -> Int {
        let before = year - 1
        let years = before * 365 + before / 4 - before / 100 + before / 400
        let months = (1..<month).reduce(0) { $0 + daysOfMonth($1, year: year) }
        return years + months + day - 1 - 730_485
    }
}
