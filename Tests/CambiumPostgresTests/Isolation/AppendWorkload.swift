import CambiumEngineSpecification
import CambiumModel
import CambiumPostgres
import Foundation
import Synchronization
import Testing

@testable import CambiumPostgresStore

/// Programs that read lists and append to them at the same time. The lists are texts.
struct AppendWorkload: Sendable {
    enum Mode: Sendable {
        /// Reads and saves as any program does.
        case plain
        /// What was read must be as it was when the save commits.
        case detected
        /// All is read and saved in one transaction.
        case transaction
    }

    private static let model = CompiledModel(
        Model(
            name: "Lists", version: "1",
            entities: [
                Entity(
                    name: "List",
                    attributes: [
                        Attribute(name: "number", type: .int64),
                        Attribute(name: "text", type: .string),
                    ])
            ]))

    let mode: Mode
    /// One for each program: they share nothing but the server.
    let containers: [PersistentContainer]
    /// What the server's list of connections calls them.
    let name = "append \(UUID().uuidString)"
    private let keeper: PersistentContainer
    private let lists: Range<Int>

    /// - Parameters:
    ///   - url: What the programs connect to.
    ///   - count: How many lists there are. With fewer of them transactions meet more often.
    init(
        _ mode: Mode, _ server: PostgresServer, over url: String, programs: Int, lists count: Int
    ) throws {
        self.mode = mode
        let schema = PostgresServer.newSchema
        let name = name
        let reached = PostgresServer(version: server.version, url: url)
        containers = try (0..<programs).map { program in
            try PersistentContainer(
                Self.model,
                reached.description(
                    .off, schema: schema, applicationName: "\(name) \(program)"))
        }
        // Nobody disturbs this one.
        keeper = try PersistentContainer(
            Self.model,
            server.description(.off, schema: schema, applicationName: "keeper of \(name)"))
        let context = keeper.newContext()
        lists = 0..<count
        for number in lists {
            let list = try context.make("List", ["text": ""])
            try list.setValue(.int(Int64(number)), forKey: "number")
        }
        try context.save()
    }

    /// How many transactions have begun.
    private final class Begun: Sendable {
        let count = Atomic(0)
    }

    /// Runs so many transactions, and reads what the lists are in the end.
    ///
    /// - Parameter disturb: Is called on a thread of its own, whenever some more have begun.
    func run(
        _ count: Int, seed: UInt64, disturbing disturb: (@Sendable () -> Void)? = nil
    ) async throws -> AppendHistory {
        let begun = Begun()
        let nuisance = disturb.map { disturb in
            Thread {
                var next = 3
                while !Thread.current.isCancelled {
                    Thread.sleep(forTimeInterval: 0.02)
                    let now = begun.count.load(ordering: .relaxed)
                    guard now >= next else { continue }
                    next = now + 3
                    disturb()
                }
            }
        }
        nuisance?.start()
        let transactions = await withTaskGroup(of: [AppendTransaction].self) { group in
            for (program, container) in containers.enumerated() {
                group.addTask {
                    var random = SeededGenerator(seed: seed &+ UInt64(program) &* 1_000_003)
                    var done: [AppendTransaction] = []
                    for number in stride(from: program, to: count, by: containers.count) {
                        begun.count.add(1, ordering: .relaxed)
                        done.append(await perform(plan(number, &random), container))
                    }
                    return done
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        nuisance?.cancel()
        let context = keeper.newContext()
        return AppendHistory(
            transactions: transactions,
            lists: Dictionary(
                uniqueKeysWithValues: try lists.map { number in
                    let list = try #require(try Self.list(number, context))
                    return (number, Self.values(list["text"]))
                }))
    }

    /// One list, and what is appended to it.
    private struct Step: Sendable {
        let list: Int
        let value: Int?
    }

    private func plan(_ number: Int, _ random: inout SeededGenerator) -> [Step] {
        let count = Int.random(in: 1...min(4, lists.count), using: &random)
        return lists.indices.shuffled(using: &random).prefix(count).enumerated().map {
            place, list in
            Step(list: list, value: random.chance(0.5) ? number * 10 + place : nil)
        }
    }

    private func perform(
        _ steps: [Step], _ container: PersistentContainer
    ) async -> AppendTransaction {
        var done = AppendTransaction()
        for step in steps where step.value != nil { done.appends[step.list] = step.value }
        do {
            done.reads = try await reads(steps, container)
            done.outcome = .committed
        } catch let error as StoreError where error.code == .commitOutcomeUnknown {
            done.outcome = .unknown
        } catch {
            // A conflict, or a connection that was lost before the commit.
            done.outcome = .aborted
        }
        return done
    }

    private func reads(
        _ steps: [Step], _ container: PersistentContainer
    ) async throws -> [Int: [Int]] {
        switch mode {
        case .plain, .detected:
            try await container.performBackgroundTask { context in
                let reads = try read(steps, context)
                try context.save()
                return reads
            }
        case .transaction:
            try await container.performTransaction { try read(steps, $0) }
        }
    }

    private func read(_ steps: [Step], _ context: ManagedObjectContext) throws -> [Int: [Int]] {
        var reads: [Int: [Int]] = [:]
        for step in steps {
            guard let list = try Self.list(step.list, context) else { continue }
            let values = Self.values(list["text"])
            reads[step.list] = values
            if mode == .detected { context.detectConflicts(for: list) }
            if let value = step.value {
                list["text"] = (values + [value]).map { "\($0)" }.joined(separator: " ")
            }
        }
        return reads
    }

    private static func list(
        _ number: Int, _ context: ManagedObjectContext
    ) throws -> ManagedObject? {
        try context.fetchFirst(
            FetchRequest<ManagedObject>(entityName: "List").filter(format: "number == \(number)"))
    }

    private static func values(_ text: String) -> [Int] {
        text.split(separator: " ").compactMap { Int($0) }
    }
}
