import CambiumModel

/// What a command about migrations has found or done: a value that is printed for a person or
/// encoded for a program. The tool and the command of a user's own program print the same.
package protocol MigrationReport: Encodable, Sendable {
    /// Lines for a person, each with its end.
    var text: String { get }
}

extension MigrationReport {
    /// The report as JSON, ended by a line feed.
    package var json: String { reportJSON }
}

extension Encodable {
    /// A report as JSON, with sorted keys and an end of line: the same report is the same text.
    package var reportJSON: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // A report has texts, whole numbers and finite fractions: all that JSON can say.
        guard let data = try? encoder.encode(self) else { return "{}\n" }
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}
