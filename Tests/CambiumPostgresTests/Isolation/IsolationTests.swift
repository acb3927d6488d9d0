import CambiumPostgres
import Foundation
import Synchronization
import Testing

@testable import CambiumPostgresStore

/// What concurrent programs may see of each other, and what they may not: the page "PostgreSQL" says it.
struct IsolationTests {
    /// How many a run has: a few, or about as many as fit into `CAMBIUM_GENERATOR_SECONDS`.
    private static let transactions =
        ProcessInfo.processInfo.environment["CAMBIUM_GENERATOR_SECONDS"].flatMap { Double($0) }
        .map { Int(min(10_000, max(40, $0 * 10))) } ?? 40

    /// The anomalies of a run. If it is disturbed, the server ends connections, and others are cut at any
    /// message, often at those about a commit.
    private func anomalies(
        _ mode: AppendWorkload.Mode, _ server: PostgresServer, isDisturbed: Bool
    ) async throws -> [Anomaly] {
        let seed = UInt64.random(in: 0..<1_000_000)
        let proxy = try CutProxy(to: server)
        defer { proxy.stop() }
        let workload = try AppendWorkload(
            mode, server, over: isDisturbed ? proxy.url : server.url, programs: 8, lists: 6)
        let cuts = Mutex((count: 0, ofCommits: 0, random: SeededGenerator(seed: seed)))
        proxy.begin { message in
            cuts.withLock { cuts in
                guard cuts.random.chance(message.isOfCommit ? 0.05 : 0.001) else {
                    return .forward
                }
                cuts.count += 1
                if message.isOfCommit { cuts.ofCommits += 1 }
                return .cut
            }
        }
        let nuisance = try Mutex(server.connect())
        let pattern = "\(workload.name)%"
        let disturb: @Sendable () -> Void = {
            nuisance.withLock { try? PostgresServer.endConnection(named: pattern, over: $0) }
        }
        let history = try await workload.run(
            Self.transactions, seed: seed, disturbing: isDisturbed ? disturb : nil)
        let committed = history.transactions.count { $0.outcome == .committed }
        print(
            "isolation, \(server.testDescription), \(mode): seed \(seed), "
                + "\(committed) of \(history.transactions.count) transactions committed, "
                + "\(history.transactions.count { $0.outcome == .unknown }) unknown, "
                + cuts.withLock { "\($0.count) cuts, \($0.ofCommits) of them at a commit" })
        #expect(committed > Self.transactions / 10, "Hardly anything was committed.")
        return history.anomalies()
    }

    @Test(arguments: PostgresServer.some(), [false, true])
    func `plain saves lose nothing, and may have read skew and write skew`(
        _ server: PostgresServer, isDisturbed: Bool
    ) async throws {
        let found = try await anomalies(.plain, server, isDisturbed: isDisturbed)
        #expect(found.filter { !$0.isSkew } == [])
    }

    @Test(arguments: PostgresServer.some(), [false, true])
    func `saves that detect conflicts with all that was read have no anomaly`(
        _ server: PostgresServer, isDisturbed: Bool
    ) async throws {
        #expect(try await anomalies(.detected, server, isDisturbed: isDisturbed) == [])
    }

    @Test(arguments: PostgresServer.some(), [false, true])
    func `serializable transactions have no anomaly`(
        _ server: PostgresServer, isDisturbed: Bool
    ) async throws {
        #expect(try await anomalies(.transaction, server, isDisturbed: isDisturbed) == [])
    }
}
