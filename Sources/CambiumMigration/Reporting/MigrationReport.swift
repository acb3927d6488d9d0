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

extension Encoder {
    /// Writes an object with all these members, also those that are nil.
    package func encode(_ members: KeyValuePairs<String, any Encodable>) throws {
        var object = container(keyedBy: MemberName.self)
        for (name, value) in members {
            try object.encode(value, forKey: MemberName(stringValue: name))
        }
    }
}

private struct MemberName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
