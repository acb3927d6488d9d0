import CambiumModel
import CambiumSQLite
import Foundation
import Testing

@testable import CambiumMigration
import CambiumPlan
@testable import CambiumSQL
@testable import MigrationTestSupport

/// Random pairs of drafts of one version: a migration that nobody has proven either gives what a fresh
/// store with the copied rows gives, or is refused. `CAMBIUM_GENERATOR_RUNS` makes it look at more of
/// them.
struct RandomDraftTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let runs =
        environment["CAMBIUM_GENERATOR_RUNS"].flatMap(Int.init)
        ?? (environment["CAMBIUM_FULL_SIZE"] == nil ? 40 : 100)

    @Test func `a draft is migrated without a loss, or refused`() throws {
        let text = Self.environment["CAMBIUM_SEED"] ?? Self.environment["CAMBIUM_SEED_BASE"]
        let seed = text.flatMap(UInt64.init) ?? .random(in: 0...999_999)
        print("seed \(seed); replay: CAMBIUM_SEED=\(seed) swift test --filter RandomDraft")
        var counts = (migrated: 0, refused: 0, unfit: 0, objects: 0)
        for number in 0..<UInt64(Self.runs) {
            let pair = RandomDrafts(seed: seed &+ number &* 1_000_033)
            // Stores of equal hashes are of one draft.
            if pair.old.1.versionHash == pair.new.1.versionHash { continue }
            let store = try pair.makeStore()
            let before = try pair.graph(of: store, pair.old)
            let dump = try TestStore.dump(store)
            do {
                _ = try pair.runner(policy: .migrate).open(store)
            } catch MigrationError.otherDraft, MigrationError.refused {
                counts.refused += 1
                // Refused is refused altogether.
                guard try TestStore.dump(store) == dump else {
                    Issue.record("seed \(seed), pair \(number): refused, and changed")
                    return
                }
                continue
            }
            let mapping = RandomMapping(of: before, from: pair.old, to: pair.new)
            // The mapping does not follow links that come from several.
            guard mapping.isComplete else { continue }
            let after = try pair.graph(of: store, pair.new)
            if let loss = mapping.loss(of: before) ?? mapping.difference(from: after) {
                Issue.record("seed \(seed), pair \(number): \(loss)\n\(pair.changes)")
                return
            }
            // The same rows in a store that was made by the new draft.
            if let difference = try pair.difference(fromFreshStoreWithRowsOf: store) {
                Issue.record("seed \(seed), pair \(number): \(difference)\n\(pair.changes)")
                return
            }
            counts.migrated += 1
            counts.objects += before.objects.count
        }
        print(
            "\(counts.migrated) pairs with \(counts.objects) objects, \(counts.refused) refused")
        #expect(counts.migrated > Self.runs / 20 && counts.refused > 0)
        #expect(counts.objects > counts.migrated)
    }
}

/// Two drafts of one version, and rows of the first.
private struct RandomDrafts {
    let old: (RandomModel, Model)
    let new: (RandomModel, Model)
    private let seed: UInt64

    init(seed: UInt64) {
        self.seed = seed
        var random = RandomModel(seed: seed, isDynamic: true)
        old = (random, random.model(version: "1"))
        // An author of a draft declares nothing: what a change needs is said nowhere.
        random.beginNextVersion()
        for _ in 0...seed % 4 { random.change() }
        new = (random.undeclared, random.model(version: "1"))
    }

    var changes: [String] { DraftDifference(from: old.1, to: new.1).changes }

    func runner(policy: DraftPolicy) -> MigrationRunner {
        let runner = MigrationRunner(model: new.1)
        runner.drafts = DraftVersions(of: new.1, isFrozen: false, earlier: [:])
        runner.draftPolicy = policy
        return runner
    }

    func makeStore() throws -> Connection {
        let schema = Schema(of: old.1)
        let match = ModelMatch(old: old.1, new: new.1)
        let rows = SampleRows(of: old.1, schema, for: match, seed: seed).rows
        let store = try SampleStore(of: old.1, schema).make(with: rows.map { .init(row: $0) })
        let metadata = try #require(try MigrationRunner.readMetadata(store))
        let definition = StoreDefinition(definition: old.1.definition, frozenVersion: nil)
        for row in definition.rows(of: metadata) { _ = try store.rows(StoreDefinition.update, row) }
        return store
    }

    func graph(of store: Connection, _ version: (RandomModel, Model)) throws -> StoredGraph {
        try StoredGraph(of: version.0, version.1, in: store)
    }

    /// What differs between a migrated store and a fresh one that got its rows.
    func difference(fromFreshStoreWithRowsOf store: Connection) throws -> String? {
        let fresh = try Connection(path: ":memory:")
        _ = try runner(policy: .refuse).open(fresh)
        try fresh.execute("PRAGMA foreign_keys = OFF")
        for table in Schema(of: new.1).tables where table.content != .system {
            let columns = try TestStore.text(
                fresh.rows("SELECT name FROM pragma_table_info('\(table.name)') ORDER BY 1")
            ).joined().map { "\"\($0)\"" }
            let names = columns.joined(separator: ", ")
            let marks = columns.map { _ in "?" }.joined(separator: ", ")
            for row in try store.rows("SELECT \(names) FROM \"\(table.name)\"") {
                _ = try fresh.rows(
                    "INSERT INTO \"\(table.name)\" (\(names)) VALUES (\(marks))", row)
            }
        }
        guard try fresh.rows("PRAGMA foreign_key_check").isEmpty else { return "a dangling key" }
        func objects(_ lines: [String]) -> [String] {
            lines.filter { !$0.hasPrefix("_keys: ") && !$0.hasPrefix("sqlite_") }
        }
        let (migrated, made) = try (
            objects(TestStore.content(of: store)), objects(TestStore.content(of: fresh))
        )
        return Set(migrated).symmetricDifference(made).sorted().first
    }
}
