import CambiumCompiler
import CambiumSQL

extension BundleDifference {
    /// Tables for a review.
    var markdown: String {
        guard !steps.isEmpty else { return "\(Self.escaped(name)): the same version\n" }
        return steps.map(section).joined(separator: "\n")
    }

    private func section(of step: VersionChanges) -> String {
        var text =
            "## \(Self.escaped(name)): version \(Self.escaped(step.from)) to "
            + "\(Self.escaped(step.to))\n\n**\(step.outcome.capitalizedFirst).**\n"
        let subjects = step.subjects
        if !subjects.isEmpty {
            text += Self.table(
                ["Of", "Change", "Class", "In a store", "Why"],
                subjects.flatMap { subject, changes in
                    changes.enumerated().map { index, change in
                        [
                            index == 0 && !subject.isEmpty ? "**\(Self.escaped(subject))**" : "",
                            Self.escaped(change.sentence), change.words,
                            change.tables.map { Self.effect(of: step.tables[$0]) }
                                .joined(separator: "; "),
                            Self.escaped(change.reason ?? ""),
                        ]
                    }
                })
        }
        if !step.tables.isEmpty {
            text += Self.table(
                ["Table", "What is done", "Details"],
                step.tables.map { table in
                    [
                        Self.code(table.table), table.words,
                        Self.escaped(table.details.joined(separator: "; ")),
                    ]
                })
        }
        let needs = step.needs
        guard !needs.isEmpty else { return text }
        text += "\n### To do\n\n"
        for need in needs {
            text += "- [ ] \(Self.escaped(need.message))\n"
            text += need.remedies.map { "  - \(Self.escaped($0))\n" }.joined()
        }
        return text
    }

    private static func effect(of table: TableWork) -> String {
        "\(code(table.table)): \(table.effect.rawValue)"
    }

    private static func table(_ titles: [String], _ rows: [[String]]) -> String {
        let lines = [titles, titles.map { _ in "---" }] + rows
        return "\n" + lines.map { "| \($0.joined(separator: " | ")) |\n" }.joined()
    }

    // MARK: Text of the model

    /// Text that means itself: no markup, no HTML, no end of a cell.
    static func escaped(_ text: String) -> String {
        PlainText.onOneLine(text).map { character in
            switch character {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\\", "`", "*", "_", "[", "]", "|", "#", "~", "@", "!": "\\\(character)"
            default: String(character)
            }
        }.joined()
    }

    /// A name of the store, which has no grave accent: names of a model are identifiers.
    private static func code(_ name: String) -> String {
        "`\(PlainText.onOneLine(name))`"
    }
}
