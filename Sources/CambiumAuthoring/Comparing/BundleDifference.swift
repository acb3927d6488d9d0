import CambiumCompiler
import CambiumMigration
import CambiumSQL

/// What changed between two versions, step by step, in a form for people or for programs.
package struct BundleDifference: Sendable {
    /// The forms.
    package enum Format: String, Sendable, CaseIterable {
        /// Lines for a terminal.
        case text
        /// Tables for the description of a change that somebody is to review.
        case markdown
        /// One object, described at ``BundleDifference/json``.
        case json
    }

    /// The model's name.
    package let name: String
    /// The steps, oldest first; none where a version is compared with itself.
    package let steps: [VersionChanges]

    /// Whether one of the steps cannot be taken as it is.
    package var isIncomplete: Bool { steps.contains { !$0.obstacles.isEmpty } }

    /// The difference in a form; it ends with a line feed.
    ///
    /// - Parameter folder: What paths are relative to, where they lie below it.
    package func rendered(as format: Format, relativeTo folder: String? = nil) -> String {
        switch format {
        case .text: text
        case .markdown: markdown
        case .json: json(relativeTo: folder)
        }
    }
}

extension VersionChanges {
    /// The changes by what they are about: entities in the order of the first change of each, then
    /// types, with the model itself last.
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

    /// What it means for the data, in a few words.
    var outcome: String {
        if !obstacles.isEmpty { return hasShipped ? "needs code" : "undecided" }
        if changes.isEmpty { return "nothing changed" }
        return kind.words(losesData: losesData)
    }
}

extension VersionChanges.Change {
    /// The summary, with what it was and what it is.
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
    /// What is done, in words.
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

    /// What else there is to say: why it is written again, and indexes.
    var details: [String] {
        (effect == .rebuild && !causes.isEmpty
            ? ["because of \(causes.joined(separator: ", "))"] : [])
            + (madeIndexes.isEmpty || effect == .new
                ? [] : ["makes \(madeIndexes.joined(separator: ", "))"])
            + (droppedIndexes.isEmpty ? [] : ["drops \(droppedIndexes.joined(separator: ", "))"])
    }
}
