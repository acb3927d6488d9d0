import Cambium
import CambiumEngineSpecification
import CambiumPostgres
import CambiumSQL
import Foundation
import Testing

@testable import CambiumPostgresStore
@testable import CounterWorker

/// Eight processes with eight contexts each save at the same time, with every merge policy: nothing is
/// lost that the policy keeps.
@Suite(.serialized)
struct ProcessesTests {
    private static let processes = 8
    /// How many saves each of the 64 contexts makes: a few, or what fits into
    /// `CAMBIUM_GENERATOR_SECONDS`.
    private static let saves =
        ProcessInfo.processInfo.environment["CAMBIUM_GENERATOR_SECONDS"].flatMap { Double($0) }
        .map { Int(min(200, max(4, $0 / 2))) } ?? 4

    @Test(arguments: PostgresServer.some())
    func `processes lose nothing under any policy`(_ server: PostgresServer) async throws {
        // Of its own, so that the deadlocks in it can be counted.
        let database = "counters \(UUID().uuidString)"
        let keeper = try server.connect()
        _ = try keeper.run("CREATE DATABASE \(SQLText.identifier(database))")
        defer {
            _ = try? keeper.run("DROP DATABASE \(SQLText.identifier(database)) WITH (FORCE)")
        }
        let url = "\(server.url)&dbname=\(database.replacing(" ", with: "%20"))"
        let container = try PersistentContainer(
            model: SharedCounters.model, at: .postgres(url, schema: "counters"))
        let context = container.newContext()
        for name in SharedCounters.policies.flatMap(SharedCounters.counterNames) {
            try context.insertObject(ofEntity: "Counter")[text: "name"] = name
        }
        try context.save()

        let report = try await work(url)
        #expect(report.failures == [])
        // One that has read nothing before.
        let reader = try PersistentContainer(
            model: SharedCounters.model, at: .postgres(url, schema: "counters"))
        try check(reader.newContext(), report)
        var parameters = PostgresParameters()
        parameters.append(.text(database), as: .text)
        // Other sessions' figures are there when they have ended.
        let deadlocks = try keeper.run(
            "SELECT deadlocks FROM pg_stat_database WHERE datname = $1", parameters
        ).integer(0, 0)
        print(
            "processes, \(server.testDescription): \(report.saves) saves, "
                + "\(report.conflicts) conflicts, \(deadlocks) deadlocks")
        #expect(deadlocks <= report.saves / 50, "\(deadlocks) deadlocks in \(report.saves) saves")
    }

    /// What the processes say that they have done.
    private func work(_ url: String) async throws -> WorkReport {
        try await withThrowingTaskGroup(of: WorkReport.self) { group in
            for number in 0..<Self.processes {
                group.addTask { try await Self.process(number, url) }
            }
            return try await group.reduce(into: WorkReport()) { $0 += $1 }
        }
    }

    private static func process(_ number: Int, _ url: String) async throws -> WorkReport {
        let process = Process()
        process.executableURL = folderOfProducts.appending(path: "CounterWorker")
        process.arguments =
            ["counters", String(number), String(saves)] + SharedCounters.policies
        process.environment = ProcessInfo.processInfo.environment.merging(["COUNTER_URL": url]) {
            $1
        }
        let output = Pipe()
        process.standardOutput = output
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        try #require(status == 0, "A process ended with \(status).")
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        return try JSONDecoder().decode(WorkReport.self, from: text)
    }

    /// Compares what is stored with what was done.
    private func check(_ context: ManagedObjectContext, _ report: WorkReport) throws {
        let entries = Dictionary(
            grouping: try context.all("Entry"),
            by: { $0[one: "counter"]?[text: "name"] ?? "" })
        for counter in try context.all("Counter") {
            let name = counter[text: "name"]
            let amounts = (entries[name] ?? []).map { $0[number: "amount"] }
            let total = amounts.reduce(0, +)
            #expect(counter[number: "entryCount"] == Int64(amounts.count), "\(name)")
            #expect(counter[number: "entryTotal"] == total, "\(name)")
            // Two policies take an object whole, and what another has added with it.
            if !name.hasPrefix("rollback"), !name.hasPrefix("overwrite") {
                #expect(counter[number: "sum"] == total, "\(name)")
            }
            if name.hasPrefix("error") {
                #expect(counter[number: "count"] == Int64(report.counts[name] ?? 0), "\(name)")
            }
        }
        let marks = try context.all("Mark").map { $0[text: "key"] }
        #expect(marks.sorted() == report.marks.keys.sorted())
        // Whoever was told that a mark is saved is the only one.
        for (key, count) in report.marks where key.hasPrefix("error") {
            #expect(count == 1, "\(key)")
        }
    }

    /// Where the build puts what it makes: beside the tests.
    private static var folderOfProducts: URL {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
        let tests = bundle?.bundleURL ?? URL(filePath: CommandLine.arguments[0])
        return tests.deletingLastPathComponent()
    }
}
