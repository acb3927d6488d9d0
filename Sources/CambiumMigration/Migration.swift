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

// A migration consists of steps, and its users must be able to name their types.

/// A migration of stores from one version of a model to the next. It is planned and proven when the
/// model is compiled, and runs unchanged.
///
/// ## Topics
///
/// ### Creating
///
/// - ``init(from:to:fromHash:toHash:steps:schemaHash:objects:history:)``
///
/// ### Versions
///
/// - ``from``
/// - ``to``
/// - ``fromHash``
/// - ``toHash``
///
/// ### Steps
///
/// - ``steps``
/// - ``codeSteps``
/// - ``kind``
/// - ``losesData``
/// - ``history``
///
/// ### Tables of the earlier version
///
/// - ``schemaHash``
/// - ``objects``
public struct Migration: Sendable, Hashable {
    /// The version that it starts from.
    public let from: String
    /// The version that it migrates to.
    public let to: String
    /// The version hash of the version that it starts from.
    public let fromHash: String
    /// The version hash of the version that it migrates to.
    public let toHash: String
    /// The hash of the statements of all tables and indexes of the version that it starts from;
    /// empty if it is not known. If a store has another hash, it was created by another form of the
    /// version, and ``objects`` does not describe it.
    public let schemaHash: String
    /// The steps, in order.
    public let steps: [MigrationStep]
    /// The tables, indexes and triggers of the version that the migration starts from, each with
    /// the first digits of a hash of its definition. It contains only the objects that differ from
    /// the version before that one. A deleted object has an empty string.
    public let objects: [String: String]

    /// The changes to the history of a store; nil if no recorded change needs another name or
    /// meaning.
    public let history: MigrationHistory?

    /// Creates a migration.
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
    /// - Parameter schemas: The schemas of both, if the caller has them.
    /// - Throws: All reasons why no migration can be planned.
    package init(
        from old: Model, to new: Model, schemas: (old: Schema, new: Schema)? = nil
    ) throws(MigrationProblems) {
        try self.init(
            ModelDifference(from: old, to: new),
            schemas: schemas ?? (Schema(of: old), Schema(of: new)))
    }

    /// Plans the migration for a difference between two versions.
    ///
    /// - Parameter schemas: The schemas of both.
    /// - Throws: All reasons why no migration can be planned.
    package init(
        _ difference: ModelDifference, schemas: (old: Schema, new: Schema)
    ) throws(MigrationProblems) {
        let plan = try MigrationPlan(difference, schemas: schemas)
        self.init(
            from: difference.match.old.version, to: difference.match.new.version,
            fromHash: schemas.old.metadata.versionHash, toHash: schemas.new.metadata.versionHash,
            steps: plan.steps, history: plan.history)
    }

    /// Returns the migration with the database objects of the version that it starts from. With
    /// them, changes of other programs to a store can be found.
    ///
    /// - Parameters:
    ///   - schema: The schema of that version.
    ///   - former: The schema of the version before, if there is a migration from there to this
    ///     one.
    package func noting(_ schema: Schema, after former: Schema?) -> Migration {
        Migration(
            from: from, to: to, fromHash: fromHash, toHash: toHash, steps: steps,
            schemaHash: schema.hash, objects: schema.fingerprints(besides: former),
            history: history)
    }

    /// The effect of the migration on the data: that of the step with the greatest effect.
    public var kind: MigrationKind {
        steps.map(\.kind).max() ?? .additive
    }

    /// Whether data is deleted or becomes less exact. Then the store is copied first.
    public var losesData: Bool {
        steps.contains(where: \.losesData)
    }

    /// The reason why the history of a store restarts, or nil if it continues.
    var historyRestartReason: String? {
        if let history { return history.obstacle }
        if kind == .additive { return nil }
        return "The migration was planned without it"
    }

    /// The statements, in order.
    var statements: [MigrationStatement] { steps.flatMap(\.statements) }

    /// The operations of the statements.
    var operations: [SchemaOperation] { statements.map(\.operation) }

    /// The names of the program's custom steps, in order.
    public var codeSteps: [String] {
        steps.compactMap(\.code)
    }
}

extension [Migration] {
    /// Returns the migrations, each with the database objects of the version that it starts from.
    ///
    /// - Parameter schemas: The schemas of all versions; the last ones are those of this chain.
    package func noting(_ schemas: [Schema]) -> [Migration] {
        let first = schemas.count - 1 - count
        guard first >= 0 else { return self }
        return enumerated().map { index, migration in
            // The chain does not contain earlier migrations, so the first one lists all objects.
            migration.noting(
                schemas[first + index], after: index == 0 ? nil : schemas[first + index - 1])
        }
    }
}

/// The migrations from a store's version to the program's version.
package struct MigrationChain: Sendable {
    package let migrations: [Migration]
    /// The draft that the first migration starts from, if it is another draft of a version.
    let draft: DraftStep?

    /// A chain without a migration: only checks, defaults or indexes are updated.
    package static let refresh = MigrationChain()

    init(_ migrations: [Migration] = [], draft: DraftStep? = nil) {
        self.migrations = migrations
        self.draft = draft
    }

    /// Creates a chain of known migrations.
    package init(of migrations: [Migration]) { self.init(migrations) }

    private struct Version: Equatable {
        let name: String
        let hash: String
    }

    /// Finds the migrations from a store's version to the program's version.
    ///
    /// - Parameters:
    ///   - laterVersions: The names of versions after the program's version.
    ///   - other: Returns another chain, if these migrations do not reach the version.
    /// - Throws: ``MigrationError`` if there is no chain.
    package static func path(
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

    /// The steps of all migrations, in order.
    var steps: [MigrationStep] { migrations.flatMap(\.steps) }

    /// The operations of all statements, in order.
    package var operations: [SchemaOperation] { migrations.flatMap(\.operations) }

    /// Whether the store is copied first. The reason is that data is deleted, or that the migration
    /// of existing rows is not proven.
    package var needsBackup: Bool {
        steps.contains(where: \.losesData)
            || draft != nil && migrations[0].kind != .additive
    }

    /// The reason why the history of a store restarts during the chain, or nil if it continues.
    package var historyRestartReason: String? {
        migrations.lazy.compactMap(\.historyRestartReason).first
    }

    /// The versions of the chain, with the first and the last one; empty if there is no migration.
    var versions: [String] { migrations.prefix(1).map(\.from) + migrations.map(\.to) }

    /// Finds the shortest chain; nil if there is none. A version is known by its name and hash, or
    /// by its hash alone if it was renamed.
    ///
    /// - Parameter knowsHashes: Whether the hash alone is sufficient. Two versions may have the
    ///   same hash and different meanings: the migration between them fills a value again.
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
        var queue: [(version: Version, path: [Migration])] = [(first, [])]
        while !queue.isEmpty {
            let (version, path) = queue.removeFirst()
            if version == target {
                (self.migrations, draft) = (path, nil)
                return
            }
            for migration in migrations
            where migration.from == version.name && migration.fromHash == version.hash {
                let next = Version(name: migration.to, hash: migration.toHash)
                guard !seen.contains(next) else { continue }
                seen.append(next)
                queue.append((next, path + [migration]))
            }
        }
        return nil
    }
}

/// A migration from one draft of a version to another. It is not proven.
final class DraftStep: Sendable {
    /// The schema of the store.
    let schema: Schema
    /// Descriptions of the differences.
    let changes: [String]

    init(schema: Schema, changes: [String]) {
        self.schema = schema
        self.changes = changes
    }

    /// A description of the migration, for a log.
    func words(of store: String?, _ model: String, backup: String?) -> String {
        "The store\(store.map { " '\($0)'" } ?? "") was migrated from another draft of version "
            + "\(schema.metadata.version) of \(model), and nothing has proven that migration: "
            + (changes.isEmpty ? "nothing that it holds changed" : changes.joined(separator: ", "))
            + (backup.map { ". The store as it was: '\($0)'" } ?? "")
    }
}

/// The outcome of opening a store.
public enum MigrationOutcome: Sendable, Hashable {
    /// A new store was created.
    case created
    /// The store had the program's version.
    case current
    /// The store had the program's version. Its checks, defaults or indexes were updated, or
    /// changes of another program were repaired. `backup` is the path of the copy, if one was made.
    case refreshed(backup: String?)
    /// The store had an earlier version. If the store was written with another draft of the
    /// program's version, `from` and `to` are equal. `backup` is the path of the copy, if one was
    /// made: on a server, the schema with the copies of tables.
    case migrated(from: String, to: String, steps: [MigrationStep], backup: String?)
}

/// The name of a version. Names of the same form can be compared.
package struct VersionName {
    private let words: [Substring]
    private let numbers: [Substring]

    package init(_ name: String) {
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

    /// Whether the numbers in this name are greater than those in another name: `Model 12` is later
    /// than `Model 9`, and `2.10` is later than `2.9`. Names with different words cannot be
    /// compared.
    package func isLater(than other: VersionName) -> Bool {
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
