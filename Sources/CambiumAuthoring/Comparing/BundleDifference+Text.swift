import CambiumCompiler

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
    /// What the author should do, or at least have thought of.
    var needs: [(message: String, remedies: [String])] {
        obstacles.map { ($0.message, $0.fixes) }
            + findings.map { ("\($0.message) [\($0.code.name)]", $0.notes) }
    }
}

extension String {
    /// The text with spaces after it.
    fileprivate func padding(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
