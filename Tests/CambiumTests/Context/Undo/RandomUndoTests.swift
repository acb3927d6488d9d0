import Cambium
import EverythingModel
import Testing

/// Random work, undone and redone at random: every state comes back as it was, whatever was saved.
struct RandomUndoTests {
    @Test(arguments: StoreKind.kinds)
    func `undo and redo lead through the states that there were`(_ kind: StoreKind) throws {
        try forEachSeed(share: 1 / Double(StoreKind.kinds.count)) { seed in
            try withContainer(Everything.model, on: kind) { container in
                var work = try UndoWork(container, seed: seed)
                try work.run(steps: 40)
            }
        }
    }
}

private struct UndoWork {
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private let seed: UInt64
    private var generator: SeededGenerator
    /// The states before each event that can be undone, and the present one.
    private var states: [World] = [World()]
    private var position = 0
    private var log: [String] = []
    /// A list that must follow all the time.
    private let followed: FollowedController<Node>
    private var touched: Set<ObjectID> = []

    init(_ container: PersistentContainer, seed: UInt64) throws {
        self.container = container
        self.seed = seed
        generator = SeededGenerator(seed: seed)
        context = container.newContext()
        context.undoManager = ContextUndoManager()
        followed = try FollowedController(
            FetchedResultsController(
                Node.fetchRequest().filter(Node.number < 6).sorted(by: Node.number), in: context),
            summary: { "\($0.label) \($0.number)" })
    }

    mutating func run(steps: Int) throws {
        for _ in 0..<steps {
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<60: try work()
            case 60..<78: try move(by: -1)
            case 78..<88: try move(by: 1)
            case 88..<94: try save()
            default: try reread()
            }
        }
        try save()
        try check(container.newContext())
    }

    /// One event of a few changes.
    private mutating func work() throws {
        for _ in 0..<Int.random(in: 1...4, using: &generator) { try change() }
        context.processPendingChanges()
        let state = try World(of: context)
        try check(context, against: state)
        // Whether an event without effect can be undone is not seen from outside.
        if context.undoManager?.canRedo == true { return }
        if state == states[position] { states[position...] = [state] } else { push(state) }
    }

    private mutating func push(_ state: World) {
        states.removeSubrange((position + 1)...)
        states.append(state)
        position += 1
    }

    private mutating func move(by step: Int) throws {
        guard states.indices.contains(position + step) else { return }
        log.append(step < 0 ? "undo" : "redo")
        // An event whose changes cancel each other out is a group without effect.
        for _ in 0..<50 {
            if step < 0 { context.undo() } else { context.redo() }
            if try World(of: context) != states[position] { break }
        }
        position += step
        try check(context)
    }

    private mutating func save() throws {
        log.append("save")
        try context.save()
        try check(context)
    }

    /// Makes faults of what has no changes, so that relationships are read again.
    private mutating func reread() throws {
        log.append("refresh all")
        context.refreshAllObjects()
        context.processPendingChanges()
        try check(context)
    }

    private mutating func check(_ context: ManagedObjectContext) throws {
        try check(context, against: states[position])
    }

    private mutating func check(
        _ context: ManagedObjectContext, against state: World
    ) throws {
        let shown = try World(of: context)
        touched.formUnion(shown.nodes.keys)
        var faults = shown.differences(from: state) + state.inverseFaults(in: context)
        faults += try followed.faults(touched: touched, looks: generator.chance(0.3))
        faults += context.invariantFaults()
        guard !faults.isEmpty else { return }
        throw Failure(
            description: """
                \(faults.joined(separator: "\n"))
                The last steps of \(seed):
                \(log.suffix(30).joined(separator: "\n"))
                """)
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    // MARK: Changes

    private mutating func change() throws {
        let nodes = try context.fetch(Node.fetchRequest())
        let node = nodes.randomElement(using: &generator)
        let other = nodes.randomElement(using: &generator)
        let box = try context.fetch(Box.fetchRequest()).randomElement(using: &generator)
        let topic = try context.fetch(Topic.fetchRequest()).randomElement(using: &generator)
        let part = try context.fetch(Part.fetchRequest()).randomElement(using: &generator)
        let choice = Int.random(in: 0..<16, using: &generator)
        log.append(
            "change \(choice): \([node, other, box, topic, part].map { $0?.description ?? "-" })")
        switch choice {
        case 0, 1: touched.insert(Node(in: context, label: "new", box: box).objectID)
        case 2: _ = Box(in: context)
        case 3: _ = Topic(in: context)
        case 4: if let node { _ = Part(in: context, node: node) }
        case 5: node?.number = Int64.random(in: 0..<9, using: &generator)
        case 6: node?.box = generator.chance(0.7) ? box : nil
        case 7: node?.next = generator.chance(0.7) ? other : nil
        case 8: if let topic { node?.tags.insert(topic) }
        case 9: if let topic, let node { topic.nodes.remove(node) }
        case 10: if let other { node?.follows.insert(other) }
        case 11: if let node { part?.node = node }
        case 12: if let node, let box { box.nodes.insert(node) }
        case 13: if let node { context.delete(node) }
        case 14: if let box { context.delete(box) }
        default: if let topic { context.delete(topic) }
        }
    }
}
