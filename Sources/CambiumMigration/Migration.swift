import CambiumModel
import CambiumPlan
import CambiumSQL
@_exported import enum CambiumPlan.MigrationKind
@_exported import enum CambiumPlan.SchemaOperation
@_exported import struct CambiumPlan.RowCopy
@_exported import struct CambiumPlan.UniqueRows
@_exported import struct CambiumSQL.MigrationHistory
@_exported import struct CambiumSQL.MigrationStatement
@_exported import struct CambiumSQL.MigrationStep

// A migration is made of steps, and its users must be able to name them.

/// What makes a store of one version of a model a store of the next: planned and proven when the
/// model was compiled, and run as it is.
public struct Migration: Sendable, Hashable {
    /// The version that it starts from.
    public let from: String
    /// The version that it migrates to.
    public let to: String
    /// The version hash of the version that it starts from.
    public let fromHash: String
    /// The version hash of the version that it migrates to.
    public let toHash: String
    /// The hash of the text of all tables and indexes of the version that it starts from; empty
    /// where it was not noted. A store with another one was made by another form of the version,
    /// and ``objects`` say nothing about it.
    public let schemaHash: String
    /// What is done, in order.
    public let steps: [MigrationStep]
    /// The tables, indexes and triggers that a store of the version it starts from has, each with
    /// the first digits of a hash of what it says; those alone that differ from the version before
    /// that one. A deleted one has an empty text.
    public let objects: [String: String]

    /// How the history of a store is taken along; nil where nothing in it has another name or meaning
    /// afterwards.
    public let history: MigrationHistory?

    /// Describes a migration.
    public init(
        from: String, to: String, fromHash: String, toHash: String, steps: [MigrationStep],
        schemaHash: String = "", objects: [String: String] = [:],
        history: MigrationHistory? = nil
    ) {
        self.history = history
        self.schemaHash = schemaHash
        self.objects = objects
        self.from = from
        self.to = to
        self.fromHash = fromHash
        self.toHash = toHash
        self.steps = steps
    }

    /// Plans the migration between two versions.
    ///
    /// - Parameter schemas: The tables of both, where they are laid out already.
    /// - Throws: All reasons why there is none.
    package init(
        from old: Model, to new: Model, schemas: (old: Schema, new: Schema)? = nil
    ) throws(MigrationProblems) {
        try self.init(
            ModelDifference(from: old, to: new),
            schemas: schemas ?? (Schema(of: old), Schema(of: new)))
    }

    /// Plans what a difference between two versions asks for.
    ///
    /// - Parameter schemas: The tables of both.
    /// - Throws: All reasons why there is none.
    package init(
        _ difference: ModelDifference, schemas: (old: Schema, new: Schema)
    ) throws(MigrationProblems) {
        let plan = try MigrationPlan(difference, schemas: schemas)
        self.init(
            from: difference.match.old.version, to: difference.match.new.version,
            fromHash: schemas.old.metadata.versionHash, toHash: schemas.new.metadata.versionHash,
            steps: plan.steps, history: plan.history)
    }

    /// The same with what a store of the version that it starts from has, so that what another
    /// program has changed can be found.
    ///
    /// - Parameters:
    ///   - schema: The tables of that version.
    ///   - former: Those of the version before, where a migration exists from there to this one.
    package func noting(_ schema: Schema, after former: Schema?) -> Migration {
        Migration(
            from: from, to: to, fromHash: fromHash, toHash: toHash, steps: steps,
            schemaHash: schema.hash, objects: schema.fingerprints(besides: former),
            history: history)
    }

    /// What the whole migration means for the data: as much as the gravest step.
    public var kind: MigrationKind {
        steps.map(\.kind).max() ?? .additive
    }

    /// Whether data is deleted or becomes less exact, so that a copy of the store is made first.
    public var losesData: Bool {
        steps.contains(where: \.losesData)
    }

    /// Why the history of a store starts over; nil where it goes on.
    var historyObstacle: String? {
        if let history { return history.obstacle }
        if kind == .additive { return nil }
        return "The migration was planned without it"
    }

    /// The statements in order.
    var statements: [MigrationStatement] { steps.flatMap(\.statements) }

    /// What they do.
    var operations: [SchemaOperation] { statements.map(\.operation) }

    /// The names of the steps that the program supplies, in order.
    public var codeSteps: [String] {
        steps.compactMap(\.code)
    }
}

extension [Migration] {
    /// The same with what a store of each version that one starts from has.
    ///
    /// - Parameter schemas: The tables of all versions; the last ones are those of this chain.
    package func noting(_ schemas: [Schema]) -> [Migration] {
        let first = schemas.count - 1 - count
        guard first >= 0 else { return self }
        return enumerated().map { index, migration in
            // Earlier migrations are not in the chain, so that the first one says it all.
            migration.noting(
                schemas[first + index], after: index == 0 ? nil : schemas[first + index - 1])
        }
    }
}

/// The way from a store's version to the program's.
package struct MigrationChain: Sendable {
    package let migrations: [Migration]
    /// What the first one is about, where it starts at another draft of its version.
    let draft: DraftStep?

    /// A way without a migration: only checks, defaults or indexes are brought up to date.
    static let refresh = MigrationChain()

    init(_ migrations: [Migration] = [], draft: DraftStep? = nil) {
        self.migrations = migrations
        self.draft = draft
    }

    /// A way that is known.
    package init(of migrations: [Migration]) { self.init(migrations) }

    private struct Version: Equatable {
        let name: String
        let hash: String
    }

    /// The way from a store's version to the program's.
    ///
    /// - Parameters:
    ///   - laterVersions: The names of versions that come after the program's.
    ///   - other: Another way, where these migrations are none.
    /// - Throws: ``MigrationError`` where there is none.
    package static func way(
        from store: StoreMetadata, to target: StoreMetadata, among migrations: [Migration],
        laterVersions: Set<String> = [], or other: () throws -> MigrationChain? = { nil }
    ) throws -> MigrationChain {
        guard store.model == target.model else {
            throw MigrationError.otherModel(store: store.model, program: target.model)
        }
        guard store.format == target.format else {
            throw MigrationError.newerFormat(store: store.format, program: target.format)
        }
        let isNewer =
            laterVersions.contains(store.version)
            || VersionName(store.version).isLater(than: VersionName(target.version))
        let found = MigrationChain(
            from: store, to: target, among: migrations, knowingHashes: !isNewer)
        if let found { return found }
        if laterVersions.contains(store.version) {
            throw MigrationError.noWayBack(store: store.version, target: target.version)
        }
        if isNewer {
            throw MigrationError.newerVersion(store: store.version, program: target.version)
        }
        if let other = try other() { return other }
        let known = migrations.map { "\($0.from) (\($0.fromHash))" }
        throw MigrationError.unknownVersion(
            store: store.version, hash: store.versionHash,
            known: known + ["\(target.version) (\(target.versionHash))"])
    }

    /// What is done, in order.
    var steps: [MigrationStep] { migrations.flatMap(\.steps) }

    /// What their statements do, in order.
    package var operations: [SchemaOperation] { migrations.flatMap(\.operations) }

    /// Whether a copy of the store is made first: where data is deleted, and where it is not proven
    /// what is done to rows that exist.
    package var needsBackup: Bool {
        steps.contains(where: \.losesData)
            || draft != nil && migrations[0].kind != .additive
    }

    /// Why the history of a store starts over on the way; nil where it goes on.
    package var historyObstacle: String? { migrations.lazy.compactMap(\.historyObstacle).first }

    /// The versions on the way, the first and the last included; empty where there is no migration.
    var versions: [String] { migrations.prefix(1).map(\.from) + migrations.map(\.to) }

    /// Finds the shortest chain; nil where there is none. A version is known by name and hash, or
    /// by its hash alone where it was given another name.
    ///
    /// - Parameter knowsHashes: Whether the hash alone may do. Two versions can look the same and
    ///   mean other things: the migration between them fills a value again.
    init?(
        from store: StoreMetadata, to program: StoreMetadata, among migrations: [Migration],
        knowingHashes knowsHashes: Bool
    ) {
        let target = Version(name: program.version, hash: program.versionHash)
        let start = Version(name: store.version, hash: store.versionHash)
        let known =
            [target]
            + migrations.reversed().map { Version(name: $0.from, hash: $0.fromHash) }
        guard
            let first = known.first(where: { $0 == start })
                ?? known.first(where: { knowsHashes && $0.hash == start.hash })
        else { return nil }
        var seen = [first]
        var queue: [(version: Version, way: [Migration])] = [(first, [])]
        while !queue.isEmpty {
            let (version, way) = queue.removeFirst()
            if version == target {
                (self.migrations, draft) = (way, nil)
                return
            }
            for migration in migrations
            where migration.from == version.name && migration.fromHash == version.hash {
                let next = Version(name: migration.to, hash: migration.toHash)
                guard !seen.contains(next) else { continue }
                seen.append(next)
                queue.append((next, way + [migration]))
            }
        }
        return nil
    }
}

/// The way from one draft of a version to another, which is not proven.
final class DraftStep: Sendable {
    /// The tables of the store.
    let schema: Schema
    /// What differs, in words.
    let changes: [String]

    init(schema: Schema, changes: [String]) {
        self.schema = schema
        self.changes = changes
    }

    /// What was done, for a log.
    func words(of store: String?, _ model: String, backup: String?) -> String {
        "The store\(store.map { " '\($0)'" } ?? "") was migrated from another draft of version "
            + "\(schema.metadata.version) of \(model), and nothing has proven that migration: "
            + (changes.isEmpty ? "nothing that it holds changed" : changes.joined(separator: ", "))
            + (backup.map { ". The store as it was: '\($0)'" } ?? "")
    }
}

/// What opening a store did to it.
public enum MigrationOutcome: Sendable, Hashable {
    /// There was nothing; the store is new.
    case created
    /// The store had the program's version.
    case current
    /// The store had the program's version; checks, defaults or indexes were brought up to date, or
    /// what another program had changed was repaired. `backup` is the path of the copy, where one
    /// was made.
    case refreshed(backup: String?)
    /// The store had an earlier version, or was written with another draft of the program's version:
    /// then `from` and `to` are equal. `backup` is the path of the copy, where one was made: on a
    /// server the schema with the copies of tables.
    case migrated(from: String, to: String, steps: [MigrationStep], backup: String?)
}

/// The name of a version, comparable with those that were made in the same way.
struct VersionName {
    private let words: [Substring]
    private let numbers: [Substring]

    init(_ name: String) {
        var words: [Substring] = []
        var numbers: [Substring] = []
        var rest = name[...]
        while !rest.isEmpty {
            let word = rest.prefix { !$0.isDigit }
            rest = rest.dropFirst(word.count)
            let number = rest.prefix(while: \.isDigit)
            rest = rest.dropFirst(number.count)
            words.append(word)
            numbers.append(number.drop { $0 == "0" })
        }
        self.words = words
        self.numbers = numbers
    }

    /// Whether the numbers of this name, the first first, are greater than another's: `Model 12` is
    /// later than `Model 9`, and `2.10` than `2.9`. Names with other words say nothing.
    func isLater(than other: VersionName) -> Bool {
        for index in numbers.indices {
            guard index < other.numbers.count else {
                // `2.1` is later than `2`; `2 beta` is not.
                return index > 0 && words[index] == "." && !numbers[index].isEmpty
            }
            guard words[index] == other.words[index] else { return false }
            let (mine, theirs) = (numbers[index], other.numbers[index])
            if mine.count != theirs.count { return mine.count > theirs.count }
            if mine != theirs { return mine > theirs }
        }
        return false
    }
}

extension Character {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}
