import CambiumModel
import CambiumPlan
import CambiumSQL
import Foundation
import Testing

@testable import CambiumPostgresStore
@testable import MigrationTestSupport

/// Migrations of stores on a server, compared with those of files.
struct RandomMigrationTests {
    @Test(arguments: PostgresServer.some())
    func `models changed by chance migrate as in files`(_ server: PostgresServer) throws {
        let connection = try server.connect()
        var (migrated, refused, problems, rows) = (0, 0, 0, 0)
        var unplanned: [String: Int] = [:]
        var steps = 0
        forEachSeed(for: 2) { seed in
            var random = RandomModel(seed: seed, isDynamic: false)
            let old = random.model(version: "1")
            random.beginNextVersion()
            for _ in 0...seed % 7 { random.change() }
            var versions = [old, random.model(version: "2", after: "1")]
            if seed % 3 == 0 {
                random.beginNextVersion()
                for _ in 0...seed % 5 { random.change() }
                versions.append(random.model(version: "3", after: "2"))
            }
            if seed % 2 == 1 {
                // A step of the program may write all that changes.
                var declaration = versions[1].migration ?? MigrationDeclaration(from: "1")
                declaration.steps.append(.init(name: "mend"))
                versions[1] = versions[1].declaring(declaration)
                steps += 1
            }
            do {
                let pair = try PostgresProof(versions)
                guard let plans = try pair.plans() else {
                    problems += 1
                    return
                }
                let match = ModelMatch(old: old, new: versions[1])
                for content in [SampleRows.Content.ordinary, .extremesWhereTypesStay] {
                    let file = try pair.file(
                        SampleRows(of: old, for: match, seed: seed, content: content))
                    switch try pair.run(plans, on: file, over: connection) {
                    case .migrated(let count): (migrated, rows) = (migrated + 1, rows + count)
                    case .refused: refused += 1
                    }
                }
            } catch let error as PostgresProof.Unplanned {
                unplanned[error.description, default: 0] += 1
            } catch {
                let changes = zip(versions, versions.dropFirst()).map {
                    ModelDifference(from: $0, to: $1).changes.map(\.summary)
                }
                Issue.record("seed \(seed): \(error)\n\(changes)")
            }
        }
        print(
            """
            \(migrated) stores migrated with \(rows) rows, \(refused) refused, \
            \(problems) have no plan, on the server \(unplanned.values.reduce(0, +)) more; \(steps) have \
            a step of the program
            """)
        for (reason, count) in unplanned { print("    \(count) × \(reason)") }
    }
}
