import Cambium
import EverythingModel
import Testing

/// A context, two children, a grandchild and a stranger change the same graph at random, in each
/// other's way. In the end all of them show what the store has, and both sides of every
/// relationship agree.
struct RandomSiblingTests {
    @Test(arguments: [MergePolicy.objectTrump, .storeTrump], [false, true])
    func `a family whose members work against each other comes to one graph`(
        _ policy: MergePolicy, _ mergesAutomatically: Bool
    ) throws {
        try forEachSeed(for: 0.15) { seed in
            try withContainer(Everything.model) { container in
                var struggle = FamilyStruggle(
                    container, policy, mergesAutomatically: mergesAutomatically, seed: seed)
                for _ in 0..<6 { try struggle.round() }
            }
        }
    }
}

private struct FamilyStruggle {
    private let container: PersistentContainer
    /// The parent, two children, a child of the first, and one beside the parent.
    private let contexts: [ManagedObjectContext]
    private let seed: UInt64
    private var generator: SeededGenerator
    private var held: [Set<ManagedObject>] = Array(repeating: [], count: 5)
    private var log: [String] = []

    init(
        _ container: PersistentContainer, _ policy: MergePolicy, mergesAutomatically: Bool,
        seed: UInt64
    ) {
        self.container = container
        self.seed = seed
        generator = SeededGenerator(seed: seed)
        let parent = container.newContext()
        let child = parent.newChildContext()
        contexts = [
            parent, child, parent.newChildContext(), child.newChildContext(),
            container.newContext(),
        ]
        for context in contexts {
            context.mergePolicy = policy
            context.automaticallyMergesChangesFromParent = mergesAutomatically
            context.onInaccessibleFault = { _, _ in }
        }
    }

    mutating func round() throws {
        for _ in 0..<20 { try change(Int.random(in: 0..<contexts.count, using: &generator)) }
        // The youngest first, and the two that meet in the store twice.
        for index in [3, 1, 2, 0, 4, 0] { save(index) }
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
            // A change of what another one has deleted, say; such a save is given up.
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
        case 2, 3:
            let box: Box? = generator.chance(0.8) ? try pick(context) : nil
            log.append("\(index): \(node.objectID).box = \(box?.objectID.description ?? "nil")")
            node.box = box
        case 4, 5:
            guard let topic: Topic = try pick(context) else { return }
            let adds = generator.chance(0.6)
            log.append(
                "\(index): \(adds ? "add" : "remove") \(topic.objectID), \(node.objectID)")
            if adds { node.tags.insert(topic) } else { topic.nodes.remove(node) }
        case 6:
            guard let other: Node = try pick(context) else { return }
            log.append("\(index): \(node.objectID).follows.insert(\(other.objectID))")
            node.follows.insert(other)
        case 7:
            log.append("\(index): part of \(node.objectID)")
            _ = Part(in: context, node: node)
        case 8:
            let doomed: ManagedObject? =
                generator.chance(0.5) ? node : try pick(context, as: Box.self)
            guard let doomed else { return }
            log.append("\(index): delete \(doomed.objectID)")
            context.delete(doomed)
        case 9, 10:
            let other: Node? = generator.chance(0.8) ? try pick(context) : nil
            log.append(
                "\(index): \(node.objectID).next = \(other?.objectID.description ?? "nil")")
            if generator.chance(0.5) { node.next = other } else { other?.previous = node }
        case 11:
            log.append("\(index): refresh \(node.objectID)")
            context.refresh(node, mergeChanges: generator.chance(0.5))
        case 12:
            log.append("\(index): rollback")
            if generator.chance(0.3) { context.rollback() }
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
        let faults =
            try World(of: context).differences(from: expected) + expected.inverseFaults(in: context)
        guard faults.isEmpty, !context.hasChanges else {
            throw Failure(
                description: """
                    \(who): \(faults.joined(separator: "\n")), unsaved: \(context.hasChanges)
                    Replay with CAMBIUM_SEED=\(seed). The last steps:
                    \(log.suffix(80).joined(separator: "\n"))
                    """)
        }
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
