import CambiumModel
import CambiumSQL

/// A store that another draft of one of the program's versions has written, and that cannot be opened
/// as it is.
public struct OtherDraft: Sendable, Hashable, CustomStringConvertible {
    /// The name of the store's file; nil in memory.
    public let file: String?
    /// The name of the model.
    public let model: String
    /// The version that both drafts are of.
    public let version: String
    /// What differs, each as a sentence without its full stop: `Book.pages was added`. Empty where the
    /// program does not know its own draft of the version any more.
    public let changes: [String]
    /// Why ``DraftPolicy/migrate`` cannot open the store: what is ambiguous, and what would be lost.
    /// Empty where it can.
    public let obstacles: [String]
    /// Why the data of the store does not fit the program's draft, where that was found when the store
    /// was opened. ``DraftPolicy/migrate`` cannot open it then either.
    public let refusal: MigrationRefusal?
    /// The last version that has shipped of those that the store has had; nil where none has, and only
    /// then ``DraftPolicy/recreate`` can open the store.
    public let frozenVersion: String?
    /// The `Model.definition` that the store was written with.
    package let definition: String

    /// Which store it is, what differs, and what can be done.
    public var description: String { "\(problem). \(remedy)" }

    /// Which store it is, and what differs, without a full stop at the end.
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

    /// What can be done, without a full stop at the end.
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

    /// Several ways, of which one is enough.
    private static func choice(of ways: [String]) -> String {
        guard let last = ways.last, ways.count > 1 else { return ways.first ?? "" }
        return ways.dropLast().joined(separator: ", ") + ", or " + last
    }
}

/// What becomes of a store that another draft of the program's version has written.
///
/// A version that is not frozen (`cambium freeze`) is a draft, and is changed in its place while a
/// program is being made. Stores that were written before such a change are on the developers'
/// machines only.
public enum DraftPolicy: String, Sendable, Hashable, CaseIterable {
    /// The store is not opened. The error names its file, says what differs and what can be done.
    case refuse
    /// The difference between the two drafts is planned when the store is opened, with the planner
    /// that the build has, and carried out in one transaction. A store for which that is ambiguous, or
    /// would lose data, is not opened, and the error lists the reasons. Neither is one with data that
    /// does not fit the program's draft, such as a number above a new limit.
    ///
    /// - Warning: This is the one migration that was not proven when the model was compiled. A copy of
    ///   the store is made first, unless the change only adds something.
    case migrate
    /// The store is moved aside, with the files of its large values, to a name that says so, such as
    /// `shop.draft-2026-11-23-215500.sqlite`. A new, empty store is made in its place. While another
    /// process has the store open, it is not opened. A store that was ever of a frozen version is
    /// never moved: it is not opened. Drafts that differ in limits or rules alone need no migration:
    /// their stores are opened as they are, and moved only if their data does not fit.
    case recreate
}
