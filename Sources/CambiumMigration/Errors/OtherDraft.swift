import CambiumModel
import CambiumSQL

/// A store that another draft of one of the program's versions has written, and that cannot be
/// opened as it is.
public struct OtherDraft: Sendable, Hashable, CustomStringConvertible {
    /// The name of the store's file; nil in memory.
    public let file: String?
    /// The name of the model.
    public let model: String
    /// The version that both drafts are of.
    public let version: String
    /// The differences, each as a sentence without its full stop: `Book.pages was added`. The array
    /// is empty if the program no longer has the description of its own draft.
    public let changes: [String]
    /// The reasons why ``DraftPolicy/migrate`` cannot open the store: ambiguities, and data that
    /// would be lost. Empty if it can.
    public let obstacles: [String]
    /// The reason why the data of the store does not fit the program's draft, if that was found
    /// when the store was opened. ``DraftPolicy/migrate`` cannot open the store then either.
    public let refusal: MigrationRefusal?
    /// The last shipped version that the store has had; nil if it has had none. Only if it is nil
    /// can ``DraftPolicy/recreate`` open the store.
    public let frozenVersion: String?
    /// The `Model.definition` that the store was written with.
    package let definition: String

    /// The store, the differences and the remedy.
    public var description: String { "\(problem). \(remedy)" }

    /// The store and the differences, without a full stop at the end.
    var problem: String {
        let store = file.map { "The store '\($0)'" } ?? "The store"
        var text =
            "\(store) was written with another draft of version \(version.excerpt()) of "
            + (changes.isEmpty ? "\(model)" : "\(model): \(changes.excerpts(12))")
        if !obstacles.isEmpty {
            let reasons = obstacles.excerpts(12, separator: "; ")
            text += ". It cannot be migrated to this one: \(reasons)"
        }
        if let refusal { text += ". Its data does not fit this one: \(refusal)" }
        if let frozenVersion {
            text +=
                ". It is not recreated, because it was a store of version "
                + "\(frozenVersion.excerpt()), which has shipped"
        }
        return text
    }

    /// The remedy, without a full stop at the end.
    var remedy: String {
        var ways: [String] = []
        if obstacles.isEmpty, refusal == nil {
            ways.append("keep its data (StoreOptions.draftPolicy = .migrate)")
        }
        if frozenVersion == nil {
            ways.append("move it aside and start with an empty one (draftPolicy = .recreate)")
        }
        if refusal != nil {
            ways.append("undo the change, repair the data, and make the change again")
        } else if changes.isEmpty {
            ways.append("go on with it in the program that wrote it")
        } else {
            ways.append(
                "undo the change and make it in a new version (swift package cambium version new)")
        }
        return "You can " + Self.choice(of: ways)
    }

    /// A list of alternatives.
    private static func choice(of ways: [String]) -> String {
        guard let last = ways.last, ways.count > 1 else { return ways.first ?? "" }
        return ways.dropLast().joined(separator: ", ") + ", or " + last
    }
}

/// The handling of a store that another draft of the program's version has written.
///
/// A version that is not frozen (`cambium freeze`) is a draft, and is changed in place during
/// development. Only developers' machines have stores from before such a change.
public enum DraftPolicy: String, Sendable, Hashable, CaseIterable {
    /// The store is not opened. The error names its file, the differences and the remedy.
    case refuse
    /// The difference between the two drafts is planned when the store is opened, with the planner
    /// of the build, and applied in one transaction. If the plan is ambiguous or would lose data,
    /// the store is not opened, and the error lists the reasons. It is not opened either if its
    /// data does not fit the program's draft, such as a number above a new limit.
    ///
    /// - Warning: This is the only migration that was not proven when the model was compiled. A
    ///   copy of the store is made first, unless the change only adds something.
    case migrate
    /// The store is renamed, with the files of its large values, to a name such as
    /// `shop.draft-2026-11-23-215500.sqlite`. A new, empty store is created in its place. If
    /// another process has the store open, it is not opened. A store that was ever of a frozen
    /// version is never renamed: it is not opened. Drafts that differ only in limits or rules need
    /// no migration: their stores are opened unchanged, and renamed only if their data does not
    /// fit.
    case recreate
}
