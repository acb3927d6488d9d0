import CambiumModel
import CambiumSQLite
import Foundation
import Testing

@testable import CambiumMigration
import CambiumPlan
@testable import CambiumSQL
@testable import MigrationTestSupport

/// What a migration makes of rows, against what is known of the models' changes: pairs and chains of
/// random models. `CAMBIUM_FULL_SIZE` and `CAMBIUM_GENERATOR_RUNS` make it look at more of them.
struct RandomMappingTests {
    private static let environment = ProcessInfo.processInfo.environment

    private static var seed: UInt64 {
        let text = environment["CAMBIUM_SEED"] ?? environment["CAMBIUM_SEED_BASE"]
        let seed = text.flatMap(UInt64.init) ?? .random(in: 0...999_999)
        print("seed \(seed); replay: CAMBIUM_SEED=\(seed) swift test --filter RandomMapping")
        return seed
    }

    private static let askedFor = environment["CAMBIUM_GENERATOR_RUNS"].flatMap(Int.init)
    private static let isFull = environment["CAMBIUM_FULL_SIZE"] != nil
    private static let runs = askedFor ?? (isFull ? 300 : 80)
    /// Chains take three times as long as pairs.
    private static let chains = askedFor.map { $0 / 3 } ?? (isFull ? 20 : 8)

    @Test func `migrated rows are what the changes make of the old ones in memory`() throws {
        let seed = Self.seed
        var counts = (migrated: 0, refused: 0, objects: 0, thinned: 0)
        for number in 0..<UInt64(Self.runs) {
            let pair = RandomHistory(seed: seed &+ number &* 1_000_033, versions: 2)
            guard let migration = try pair.migrations()?.first else {
                counts.refused += 1
                continue
            }
            let untold = migration.untoldTables(
                from: pair.version(0).1, to: pair.version(1).1)
            #expect(untold == [], "seed \(seed), pair \(number)")
            let store = try pair.makeStore()
            let before = try pair.graph(of: store, version: 0)
            let mapping = RandomMapping(of: before, from: pair.version(0), to: pair.version(1))
            do {
                _ = try pair.runner(to: 1, [migration]).open(store)
            } catch MigrationError.refused {
                counts.refused += 1
                continue
            }
            guard mapping.isComplete else { continue }
            let after = try pair.graph(of: store, version: 1)
            if let difference = mapping.difference(from: after) {
                Issue.record("seed \(seed), pair \(number): \(difference)\n\(pair.changes)")
                return
            }
            if !migration.losesData, let loss = mapping.loss(of: before) {
                Issue.record(
                    """
                    seed \(seed), pair \(number): nothing says that this is lost: \(loss)
                    \(pair.changes)
                    """)
                return
            }
            counts.migrated += 1
            counts.objects += mapping.objects.count
            counts.thinned += mapping.thinned.isEmpty ? 0 : 1
        }
        print(
            "\(counts.migrated) pairs with \(counts.objects) objects, \(counts.refused) refused, "
                + "\(counts.thinned) with equals")
        #expect(counts.migrated > Self.runs / 4 && counts.objects > counts.migrated)
    }

    @Test func `a chain of migrations leads where its steps lead one by one`() throws {
        let seed = Self.seed
        var counts = (equal: 0, refused: 0)
        for number in 0..<UInt64(Self.chains) {
            let history = RandomHistory(seed: seed &+ number &* 1_000_037, versions: 4)
            guard let migrations = try history.migrations() else { continue }
            let atOnce = try history.makeStore()
            let byStep = try history.makeStore()
            let isRefused = try Self.isRefused {
                for version in 1...3 {
                    _ = try history.runner(to: version, migrations).open(byStep)
                }
            }
            let isRefusedAtOnce = try Self.isRefused {
                _ = try history.runner(to: 3, migrations).open(atOnce)
            }
            #expect(isRefusedAtOnce == isRefused)
            if isRefused {
                counts.refused += 1
                continue
            }
            let contents = try (TestStore.content(of: atOnce), TestStore.content(of: byStep))
            guard contents.0 == contents.1 else {
                Issue.record(
                    """
                    seed \(seed), chain \(number): \
                    \(contents.0.difference(from: contents.1))\n\(history.changes)
                    """)
                return
            }
            counts.equal += 1
        }
        print("\(counts.equal) chains, \(counts.refused) refused")
        #expect(counts.equal > 0)
    }

    private static func isRefused(_ body: () throws -> Void) throws -> Bool {
        do {
            try body()
            return false
        } catch MigrationError.refused {
            return true
        }
    }
}

/// Versions of a random model that follow each other.
struct RandomHistory {
    private let randoms: [RandomModel]
    private let models: [Model]
    private let seed: UInt64

    init(seed: UInt64, versions: Int) {
        self.seed = seed
        var random = RandomModel(seed: seed, isDynamic: versions == 2)
        var randoms = [random]
        for number in 1..<versions {
            random.beginNextVersion()
            for _ in 0...(seed &+ UInt64(number)) % 5 { random.change() }
            randoms.append(random)
        }
        self.randoms = randoms
        models = randoms.indices.map { index in
            randoms[index].model(
                version: String(index + 1), after: index == 0 ? nil : String(index))
        }
    }

    func version(_ index: Int) -> (RandomModel, Model) { (randoms[index], models[index]) }

    /// The migrations; nil where an author would have to say more.
    func migrations() throws -> [Migration]? {
        do {
            return try zip(models, models.dropFirst()).map { try Migration(from: $0, to: $1) }
        } catch is MigrationProblems {
            return nil
        }
    }

    func runner(to index: Int, _ migrations: [Migration]) -> MigrationRunner {
        MigrationRunner(model: models[index], migrations: migrations)
    }

    /// A store of the first version with rows that mostly meet the conditions of the second.
    func makeStore() throws -> Connection {
        let schema = Schema(of: models[0])
        let match = ModelMatch(old: models[0], new: models[1])
        let rows = SampleRows(of: models[0], schema, for: match, seed: seed).rows
        return try SampleStore(of: models[0], schema).make(with: rows.map { .init(row: $0) })
    }

    func graph(of store: Connection, version: Int) throws -> StoredGraph {
        try StoredGraph(of: randoms[version], models[version], in: store)
    }

    /// What was changed, for those who read of a failure.
    var changes: [[String]] {
        zip(models, models.dropFirst()).map {
            ModelDifference(from: $0, to: $1).changes.map(\.summary)
        }
    }
}
