import CambiumModel
import CambiumSQL

/// A table, index, view or trigger that another program has put into a store, and that is in the
/// way of a migration or would not work after it.
///
/// Such an object is left alone where it can be; where it cannot, nothing is migrated until the
/// author of that program has decided what becomes of it.
public struct ExternalObject: Sendable, Hashable, CustomStringConvertible {
    /// What it is.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case table, index, view, trigger
    }

    /// What is wrong.
    public enum Reason: Sendable, Hashable {
        /// The migration makes something of its name, ignoring case; written like this.
        case nameIsNeeded(String)
        /// It does not work with the tables of the new version, in SQLite's words.
        case wouldBreak(String)
        /// It would go on with something else of the same name.
        case wouldMeanSomethingElse(String)
        /// So many of its links would reference objects that the migration deletes.
        case wouldLoseLinks(Int)
        /// It is an index with a name as the model's own have, which a migration drops where the
        /// new version has none of it.
        case looksLikeOurs
        /// It belongs to a table or view of another program's that has to be dropped, which is
        /// named like this, and SQLite drops it with that.
        case goesWith(String)
        /// The store is opened with trust in nothing but the model's own schema.
        case isNotTrusted
    }

    /// What it is.
    public let kind: Kind
    /// Its name.
    public let name: String
    /// The statement that makes it.
    public let statement: String
    /// What is wrong.
    public let reason: Reason
    /// What to do about it, with the SQL for it.
    public let remedy: String

    /// The kind, the name, and what is wrong.
    public var description: String {
        let what =
            switch reason {
            case .nameIsNeeded(let made):
                made == name
                    ? "has the name of what the migration makes"
                    : "has the name of what the migration makes (\(made)) but for upper case"
            case .wouldBreak(let message): "would not work any more (\(message))"
            case .wouldMeanSomethingElse(let text): "would mean something else (\(text))"
            case .wouldLoseLinks(let count):
                "has \(count.counted("link")) to objects that the migration deletes"
            case .looksLikeOurs: "has a name as only the model's own indexes have"
            case .goesWith(let owner): "belongs to \(owner), which has to be dropped"
            case .isNotTrusted: "is none of the model's"
            }
        return "the \(kind.rawValue) \(name.excerpt()) \(what)"
    }
}

extension ExternalObject {
    /// Says what to do about an object.
    ///
    /// - Parameter usedNames: The names, in lower case, that are in use or will be.
    init(_ object: StoreObject, _ reason: Reason, _ usedNames: Set<String> = []) {
        kind = Kind(rawValue: object.kind.rawValue) ?? .table
        (name, statement, self.reason) = (object.name, object.sql, reason)
        let sql = object.sql.excerpt(4_000)
        switch (object.kind, reason) {
        case (_, .isNotTrusted):
            remedy = "drop it (\(object.removal)), or trust external objects in the store's options"
        case (.table, .nameIsNeeded):
            var free = "\(object.name)_2"
            while usedNames.contains(free.lowercased()) { free += "_2" }
            remedy = "give it another name: \(object.renaming(to: free))"
        case (_, .wouldLoseLinks):
            remedy = "set those keys to NULL, or delete the rows"
        case (.table, _) where !object.isVirtual:
            remedy =
                "save its rows elsewhere, drop it (\(object.removal)) and create it again without "
                + "the references that fail: \(sql)"
        case (_, .goesWith):
            remedy =
                "drop it first (\(object.removal)) and create it again when \(object.table) is "
                + "rebuilt: \(sql)"
        case (_, .nameIsNeeded), (_, .looksLikeOurs):
            remedy = "drop it (\(object.removal)) and give it another name: \(sql)"
        case (_, _):
            remedy = "drop it (\(object.removal)) and create it as the new version needs it: \(sql)"
        }
    }
}

extension [ExternalObject] {
    /// What is wrong with each, and what to do about it.
    var words: String {
        let shown = prefix(20).map { "\($0): \($0.remedy)" }.joined(separator: "; ")
        return count > 20 ? "\(shown); and \(count - 20) more" : shown
    }
}
