import Cambium
import EverythingModel
import Testing

/// Random work in a context, its child and its grandchild, beside the same work on dictionaries.
struct RandomChildTests {
    @Test(arguments: StoreKind.databases, [false, true])
    func `what is saved all the way up is what would have been done in the root`(
        _ kind: StoreKind, _ mergesAutomatically: Bool
    ) throws {
        try forEachSeed(for: 0.3) { seed in
            try withContainer(Everything.model, on: kind) { container in
                var work = FamilyWork(container, seed: seed, mergesAutomatically)
                try work.run(steps: 200)
            }
        }
    }
}

/// One generation works at a time; to let another one go on, changes are saved upwards as far as
/// needed, and read again below.
private struct FamilyWork {
    private let container: PersistentContainer
    /// The root, its child, and the child of that.
    private let contexts: [ManagedObjectContext]
    private let seed: UInt64
    private let mergesAutomatically: Bool
    private var generator: SeededGenerator
    private var level = 0
    private var world = World()
    /// What each generation falls back to, and the stores.
    private var saved = [World(), World(), World()]
    private var held: [Set<ManagedObject>] = [[], [], []]
    private var log: [String] = []

    init(_ container: PersistentContainer, seed: UInt64, _ mergesAutomatically: Bool) {
        self.container = container
        self.seed = seed
        self.mergesAutomatically = mergesAutomatically
        generator = SeededGenerator(seed: seed)
        let root = container.newContext()
        let child = root.newChildContext()
        contexts = [root, child, child.newChildContext()]
        for context in contexts {
            context.automaticallyMergesChangesFromParent = mergesAutomatically
            context.undoManager = ContextUndoManager()
        }
    }

    private var context: ManagedObjectContext { contexts[level] }

    mutating func run(steps: Int) throws {
        for _ in 0..<steps { try step() }
        try rise(to: 0)
        try save()
        try check(container.newContext(), "a new context at the end")
    }

    private mutating func step() throws {
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<74: try change()
        case 74..<84: try moveOn()
        case 84..<88: try save()
        case 88..<91: try rollBack()
        case 91..<94: try undo()
        case 94..<97: context.processPendingChanges()
        default: try check(context, "generation \(level)")
        }
    }

    // MARK: Generations

    private mutating func moveOn() throws {
        let next = Int.random(in: 0..<3, using: &generator)
        if next < level { try rise(to: next) }
        while level < next { descend() }
        try check(context, "generation \(level)")
        // What it knows stays in memory, so that it must follow.
        held[level] = context.registeredObjects
    }

    private mutating func rise(to next: Int) throws {
        while level > next {
            try save()
            level -= 1
            log.append("up to generation \(level)")
        }
    }

    private mutating func descend() {
        level += 1
        log.append("down to generation \(level)")
        saved[level] = world
        // What the parent has set is no save: the child reads it when it is told to.
        context.refreshAllObjects()
        context.processPendingChanges()
    }

    private mutating func save() throws {
        log.append("\(level): save")
        do {
            try context.save()
        } catch {
            try fail(["the save threw \(error)"])
        }
        saved[level] = world
        if context.hasChanges { try fail(["there are changes after the save"]) }
        if level == 0 { try check(container.newContext(), "a new context") }
    }

    private mutating func rollBack() throws {
        log.append("\(level): rollback")
        context.rollback()
        world = saved[level]
        if context.hasChanges { try fail(["there are changes after the rollback"]) }
        try check(context, "generation \(level) after a rollback")
    }

    /// A group of changes, taken back.
    private mutating func undo() throws {
        guard let manager = context.undoManager else { return }
        let before = world
        manager.beginUndoGrouping()
        for _ in 0..<3 { try change() }
        manager.endUndoGrouping()
        log.append("\(level): undo these")
        // Changes that cancel each other out may have left no group.
        if try World(of: context) != before { manager.undo() }
        manager.removeAllActions()
        world = before
        try check(context, "generation \(level) after undo")
    }

    // MARK: Work

    private mutating func change() throws {
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<25: insert()
        case 25..<40: try setValue()
        case 40..<88: try link()
        default: try delete()
        }
    }

    private mutating func insert() {
        switch Int.random(in: 0..<5, using: &generator) {
        case 0:
            let box = Box(in: context, name: "box")
            world.boxes[box.objectID] = "box"
            log.append("\(level): insert \(box.objectID)")
        case 1:
            let topic = Topic(in: context, name: "topic")
            world.tags[topic.objectID] = "topic"
            log.append("\(level): insert \(topic.objectID)")
        default:
            let node = Node(in: context, label: "new")
            world.nodes[node.objectID] = World.NodeValues(label: "new")
            log.append("\(level): insert \(node.objectID)")
        }
    }

    private mutating func setValue() throws {
        guard let id = pick(world.nodes.keys) else { return }
        let number = Int64.random(in: 0..<5, using: &generator)
        log.append("\(level): \(id).number = \(number)")
        try context.get(id, as: Node.self).number = number
        world.nodes[id]?.number = number
    }

    private mutating func link() throws {
        guard let id = pick(world.nodes.keys) else { return }
        let node: Node = try context.get(id)
        let adds = generator.chance(0.7)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0, 1:
            let box = adds ? pick(world.boxes.keys) : nil
            log.append("\(level): \(id).box = \(box?.description ?? "nil")")
            node.box = try box.map { try context.get($0) }
            world.nodes[id]?.box = box
        case 2:
            let next = adds ? pick(world.nodes.keys) : nil
            log.append("\(level): \(id).next = \(next?.description ?? "nil")")
            node.next = try next.map { try context.get($0) }
            world.setNext(id, next)
        case 3:
            guard let tag = pick(world.tags.keys) else { return }
            let pair = World.Pair(from: id, to: tag)
            log.append("\(level): \(adds ? "tag" : "untag") \(pair)")
            let topic: Topic = try context.get(tag)
            if adds { topic.nodes.insert(node) } else { node.tags.remove(topic) }
            if adds { world.tagged.insert(pair) } else { world.tagged.remove(pair) }
        case 4:
            guard let other = pick(world.nodes.keys) else { return }
            let pair = World.Pair(from: id, to: other)
            log.append("\(level): \(adds ? "follow" : "unfollow") \(pair)")
            let followed: Node = try context.get(other)
            if adds { node.follows.insert(followed) } else { followed.followers.remove(node) }
            if adds { world.follows.insert(pair) } else { world.follows.remove(pair) }
        default:
            if adds || world.parts.isEmpty {
                let part = Part(in: context, node: node)
                log.append("\(level): insert \(part.objectID) of \(id)")
                world.parts[part.objectID] = id
            } else if let part = pick(world.parts.keys) {
                log.append("\(level): \(part).node = \(id)")
                try context.get(part, as: Part.self).node = node
                world.parts[part] = id
            }
        }
    }

    private mutating func delete() throws {
        let id: ObjectID?
        switch Int.random(in: 0..<4, using: &generator) {
        case 0, 1:
            id = pick(world.nodes.keys)
            if let id { world.deleteNode(id) }
        case 2:
            id = pick(world.boxes.keys)
            if let id { world.deleteBox(id) }
        default:
            id = pick(world.tags.keys)
            if let id { world.deleteTag(id) }
        }
        guard let id else { return }
        log.append("\(level): delete \(id)")
        context.delete(context.object(with: id))
        context.processPendingChanges()
    }

    private mutating func pick(_ ids: some Sequence<ObjectID>) -> ObjectID? {
        ids.sorted { ($0.entityName, $0.key) < ($1.entityName, $1.key) }
            .randomElement(using: &generator)
    }

    // MARK: Looking

    private func check(_ context: ManagedObjectContext, _ who: String) throws {
        let expected = contexts.contains { $0 === context } ? world : saved[0]
        let faults =
            try World(of: context).differences(from: expected) + expected.inverseFaults(in: context)
        if !faults.isEmpty { try fail(["\(who):"] + faults) }
    }

    private func fail(_ faults: [String]) throws {
        throw Failure(
            description: """
                \(faults.joined(separator: "\n"))
                Replay with CAMBIUM_SEED=\(seed). The last steps:
                \(log.suffix(60).joined(separator: "\n"))
                """)
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
