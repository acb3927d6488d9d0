import CambiumModel
import CambiumPlan

/// The result of a command about migrations. It is printed for a person, or encoded for a program.
/// The tool and the command of a user's own program print the same text.
package protocol MigrationReport {
    /// Lines for a person, each with its end.
    var text: String { get }
    /// The members for a program.
    var members: ReportValue { get }
}

extension MigrationReport {
    /// The report as JSON, ended by a line feed.
    package var json: String { members.reportJSON }
}

extension Encodable {
    /// A report as JSON, with sorted keys and a final line feed. Equal reports have equal texts.
    package var reportJSON: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // A report contains strings, integers and finite fractions. JSON can express all of them.
        guard let data = try? encoder.encode(self) else { return "{}\n" }
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}

/// A value of a report, in JSON's types.
package enum ReportValue: Encodable {
    case text(String?)
    case number(Int?)
    case fraction(Double)
    case flag(Bool)
    case list([ReportValue])
    /// An object. Members that are nil are omitted.
    case object(KeyValuePairs<String, ReportValue>)

    /// A list of strings.
    static func texts(_ texts: [String]) -> ReportValue { .list(texts.map { .text($0) }) }

    private var isNil: Bool {
        switch self {
        case .text(let text): text == nil
        case .number(let number): number == nil
        default: false
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .list(let values):
            var list = encoder.unkeyedContainer()
            for value in values { try list.encode(value) }
        case .object(let members):
            var object = encoder.container(keyedBy: MemberName.self)
            for (name, value) in members where !value.isNil {
                try object.encode(value, forKey: MemberName(stringValue: name))
            }
        case .text(let text): try encode(text, to: encoder)
        case .number(let number): try encode(number, to: encoder)
        case .fraction(let number): try encode(number, to: encoder)
        case .flag(let flag): try encode(flag, to: encoder)
        }
    }

    private func encode(_ value: any Encodable, to encoder: any Encoder) throws {
        var single = encoder.singleValueContainer()
        try single.encode(value)
    }
}

extension Encoder {
    /// Writes an object with all these members, including nil values.
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

/// Formats the texts of reports.
package enum ReportText {
    /// Lines with a label and a value, aligned in two columns. Entries without a value are omitted.
    package static func list(_ entries: [(label: String, value: String?)]) -> String {
        let width = entries.compactMap { $0.value == nil ? nil : $0.label.count }.max() ?? 0
        return entries.compactMap { label, value in
            value.map { label + String(repeating: " ", count: width - label.count + 2) + $0 + "\n" }
        }.joined()
    }

    /// Lines of columns under headings. Numbers are aligned to the right.
    package static func table(_ headings: [String], _ rows: [[String]]) -> String {
        let all = [headings] + rows
        let widths = headings.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        let isNumber = headings.indices.map { column in
            !rows.isEmpty && rows.allSatisfy { $0[column].allSatisfy { "0123456789".contains($0) } }
        }
        return all.map { row in
            let cells = row.indices.map { column in
                let space = String(repeating: " ", count: widths[column] - row[column].count)
                return isNumber[column] ? space + row[column] : row[column] + space
            }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
        }.joined()
    }

    /// A number of bytes in the unit that leaves one to three digits before the point.
    package static func bytes(_ number: Int) -> String {
        var rest = Double(number)
        for unit in ["bytes", "KB", "MB", "GB", "TB"] {
            if rest < 1_000 || unit == "TB" {
                let isWhole = unit == "bytes" || rest >= 100
                let tenths = Int((rest * 10).rounded())
                return isWhole
                    ? "\(Int(rest.rounded())) \(unit)" : "\(tenths / 10).\(tenths % 10) \(unit)"
            }
            rest /= 1_000
        }
        return "\(number) bytes"
    }

    /// A duration in seconds, to the millisecond.
    static func seconds(_ duration: Double) -> String {
        let milliseconds = Int((duration * 1_000).rounded())
        let digits = String(milliseconds % 1_000)
        let zeros = String(repeating: "0", count: 3 - digits.count)
        return "\(milliseconds / 1_000).\(zeros)\(digits) s"
    }

    /// Versions in the order of the migration.
    static func path(_ versions: [String]) -> String {
        versions.count == 1
            ? "version \(versions[0]) brought up to date" : versions.joined(separator: " → ")
    }
}

extension MigrationKind {
    /// A description of the class for a person.
    package var words: String {
        switch self {
        case .additive: "additive"
        case .reversible: "reversible"
        case .lossy: "lossy"
        case .destructive: "destructive"
        case .needsData: "needs data"
        case .needsCode: "needs code"
        }
    }

    /// A description of several effects by their class. If the class does not imply the loss of
    /// data, that is added.
    package func words(losesData: Bool) -> String {
        losesData && self != .lossy && self != .destructive ? words + ", loses data" : words
    }
}
