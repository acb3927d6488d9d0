import CambiumModel
import Foundation

/// Dates as they are written in a model.
enum DateText {
    /// A day, or a second of one in UTC.
    static func date(_ text: String) -> Date? {
        guard text.utf8.count == 10 || text.utf8.count == 20,
            let date = ISO8601Text.date(of: text), let whole = ISO8601Text.text(of: date)
        else { return nil }
        // Of the forms that ISO 8601 has, it is the usual one.
        return text == whole || text + "T00:00:00Z" == whole ? date : nil
    }
}
