import CambiumCompiler
import CambiumMigration
import CambiumModel
import CambiumPostgresSQL
import CambiumSQL
import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumPostgresStore

/// Long histories of models that nobody here wrote, migrated on a server and in files.
@Suite(.enabled(if: Corpus.isPresent, Corpus.absence))
struct RealChainMigrationTests {
    @Test(arguments: ServerChain.all, PostgresServer.some())
    func `all versions migrate as in files`(
        _ chain: ServerChain, _ server: PostgresServer
    ) throws {
        let versions = try chain.versions()
        #expect(versions.count == chain.range.count)
        let connection = try server.connect()
        var unplanned: [String] = []
        var (rows, refused, steps) = (0, 0, 0)
        /// The versions since the last step that cannot be planned.
        var run = Array(versions.prefix(1))
        func migrateRun() throws {
            guard run.count > 1 else { return }
            let migrated = try migrate(run, over: connection)
            rows += migrated.rows
            refused += migrated.refusals
        }
        for (old, new) in zip(versions, versions.dropFirst()) {
            do {
                _ = try PostgresProof([old, new]).plans()
                steps += 1
                run.append(new)
            } catch {
                unplanned.append("\(old.version) → \(new.version): \(error)")
                try migrateRun()
                run = [new]
            }
        }
        try migrateRun()
        #expect(rows > 0)
        // What a server cannot take would be a difference between the engines.
        #expect(unplanned == [])
        print(
            """
            \(chain) on \(server.testDescription): \(steps) of \(versions.count - 1) steps planned, \
            \(rows) rows migrated all the way, \(refused) stores refused on both
            """)
        for step in unplanned { print("    \(step)") }
    }

    /// Migrates stores of the first version all the way at once; in a run over the whole corpus every
    /// step by itself, too.
    private func migrate(
        _ versions: [Model], over connection: PostgresConnection
    ) throws -> (rows: Int, refusals: Int) {
        var chains = [versions]
        if Corpus.isWhole {
            chains += zip(versions, versions.dropFirst()).map { [$0, $1] }
        }
        var (rows, refusals) = (0, 0)
        for (index, chain) in chains.enumerated() {
            let proof = try PostgresProof(chain)
            let plans = try #require(try proof.plans(), "no plan for a file")
            let store = try MigrationProver.makeStore(of: chain[0], seed: 1)
            do {
                switch try proof.run(plans, on: store, over: connection) {
                case .migrated(let count):
                    if index == 0 { rows += count }
                case .refused: refusals += 1
                }
            } catch {
                Issue.record("\(chain[0].version) → \(chain[chain.count - 1].version): \(error)")
            }
        }
        return (rows, refusals)
    }
}

/// Some versions of a real model that follow each other, with what is declared about their steps in this
/// project.
struct ServerChain: CustomTestStringConvertible, CustomStringConvertible {
    /// The end of the bundle's path.
    let path: String
    let range: Range<Int>

    private static let trailer = "ptsochantaris+trailer/Shared/Trailer.xcdatamodeld"

    /// Whole ones take minutes in a debug build.
    static let all =
        Corpus.isWhole
        ? [
            ServerChain(
                path: "woocommerce+woocommerce-ios/Storage/Storage/Model/WooCommerce.xcdatamodeld",
                range: 0..<117),
            ServerChain(
                path: "wireapp+wire-ios-data-model/Resources/zmessaging.xcdatamodeld",
                range: 0..<90),
            ServerChain(path: trailer, range: 0..<44),
        ] : [ServerChain(path: trailer, range: 27..<34)]

    var description: String {
        URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    }
    var testDescription: String { description }

    /// The versions, each with what its migration declares, or drops as Core Data did. Nothing is proven:
    /// that is what other tests do.
    func versions() throws -> [Model] {
        let bundle = Corpus.folder.path + "/models/" + path
        let parsed = BundleReader.read(
            bundle, declarations: Corpus.history(of: description).path
        ).0
        let checked = ModelCompiler.check(parsed).versions
        var models: [Model] = []
        for (index, version) in checked.enumerated() {
            let isShipped = ShippedStep.hasShipped(to: version, isLast: index == checked.count - 1)
            let model =
                isShipped && index > 0
                ? ShippedStep(from: checked[index - 1].model, to: version.model).target
                : version.model
            models.append(model)
        }
        return Array(models[range])
    }
}
