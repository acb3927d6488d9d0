import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumSQL
import Foundation
import Testing

@testable import MigrationTestSupport

@Suite struct RandomMigrationTests {
    /// Any change of any model is either asked about or proven; there is no third way.
    /// `CAMBIUM_GENERATOR_SECONDS` makes it look for longer.
    @Test func `models changed by chance migrate, or the plan says why not`() throws {
        let environment = ProcessInfo.processInfo.environment
        let text = environment["CAMBIUM_SEED"] ?? environment["CAMBIUM_SEED_BASE"]
        let seed = text.flatMap(UInt64.init) ?? .random(in: 0...999_999)
        print("seed \(seed); replay: CAMBIUM_SEED=\(seed) swift test --filter RandomMigration")
        let seconds = environment["CAMBIUM_GENERATOR_SECONDS"].flatMap(Double.init) ?? 1
        let deadline = Date(timeIntervalSinceNow: seconds)
        var planned = 0
        var refused = 0
        var rows = 0
        var number: UInt64 = 0
        while Date() < deadline || number < 20 {
            var random = RandomModel(seed: seed &+ number &* 1_000_003)
            let old = random.model(version: "1")
            random.beginNextVersion()
            for _ in 0...number % 7 { random.change() }
            let new = random.model(version: "2", after: "1")
            do {
                let migration = try Migration(from: old, to: new)
                planned += 1
                rows += try MigrationProver.prove(
                    from: old, to: new, migration: migration, seeds: 0..<2
                ).rows
            } catch is MigrationProblems {
                refused += 1
            } catch {
                Issue.record(
                    """
                    seed \(seed), pair \(number): \(error)
                    \(ModelDifference(from: old, to: new).changes.map(\.summary))
                    """
                )
                return
            }
            number += 1
        }
        print("\(planned) pairs proven with \(rows) rows, \(refused) refused with a reason")
        #expect(planned > 0 && rows > 0)
    }
}
