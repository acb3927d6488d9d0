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
        case "duration": Int64(text).map { DurationStorage.text(of: .nanoseconds($0)) } ?? text
        case "date": Double(text).flatMap(date) ?? text
        default: text
        }
    }

    /// The reverse of `own`, for what Xcode can say.
    static func xcode(_ text: String, type: String) -> String? {
        switch type {
        case "bool": ["true": "YES", "false": "NO"][text] ?? text
        case "date" where text == "now": nil
        case "date": DateText.date(text).map { interval($0.timeIntervalSinceReferenceDate) } ?? text
        case "data", "codable": nil
        case "duration":
            DurationStorage.duration(of: text).flatMap(DurationStorage.nanoseconds).map { "\($0)" }
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
        let moment = Date(timeIntervalSinceReferenceDate: interval.rounded(.down))
        // Years of more digits have a sign.
        guard let text = ISO8601Text.text(of: moment), text.first?.isNumber == true,
            !text.hasPrefix("0000")
        else { return nil }
        return text
    }

    /// Seconds as Xcode writes them: whole ones without a point.
    private static func interval(_ seconds: Double) -> String {
        Int64(exactly: seconds).map { String($0) } ?? String(seconds)
    }
}
