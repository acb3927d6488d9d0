import CambiumModel
import Foundation

/// Values as Xcode writes them, and as Cambium's own language does. What is no value at all passes
/// unchanged, so that the checker can say so.
enum XcodeValues {
    /// A value of a type of Cambium's own, or nil where Xcode means none.
    static func own(_ text: String, type: String) -> String? {
        switch type {
        case "string", "codable", "data": text
        case _ where text.isEmpty: nil
        case "bool": bool(text)
        case "int16", "int32", "int64": integer(text)
        case "float", "double": number(text)
        case "decimal": decimal(text)
        case "date": Double(text).flatMap(date) ?? text
        default: text
        }
    }

    /// The reverse of `own`, for what Xcode can say.
    static func xcode(_ text: String, type: String) -> String? {
        switch type {
        case "bool": ["true": "YES", "false": "NO"][text] ?? text
        case "date" where text == "now": nil
        case "date": Literal.date(text).map { interval($0.timeIntervalSinceReferenceDate) } ?? text
        case "data", "codable": nil
        case "uuid": text == "new" ? nil : text
        default: text
        }
    }

    private static func bool(_ text: String) -> String {
        switch text.lowercased() {
        case "yes", "true": "true"
        case "no", "false": "false"
        default: Double(text).map { $0 == 0 ? "false" : "true" } ?? text
        }
    }

    private static func integer(_ text: String) -> String {
        if let word = numberOfWord(text) { return word }
        if let number = Int64(text) { return String(number) }
        // A whole number that is too great is none that a Double would round it to.
        guard !text.utf8.dropFirst().allSatisfy({ (0x30...0x39).contains($0) }) else { return text }
        return Double(text).flatMap { Int64(exactly: $0) }.map { String($0) } ?? text
    }

    private static func number(_ text: String) -> String {
        if let word = numberOfWord(text) { return word }
        return text.hasPrefix("+") ? String(text.dropFirst()) : text
    }

    /// Without an exponent, which Core Data reads.
    private static func decimal(_ text: String) -> String {
        let number = number(text)
        let isPlain = number.utf8.allSatisfy { "0123456789.-".utf8.contains($0) }
        let isNumber = number.utf8.allSatisfy { "0123456789.-+eE".utf8.contains($0) }
        guard isNumber, !isPlain, Double(number) != nil else { return number }
        return Decimal(string: number).map { "\($0)" } ?? number
    }

    private static func numberOfWord(_ text: String) -> String? {
        ["yes": "1", "true": "1", "no": "0", "false": "0"][text.lowercased()]
    }

    /// A moment, given in seconds since 2001, or nil where it has no four-digit year.
    static func date(_ interval: Double) -> String? {
        guard interval.isFinite, abs(interval) < 1e12 else { return nil }
        let seconds = Int(interval.rounded(.down))
        let days = (Double(seconds) / 86_400).rounded(.down)
        let rest = seconds - Int(days) * 86_400
        guard let (year, month, day) = civil(daysSince2001: Int(days)) else { return nil }
        return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2)
            + "T" + padded(rest / 3600, 2) + ":" + padded(rest / 60 % 60, 2) + ":"
            + padded(rest % 60, 2) + "Z"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// The day of the Gregorian calendar, counted in eras of 400 years from 0000-03-01.
    private static func civil(daysSince2001: Int) -> (year: Int, month: Int, day: Int)? {
        let days = daysSince2001 + 730_791
        guard days >= 0 else { return nil }
        let era = days / 146_097
        let dayOfEra = days % 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        guard (1...9999).contains(year) else { return nil }
        return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    /// Seconds as Xcode writes them: whole ones without a point.
    private static func interval(_ seconds: Double) -> String {
        Int64(exactly: seconds).map { String($0) } ?? String(seconds)
    }
}
