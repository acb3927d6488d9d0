import CambiumPostgres
import EverythingModel
import Foundation
import Synchronization
import Testing

@testable import CambiumPostgresStore

/// Two tenants work at the same time, over a few connections, in whatever order: neither sees a row of
/// the other one, not after an error either. `CAMBIUM_SEED` replays what each of them does.
@Suite(.serialized) struct TenantMixTests {
    private static let workers = 4

    @Test(arguments: TenantCase.all)
    func `tenants that share connections see their own rows`(_ test: TenantCase) async throws {
        try await test.withStore(poolSize: 2) { store in
            let known = Known()
            for tenant in ["a", "b"] {
                let ids = try store.fill(tenant)
                known.ids.withLock { $0[tenant] = ids }
            }
            try store.linkAcross()
            var seeds = SeedSource()
            let share = 1 / Double(TenantCase.all.count)
            try await forEachRound(share: share, for: 4) { fixed in
                let seed = fixed ?? seeds.next()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for worker in 0..<Self.workers {
                        let work = TenantWork(
                            worker % 2 == 0 ? "a" : "b", store, known, seed &+ UInt64(worker))
                        group.addTask { try await work.run(operations: 20) }
                    }
                    try await group.waitForAll()
                }
                let problems = known.problems.withLock { $0 }
                #expect(problems == [], "CAMBIUM_SEED=\(seed)")
                // Who wrote a row is its number.
                let strange = try store.run(
                    """
                    SELECT count(*) FROM SCHEMA."Node" WHERE "number" >= 100 AND \
                    "number" <> CASE left("label", 1) WHEN 'a' THEN 100 ELSE 200 END
                    """)
                #expect(strange.integer(0, 0) == 0, "CAMBIUM_SEED=\(seed)")
            }
        }
    }

    /// Calls a body once, or for as long as `CAMBIUM_GENERATOR_SECONDS` says.
    ///
    /// - Parameter body: Takes the seed of `CAMBIUM_SEED`, where there is one.
    private func forEachRound(
        share: Double, for seconds: Double, _ body: (UInt64?) async throws -> Void
    ) async throws {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["CAMBIUM_SEED"].flatMap({ UInt64($0) }) {
            return try await body(seed)
        }
        let wanted = environment["CAMBIUM_GENERATOR_SECONDS"].flatMap { Double($0) } ?? seconds
        let end = ContinuousClock.now + .seconds(wanted * share)
        repeat { try await body(nil) } while .now < end
    }
}

/// What the tenants know of each other.
private final class Known: Sendable {
    let ids = Mutex<[String: [ObjectID]]>([:])
    let problems = Mutex<[String]>([])

    func note(_ problem: String) { problems.withLock { $0.append(problem) } }
}

/// What one worker of a tenant does.
private final class TenantWork: @unchecked Sendable {
    // Safety: one task uses it.
    private let tenant: String
    private let other: String
    private let container: PersistentContainer
    private let broken: PersistentContainer
    private let known: Known
    private var generator: SeededGenerator

    private enum Step: CaseIterable {
        case fetch, prefetch, fault, insert, update, delete, refused, unique, batch, transaction
        case thrown, generation, broken, stranger, count, child
    }

    private struct Thrown: Error {}

    init(_ tenant: String, _ store: TenantStore, _ known: Known, _ seed: UInt64) {
        self.tenant = tenant
        other = tenant == "a" ? "b" : "a"
        container = store.container(of: tenant)
        broken = container.applying(transactionSettings: ["role": "nobody at all"])
        self.known = known
        generator = SeededGenerator(seed: seed)
    }

    func run(operations: Int) async throws {
        let context = container.newBackgroundContext()
        for _ in 0..<operations {
            guard let step = Step.allCases.randomElement(using: &generator) else { return }
            let choice = Int.random(in: 0..<1_000, using: &generator)
            let isAlone = generator.chance(0.5)
            let seen: [String]
            do {
                switch step {
                case .transaction, .thrown:
                    seen = try await container.performTransaction { context in
                        let seen = try self.take(.fetch, context, choice)
                        try self.change(context, choice)
                        if step == .thrown { throw Thrown() }
                        return seen
                    }
                case .broken:
                    seen = try await broken.performBackgroundTask { try self.labels($0) }
                    known.note("a role that does not exist was taken on")
                case _ where isAlone:
                    seen = try await container.performBackgroundTask {
                        try self.take(step, $0, choice)
                    }
                default:
                    seen = try await context.perform { try self.take(step, $0, choice) }
                }
            } catch {
                if tellsOfOther("\(error)") { known.note("\(step): \(error)") }
                try await context.perform { $0.rollback() }
                continue
            }
            for name in seen where name.hasPrefix(other) {
                known.note("\(tenant) saw \(name) by \(step)")
            }
        }
    }

    /// Whether a text has a name of the other tenant's.
    private func tellsOfOther(_ text: String) -> Bool {
        [" box", " topic", " part", " robot", "0", "1", "2"].contains {
            text.contains(" \(other)\($0)")
        }
    }

    private func labels(_ context: ManagedObjectContext) throws -> [String] {
        try context.fetch(Node.fetchRequest()).map(\.label)
    }

    private var number: Int64 { tenant == "a" ? 100 : 200 }

    private func change(_ context: ManagedObjectContext, _ choice: Int) throws {
        let nodes = try context.fetch(Node.fetchRequest())
        if nodes.isEmpty || choice % 3 == 0 {
            _ = Node(in: context, label: "\(tenant)\(choice)", number: number)
        } else {
            nodes[choice % nodes.count].number = number
        }
    }

    private func take(
        _ step: Step, _ context: ManagedObjectContext, _ choice: Int
    ) throws -> [String] {
        switch step {
        case .fetch, .broken, .transaction, .thrown:
            let request = Node.fetchRequest()
            return try context.fetch(
                choice % 2 == 0 ? request : request.filter(format: "label LIKE label")
            ).map(\.label) + context.fetch(Being.fetchRequest()).map(\.name)
        case .prefetch:
            let nodes = try context.fetch(Node.fetchRequest().prefetching(Node.box, Node.tags))
            return nodes.flatMap { [$0.box?.name ?? ""] + $0.tags.map(\.name) }
        case .fault:
            let nodes = try context.fetch(Node.fetchRequest())
            for node in nodes { context.refresh(node, mergeChanges: false) }
            return nodes.flatMap { [$0.label, $0.box?.name ?? ""] + $0.parts.map(\.name) }
                + (nodes.first?.box?.nodes.map(\.label) ?? [])
        case .insert:
            let node = Node(in: context, label: "\(tenant)\(choice)", number: number)
            node.box = try context.fetchFirst(Box.fetchRequest())
            try context.save()
            known.ids.withLock { $0[tenant, default: []].append(node.objectID) }
            return try labels(context)
        case .update:
            try change(context, choice)
            context.mergePolicy = choice % 2 == 0 ? .overwrite : .objectTrump
            try context.save()
            return try labels(context)
        case .delete:
            let nodes = try context.fetch(Node.fetchRequest())
            if nodes.count > 5 { context.delete(nodes[choice % nodes.count]) }
            try context.save()
            return []
        case .refused:
            _ = Node(in: context, label: "\(other) of a stranger", number: number)
            try context.save()
            return ["\(other), which was saved"]
        case .unique:
            context.mergePolicy = choice % 2 == 0 ? .overwrite : .error
            _ = Robot(in: context, name: "\(tenant)", serial: "\(choice % 4)")
            try context.save()
            return try context.fetch(Robot.fetchRequest()).map(\.name)
        case .batch:
            try context.execute(BatchUpdateRequest<Node>().set(Node.number, to: number))
            return []
        case .generation:
            try context.setQueryGeneration(.current)
            let seen = try labels(context) + context.fetch(Box.fetchRequest()).map(\.name)
            try context.setQueryGeneration(.unpinned)
            return seen
        case .stranger:
            let ids = known.ids.withLock { $0[other] ?? [] }
            guard !ids.isEmpty else { return [] }
            let fault = context.object(with: ids[choice % ids.count]) as? Node
            defer { context.reset() }
            return [fault?.label ?? ""]
        case .count:
            let count = try context.count(for: Node.fetchRequest())
            let found = try context.fetch(Node.fetchRequest().select(Node.label.required))
            // Others of the same tenant may come in between.
            return count > 10_000 ? ["\(other)"] : found
        case .child:
            let child = context.newChildContext()
            let seen = try labels(child)
            try change(child, choice)
            try child.save()
            try context.save()
            return seen
        }
    }
}
