import Cambium
import EverythingModel
import Testing

/// Two contexts change the same graph at random, in each other's way. Whatever a policy decides, in
/// the end both show what the store has, and both sides of every relationship agree.
struct RandomMergeTests {
    /// Where two contexts meet.
    enum Place: CaseIterable {
        case store, eventByEvent, customStore
    }

    private static let policies: [MergePolicy] = [.storeTrump, .objectTrump, .overwrite, .rollback]

    @Test(arguments: policies, Place.allCases)
    func `contexts that work against each other come to the same graph`(
        _ policy: MergePolicy, _ place: Place
    ) throws {
        let share = 1 / Double(Self.policies.count * Place.allCases.count)
        try forEachSeed(share: share) { seed in
            let kind: StoreKind = place == .customStore ? .dictionary : .memory
            try withContainer(Everything.model, on: kind) { container in
                var struggle = Struggle(
                    container, policy, mergesAutomatically: place == .eventByEvent, seed: seed)
                for _ in 0..<5 { try struggle.round() }
            }
        }
    }
}

private struct Struggle {
    private let container: PersistentContainer
    private let contexts: [ManagedObjectContext]
    private let seed: UInt64
    private var generator: SeededGenerator
    /// What the contexts know stays in memory, so that it must follow.
    private var held: [Set<ManagedObject>] = [[], []]
    private var log: [String] = []

    init(
        _ container: PersistentContainer, _ policy: MergePolicy, mergesAutomatically: Bool,
        seed: UInt64
    ) {
        self.container = container
        self.seed = seed
        generator = SeededGenerator(seed: seed)
        contexts = (0..<2).map { _ in
            let context = container.newContext()
            context.mergePolicy = policy
            context.automaticallyMergesChangesFromParent = mergesAutomatically
            context.onInaccessibleFault = { _, _ in }
            return context
        }
    }

    mutating func round() throws {
        for _ in 0..<12 {
            try change(Int.random(in: 0..<2, using: &generator))
            for context in contexts { try check([], context, "in between", isMerged: false) }
        }
        for index in [0, 1, 0] {
            save(index)
            contexts[1 - index].mergePending()
        }
        for context in contexts { context.mergePending() }
        let reader = container.newContext()
        let expected = try World(of: reader)
        for (index, context) in contexts.enumerated() {
            try check(context, expected, "context \(index)")
            held[index] = context.registeredObjects
        }
        try check(reader, expected, "a new context")
    }

    private mutating func save(_ index: Int) {
        log.append("\(index): save")
        do {
            try contexts[index].save()
        } catch {
            // A link to what the other one has deleted, say; such a save is given up.
            log.append("\(index): rollback after \(error)")
            contexts[index].rollback()
        }
    }

    private mutating func change(_ index: Int) throws {
        let context = contexts[index]
        guard let node: Node = try pick(context), generator.chance(0.9) else {
            log.append("\(index): insert")
            Node(in: context, box: Box(in: context)).tags.insert(Topic(in: context))
            return
        }
        let number = Int64.random(in: 0..<4, using: &generator)
        switch Int.random(in: 0..<14, using: &generator) {
        case 0, 1:
            log.append("\(index): \(node.objectID).number = \(number)")
            node.number = number
        case 2: node.label = "label \(number)"
        case 3, 4:
            let box: Box? = generator.chance(0.8) ? try pick(context) : nil
            log.append("\(index): \(node.objectID).box = \(box?.objectID.description ?? "nil")")
            node.box = box
        case 5, 6:
            guard let topic: Topic = try pick(context) else { return }
            let adds = generator.chance(0.6)
            log.append(
                "\(index): \(adds ? "add" : "remove") \(topic.objectID), \(node.objectID)")
            if adds { node.tags.insert(topic) } else { topic.nodes.remove(node) }
        case 7, 8:
            guard let other: Node = try pick(context) else { return }
            log.append("\(index): \(node.objectID).follows.insert(\(other.objectID))")
            node.follows.insert(other)
        case 9:
            log.append("\(index): part of \(node.objectID)")
            _ = Part(in: context, node: node)
        case 10:
            let doomed: ManagedObject? =
                generator.chance(0.5) ? node : try pick(context, as: Box.self)
            guard let doomed else { return }
            log.append("\(index): delete \(doomed.objectID)")
            context.delete(doomed)
        case 11, 12:
            let other: Node? = generator.chance(0.8) ? try pick(context) : nil
            log.append(
                "\(index): \(node.objectID).next = \(other?.objectID.description ?? "nil")")
            if generator.chance(0.5) { node.next = other } else { other?.previous = node }
        default: save(index)
        }
    }

    private mutating func pick<Object: EntityKeys>(
        _ context: ManagedObjectContext, as type: Object.Type = Object.self
    ) throws -> Object? {
        try context.fetch(Object.fetchRequest()).randomElement(using: &generator)
    }

    private func check(
        _ context: ManagedObjectContext, _ expected: World, _ who: String
    ) throws {
        context.processPendingChanges()
        var faults =
            try World(of: context).differences(from: expected) + expected.inverseFaults(in: context)
        if context.hasChanges { faults.append("there are changes after the save") }
        try check(faults, context, who)
    }

    private func check(
        _ faults: [String], _ context: ManagedObjectContext, _ who: String, isMerged: Bool = true
    ) throws {
        let faults = faults + context.invariantFaults(isMerged: isMerged)
        if faults.isEmpty { return }
        throw Failure(
            description: """
                \(who): \(faults.joined(separator: "\n"))
                The last steps of \(seed):
                \(log.suffix(60).joined(separator: "\n"))
                """)
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
