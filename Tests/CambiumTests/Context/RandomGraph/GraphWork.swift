import Cambium
import EverythingModel
import Testing

/// Random work in a context and, beside it, on dictionaries; a sibling reads along and at times
/// saves something itself.
struct GraphWork {
    let container: PersistentContainer
    let seed: UInt64
    var generator: SeededGenerator
    let context: ManagedObjectContext
    let sibling: ManagedObjectContext
    /// What the context must show.
    var world = World()
    /// What the store must have, and the sibling show.
    var saved = World()
    var history = GraphHistory()
    var log: [String] = []
    /// What somebody holds stays in memory, so that it must follow.
    private var held: Set<ManagedObject> = []

    init(_ container: PersistentContainer, isUndoable: Bool, seed: UInt64) {
        self.container = container
        self.seed = seed
        generator = SeededGenerator(seed: seed)
        context = container.newContext()
        context.automaticallyMergesChangesFromParent = generator.chance(0.5)
        if isUndoable { context.undoManager = ContextUndoManager() }
        sibling = container.newContext()
        sibling.automaticallyMergesChangesFromParent = true
    }

    mutating func run(steps: Int) throws {
        for _ in 0..<steps {
            try step()
            try checkInvariants()
        }
        try save()
        try check(container.newContext(), against: saved, "a new context at the end")
        try check(sibling, against: saved, "the sibling at the end")
        try checkInvariants()
    }

    /// Deletes all that was saved, for the next sequence.
    func clear() throws {
        let context = container.newContext()
        for id in Array(saved.nodes.keys) + Array(saved.boxes.keys) + Array(saved.tags.keys) {
            context.delete(context.object(with: id))
        }
        try context.save()
        try check(context, against: World(), "the context that deleted all")
    }

    private mutating func step() throws {
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<20: try insert()
        case 20..<28: try setValue()
        case 28..<46: try link()
        case 46..<56: try reorder()
        case 56..<63: try delete()
        case 63..<69: try save()
        case 69..<71: try rollBack()
        case 71..<77: try undo()
        case 77..<80: try redo()
        case 80..<85: try refault()
        case 85..<87: try workInSibling()
        case 87..<89: try deleteInSibling()
        case 89..<92: try check(context, against: world, "the context")
        case 92..<95: try checkFetch()
        case 95..<97: try read()
        default: try endEvent()
        }
    }

    // MARK: Values

    private mutating func insert() throws {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0:
            let box = try context.insert(Box.self) { $0.name = "box \(world.boxes.count)" }
            world.boxes[box.objectID] = box.name
            log.append("insert \(box.objectID)")
        case 1:
            let tag = try context.insert(Topic.self) { $0.name = "tag \(world.tags.count)" }
            world.tags[tag.objectID] = tag.name
            log.append("insert \(tag.objectID)")
        case 2:
            guard let owner = pick(world.nodes.keys) else { return }
            let part = try context.insert(Part.self) { $0.node = context.see(owner) }
            world.parts[part.objectID] = owner
            log.append("insert \(part.objectID) of \(owner)")
        default:
            let node = try context.insert(Node.self) { $0.label = "new" }
            world.nodes[node.objectID] = World.NodeValues(label: "new")
            log.append("insert \(node.objectID)")
        }
    }

    private mutating func setValue() throws {
        guard let id = pick(world.nodes.keys) else { return }
        let node: Seen<Node> = context.see(id)
        let number = Int64.random(in: 0..<5, using: &generator)
        log.append("set \(id) to \(number)")
        if generator.chance(0.5) {
            node.number = number
            world.nodes[id]?.number = number
        } else {
            node.label = "label \(number)"
            world.nodes[id]?.label = "label \(number)"
        }
    }

    private mutating func delete() throws {
        let id: ObjectID?
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: id = pick(world.nodes.keys)
        case 1: id = pick(world.boxes.keys)
        case 2: id = pick(world.tags.keys)
        default: id = pick(world.parts.keys)
        }
        guard let id else { return }
        log.append("delete \(id)")
        world.delete(id)
        context.delete(context.object(with: id))
        // What a deletion does to others is to be seen when the event is over.
        try endEvent()
    }

    // MARK: Saving, and going back to what was saved

    mutating func save() throws {
        log.append("save")
        do {
            try context.save()
        } catch {
            try fail("the save threw \(error)")
        }
        saved = world
        if context.hasChanges { try fail("there are changes after the save") }
        try noteEvent()
        if generator.chance(0.3) { try check(sibling, against: saved, "the sibling") }
    }

    private mutating func rollBack() throws {
        log.append("rollback")
        context.rollback()
        world = saved
        history = GraphHistory(world)
        if context.hasChanges { try fail("there are changes after the rollback") }
    }

    private mutating func refault() throws {
        switch Int.random(in: 0..<8, using: &generator) {
        case 6, 7:
            try dropChanges()
        case 0:
            log.append("reset")
            context.reset()
            held = []
            world = saved
            history = GraphHistory(world)
        case 1, 2:
            log.append("refresh all")
            context.refreshAllObjects()
        default:
            let clean = context.registeredObjects.filter { !$0.hasChanges }.map(\.objectID)
            guard let id = pick(clean) else { return }
            let mergesChanges = generator.chance(0.5)
            log.append("refresh \(id), merging \(mergesChanges)")
            context.refresh(context.object(with: id), mergeChanges: mergesChanges)
        }
    }

    /// Refreshes an object without its changes: what its row keeps and its pairs are as they were
    /// saved, but for what was deleted here. What others keep stays.
    private mutating func dropChanges() throws {
        try endEvent()
        let changed = context.updatedObjects.map(\.objectID)
            .filter { saved.nodes[$0] != nil || hasSavedLists($0) }
        guard let id = pick(changed) else { return }
        log.append("drop the changes of \(id)")
        context.refresh(context.object(with: id), mergeChanges: false)
        context.processPendingChanges()
        context.undoManager?.removeAllActions()
        world.dropChanges(of: id, since: saved)
        history = GraphHistory(world)
    }

    private func hasSavedLists(_ id: ObjectID) -> Bool {
        func waiting(_ world: World) -> [ObjectID: [ObjectID]] {
            world.queues.filter { $0.value.contains(id) }
        }
        return saved.tags[id] != nil && world.boxLists[id] == saved.boxLists[id]
            && waiting(world) == waiting(saved)
    }

    // MARK: Looking

    /// Reads some of the relationships, so that they are kept in memory, or lets all go.
    private mutating func read() throws {
        if generator.chance(0.2) {
            held = []
            return
        }
        guard let id = pick(world.nodes.keys) else { return }
        log.append("read \(id)")
        let node: Seen<Node> = context.see(id)
        _ = (node.box?.nodes.count, node.tags.count, node.followers.count, node.previous?.label)
        held = context.registeredObjects.union(sibling.registeredObjects)
    }

    func check(
        _ context: ManagedObjectContext, against expected: World, _ who: String
    ) throws {
        let shown = try World(of: context)
        if shown != expected {
            try fail("\(who): \(shown.differences(from: expected).joined(separator: "\n"))")
        }
        let faults = expected.inverseFaults(in: context)
        if !faults.isEmpty { try fail("\(who): \(faults.joined(separator: "\n"))") }
    }

    private func checkInvariants() throws {
        #if DEBUG
            let faults =
                context.invariantFaults()
                + sibling.invariantFaults(isMerged: false).map { "sibling: \($0)" }
            if !faults.isEmpty { try fail(faults.joined(separator: "\n")) }
        #endif
    }

    /// One of the objects, in an order that the seed repeats; a dictionary's own is another each
    /// time.
    mutating func pick(_ ids: some Collection<ObjectID>) -> ObjectID? {
        ids.sorted { ($0.key, $0.entityName) < ($1.key, $1.entityName) }
            .randomElement(using: &generator)
    }

    func fail(_ message: String) throws -> Never {
        throw GraphFailure(
            description: "\(message)\nThe last steps of \(seed):\n"
                + log.suffix(60).joined(separator: "\n"))
    }
}

struct GraphFailure: Error, CustomStringConvertible {
    let description: String
}

extension World {
    /// Does what the delete rules say.
    mutating func delete(_ id: ObjectID) {
        switch id.entityName {
        case "Node": deleteNode(id)
        case "Box": deleteBox(id)
        case "Topic": deleteTag(id)
        default: parts[id] = nil
        }
    }
}
