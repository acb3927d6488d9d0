import CambiumCompiler
import CambiumMaintenance
import CambiumMigration
import CambiumSQL

/// The changes between two versions, step by step, in a form for people or for programs.
package struct BundleDifference: Sendable {
    /// The forms.
    package enum Format: String, Sendable, CaseIterable {
        /// Lines for a terminal.
        case text
        /// Tables for the description of a change under review.
        case markdown
        /// One object, described at ``BundleDifference/json``.
        case json
    }

    /// The model's name.
    package let name: String
    /// The steps, oldest first; empty if a version is compared with itself.
    package let steps: [VersionChanges]

    /// Whether one of the steps has blockers.
    package var isIncomplete: Bool { steps.contains { !$0.blockers.isEmpty } }

    /// The difference in a form; it ends with a line feed.
    ///
    /// - Parameter folder: The folder to which paths below it are relative.
    package func rendered(as format: Format, relativeTo folder: String? = nil) -> String {
        switch format {
        case .text: text
        case .markdown: markdown
        case .json: json(relativeTo: folder)
        }
    }
}

extension VersionChanges {
    /// The changes by subject: entities in the order of their first change, then types, then the
    /// model itself.
    var subjects: [(name: String, changes: [Change])] {
        var subjects: [(name: String, changes: [Change])] = []
        for change in changes {
            if let index = subjects.firstIndex(where: { $0.name == change.subject }) {
                subjects[index].changes.append(change)
            } else {
                subjects.append((change.subject, [change]))
            }
        }
        return subjects.filter { !$0.name.isEmpty } + subjects.filter { $0.name.isEmpty }
    }

    /// The effect on the data, in a few words.
    var outcome: String {
        if !blockers.isEmpty { return hasShipped ? "needs code" : "undecided" }
        if changes.isEmpty { return "nothing changed" }
        return kind.words(losesData: losesData)
    }
}

extension VersionChanges.Change {
    /// The summary, with the value before and after.
    var sentence: String {
        switch (before, after) {
        case (nil, nil): summary
        case (let before?, nil): "\(summary) (\(before))"
        case (nil, let after?): "\(summary) (\(after))"
        case (let before?, let after?): "\(summary) (\(before) \u{2192} \(after))"
        }
    }

    /// The class, in words.
    var words: String {
        isUndecided ? "undecided" : kind?.words ?? "program only"
    }
}

extension TableWork {
    /// The work on the table, in words.
    var words: String {
        switch effect {
        case .constant: "changed in constant time"
        case .scan: "every row is read"
        case .update: "rows are changed in place"
        case .rebuild: "every row is written again"
        case .new: "new, without rows"
        case .dropped: "dropped with its rows"
        }
    }

    /// Further details: why the table is written again, and its indexes.
    var details: [String] {
        (effect == .rebuild && !causes.isEmpty
            ? ["because of \(causes.joined(separator: ", "))"] : [])
            + (madeIndexes.isEmpty || effect == .new
                ? [] : ["makes \(madeIndexes.joined(separator: ", "))"])
            + (droppedIndexes.isEmpty ? [] : ["drops \(droppedIndexes.joined(separator: ", "))"])
    }
}

extension BundleDifference {
    /// Lines for a terminal.
    var text: String {
        guard !steps.isEmpty else { return "\(name): the same version\n" }
        return steps.map(lines).joined(separator: [""]).map { PlainText.onOneLine($0) + "\n" }
            .joined()
    }

    private func lines(of step: VersionChanges) -> [String] {
        var lines = ["\(name), from version \(step.from) to \(step.to): \(step.outcome)"]
        let width = (step.changes.map { $0.words.count }.max() ?? 0) + 2
        for (subject, changes) in step.subjects {
            lines += ["", "  " + (subject.isEmpty ? "The model" : subject)]
            for change in changes {
                let words = change.words.padding(to: width)
                let reason = change.reason.map { ": \($0)" } ?? ""
                lines.append("    \(words)\(change.sentence)\(reason)")
            }
        }
        if !step.tables.isEmpty {
            let width = (step.tables.map { $0.table.count }.max() ?? 0) + 2
            lines += ["", "  In a store"]
            for table in step.tables {
                let all = [table.words] + table.details
                lines.append("    \(table.table.padding(to: width))\(all.joined(separator: "; "))")
            }
        }
        let needed = step.needs
        if !needed.isEmpty {
            lines += ["", "  To do"]
            for item in needed {
                lines.append("    - \(item.message)")
                lines += item.remedies.map { "      \($0)" }
            }
        }
        return lines
    }
}

extension VersionChanges {
    /// The problems and findings that need the author's attention, with their remedies.
    var needs: [(message: String, remedies: [String])] {
        blockers.map { ($0.message, $0.fixes) }
            + findings.map { ("\($0.message) [\($0.code.name)]", $0.notes) }
    }
}

extension String {
    /// The text with spaces after it.
    fileprivate func padding(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}

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

    /// A name in the store. It contains no grave accent, because the names of a model are
    /// identifiers.
    private static func code(_ name: String) -> String {
        "`\(PlainText.onOneLine(name))`"
    }
}

extension BundleDifference {
    /// `{"format": 1, "model", "steps": [{"from", "to", "class", "losesData", "hasShipped",
    /// "changes": [{"of", "property", "change", "summary", "before", "after", "class", "losesData",
    /// "isUndecided", "reason", "tables"}], "tables": [{"name", "effect", "causes", "madeIndexes",
    /// "droppedIndexes"}], "obstacles": [{"message", "fixes"}], "findings": [{"code", "message",
    /// "path", "line", "column", "notes"}]}]}`.
    ///
    /// - `class` is `additive`, `reversible`, `lossy`, `destructive`, `needsData` or `needsCode`.
    ///   If a change does not affect the store, it is `program`. The class of a step is the gravest
    ///   one of its changes, and `needsCode` if the step has shipped and has blockers.
    /// - `effect` is `constant`, `scan`, `update`, `rebuild`, `new` or `dropped`.
    /// - `property`, `before`, `after` and `reason` are missing if they have no value. The words of
    ///   `before` and `after` are for people.
    /// - `hasShipped` is true for a frozen version, and for all versions of Xcode except the
    ///   current one.
    ///
    /// Members, and words for changes, may be added. `format` changes when one of them is removed
    /// or changes its meaning.
    func json(relativeTo folder: String?) -> String {
        let json: JSONValue = [
            "format": .number(1), "model": .string(name),
            "steps": .array(steps.map { Self.value(of: $0, relativeTo: folder) }),
        ]
        return json.text
    }

    private static func value(
        of step: VersionChanges, relativeTo folder: String?
    ) -> JSONValue {
        [
            "from": .string(step.from), "to": .string(step.to),
            "class": .string(step.kind.rawValue), "losesData": .bool(step.losesData),
            "hasShipped": .bool(step.hasShipped || step.isFrozen),
            "changes": .array(
                step.subjects.flatMap(\.changes).map { change in
                    value(of: change, tables: change.tables.map { step.tables[$0].table })
                }),
            "tables": .array(step.tables.map(value)),
            "obstacles": .array(
                step.blockers.map {
                    ["message": .string($0.message), "fixes": .strings($0.fixes)]
                }),
            "findings": .array(step.findings.map { value(of: $0, relativeTo: folder) }),
        ]
    }

    private static func value(of change: VersionChanges.Change, tables: [String]) -> JSONValue {
        [
            "of": .string(change.subject), "property": change.property.map(JSONValue.string),
            "change": .string(change.word), "summary": .string(change.summary),
            "before": change.before.map(JSONValue.string),
            "after": change.after.map(JSONValue.string),
            "class": .string(change.kind?.rawValue ?? "program"),
            "losesData": .bool(change.losesData), "isUndecided": .bool(change.isUndecided),
            "reason": change.reason.map(JSONValue.string), "tables": .strings(tables),
        ]
    }

    private static func value(of table: TableWork) -> JSONValue {
        [
            "name": .string(table.table), "effect": .string(table.effect.rawValue),
            "causes": .strings(table.causes), "madeIndexes": .strings(table.madeIndexes),
            "droppedIndexes": .strings(table.droppedIndexes),
        ]
    }

    private static func value(
        of finding: Diagnostic, relativeTo folder: String?
    ) -> JSONValue {
        let report = DiagnosticReport([finding], relativeTo: folder)
        return [
            "code": .string(finding.code.name), "message": .string(finding.message),
            "path": .string(report.path(finding.position)),
            "line": .number(finding.position.line), "column": .number(finding.position.column),
            "notes": .strings(finding.notes),
        ]
    }
}
