import Cambium
import EverythingModel
import Testing

/// Random work on a graph, beside the same work on dictionaries.
struct RandomGraphTests {
    @Test(arguments: StoreKind.allCases)
    func `contexts show and save what was done to them`(_ kind: StoreKind) throws {
        try forEachSeed { seed in
            try withContainer(Everything.model, on: kind) { container in
                var work = RandomWork(container, seed: seed)
                try work.run(steps: 250)
            }
        }
    }
}

/// One context works, the other one looks on; from time to time they change places.
private struct RandomWork {
    private let container: PersistentContainer
    private let seed: UInt64
    private var generator: SeededGenerator
    private var context: ManagedObjectContext
    private var other: ManagedObjectContext
    /// What the onlooker holds on to, so that its objects must follow.
    private var held: Set<ManagedObject> = []
    private var world = World()
    private var saved = World()
    private var log: [String] = []

    init(_ container: PersistentContainer, seed: UInt64) {
        self.container = container
        self.seed = seed
        generator = SeededGenerator(seed: seed)
        context = Self.makeContext(container)
        other = Self.makeContext(container)
    }

    private static func makeContext(_ container: PersistentContainer) -> ManagedObjectContext {
        let context = container.newContext()
        context.automaticallyMergesChangesFromParent = true
        return context
    }

    mutating func run(steps: Int) throws {
        for _ in 0..<steps {
            try step()
        }
        try save()
        try check(Self.makeContext(container), against: saved, "a new context at the end")
    }

    private mutating func step() throws {
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<22: try insert()
        case 22..<34: try setValue()
        case 34..<66: try link()
        case 66..<74: try delete()
        case 74..<80: try save()
        case 80..<82: try rollBack()
        case 82..<86: try check(context, against: world, "the working context")
        case 86..<89: try checkFetch()
        case 89..<91: try refresh()
        case 91..<93: try read()
        case 93..<95: changePlaces()
        case 95..<97: startAgain()
        default: context.processPendingChanges()
        }
    }

    // MARK: Work

    private mutating func insert() throws {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0:
            let box = Box(in: context, name: "box \(world.boxes.count)")
            world.boxes[box.objectID] = box.name
            log.append("insert \(box.objectID)")
        case 1:
            let tag = Topic(in: context, name: "tag \(world.tags.count)")
            world.tags[tag.objectID] = tag.name
            log.append("insert \(tag.objectID)")
        case 2, 3:
            guard let owner = pick(world.nodes.keys) else { return }
            let part = Part(in: context, node: try context.get(owner))
            world.parts[part.objectID] = owner
            log.append("insert \(part.objectID) of \(owner)")
        default:
            _ = insertNode()
        }
    }

    private mutating func insertNode() -> ObjectID {
        let node = Node(in: context, label: "new")
        world.nodes[node.objectID] = World.NodeValues(label: "new")
        log.append("insert \(node.objectID)")
        return node.objectID
    }

    private mutating func setValue() throws {
        guard let id = pick(world.nodes.keys) else { return }
        let node: Node = try context.get(id)
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

    private mutating func link() throws {
        guard let id = pick(world.nodes.keys) else { return }
        let node: Node = try context.get(id)
        switch Int.random(in: 0..<11, using: &generator) {
        case 0, 1:
            let box = generator.chance(0.8) ? pick(world.boxes.keys) : nil
            log.append("\(id).box = \(box?.description ?? "nil")")
            node.box = try box.map { try context.get($0) }
            world.nodes[id]?.box = box
        case 2:
            guard let box = pick(world.boxes.keys) else { return }
            log.append("\(box).nodes.insert(\(id))")
            try context.get(box, as: Box.self).nodes.insert(node)
            world.nodes[id]?.box = box
        case 3:
            guard let box = pick(world.boxes.keys) else { return }
            log.append("\(box).nodes.remove(\(id))")
            try context.get(box, as: Box.self).nodes.remove(node)
            if world.nodes[id]?.box == box { world.nodes[id]?.box = nil }
        case 4:
            let next = generator.chance(0.8) ? pick(world.nodes.keys) : nil
            log.append("\(id).next = \(next?.description ?? "nil")")
            node.next = try next.map { try context.get($0) }
            world.setNext(id, next)
        case 5:
            let previous = generator.chance(0.8) ? pick(world.nodes.keys) : nil
            log.append("\(id).previous = \(previous?.description ?? "nil")")
            node.previous = try previous.map { try context.get($0) }
            world.setPrevious(id, previous)
        case 6, 7:
            guard let tag = pick(world.tags.keys) else { return }
            try linkTag(tag, node)
        case 8:
            let tags = world.tags.keys.sorted { $0.key < $1.key }.filter { _ in
                generator.chance(0.4)
            }
            log.append("\(id).tags = \(tags)")
            node.tags.replace(with: try tags.map { try context.get($0) })
            world.tagged = world.tagged.filter { $0.from != id }
                .union(tags.map { World.Pair(from: id, to: $0) })
        case 9:
            guard let other = pick(world.nodes.keys) else { return }
            try linkFollower(other, node)
        default:
            guard let part = pick(world.parts.keys) else { return }
            log.append("\(id).parts.insert(\(part))")
            if generator.chance(0.5) {
                node.parts.insert(try context.get(part))
            } else {
                try context.get(part, as: Part.self).node = node
            }
            world.parts[part] = id
        }
    }

    private mutating func linkTag(_ id: ObjectID, _ node: Node) throws {
        let tag: Topic = try context.get(id)
        let pair = World.Pair(from: node.objectID, to: id)
        let adds = generator.chance(0.6)
        let isFromNode = generator.chance(0.5)
        log.append("\(adds ? "add" : "remove") \(pair), from the \(isFromNode ? "node" : "tag")")
        switch (adds, isFromNode) {
        case (true, true): node.tags.insert(tag)
        case (true, false): tag.nodes.insert(node)
        case (false, true): node.tags.remove(tag)
        case (false, false): tag.nodes.remove(node)
        }
        if adds { world.tagged.insert(pair) } else { world.tagged.remove(pair) }
    }

    private mutating func linkFollower(_ id: ObjectID, _ node: Node) throws {
        let followed: Node = try context.get(id)
        let pair = World.Pair(from: node.objectID, to: id)
        let adds = generator.chance(0.6)
        let isForward = generator.chance(0.5)
        log.append("\(adds ? "add" : "remove") \(pair), \(isForward ? "forward" : "backward")")
        switch (adds, isForward) {
        case (true, true): node.follows.insert(followed)
        case (true, false): followed.followers.insert(node)
        case (false, true): node.follows.remove(followed)
        case (false, false): followed.followers.remove(node)
        }
        if adds { world.follows.insert(pair) } else { world.follows.remove(pair) }
    }

    private mutating func delete() throws {
        let id: ObjectID?
        switch Int.random(in: 0..<4, using: &generator) {
        case 0:
            id = pick(world.nodes.keys)
            if let id { world.deleteNode(id) }
        case 1:
            id = pick(world.boxes.keys)
            if let id { world.deleteBox(id) }
        case 2:
            id = pick(world.tags.keys)
            if let id { world.deleteTag(id) }
        default:
            id = pick(world.parts.keys)
            if let id { world.parts[id] = nil }
        }
        guard let id else { return }
        log.append("delete \(id)")
        context.delete(context.object(with: id))
        context.processPendingChanges()
    }

    private mutating func save() throws {
        log.append("save")
        do {
            try context.save()
        } catch {
            try fail("the save threw \(error)")
        }
        saved = world
        if context.hasChanges { try fail("there are changes after the save") }
        if generator.chance(0.4) { try check(other, against: saved, "the onlooker") }
    }

    private mutating func rollBack() throws {
        log.append("rollback")
        context.rollback()
        world = saved
        if context.hasChanges { try fail("there are changes after the rollback") }
    }

    private mutating func refresh() throws {
        let clean = context.registeredObjects.filter { !$0.hasChanges }
            .sorted {
                ($0.objectID.entityName, $0.objectID.key) < (
                    $1.objectID.entityName, $1.objectID.key
                )
            }
        guard let object = clean.randomElement(using: &generator) else { return }
        log.append("refresh \(object)")
        context.refresh(object, mergeChanges: generator.chance(0.5))
    }

    private mutating func changePlaces() {
        guard !context.hasChanges else { return }
        log.append("change places")
        swap(&context, &other)
        held = []
        // Without it, work on what the other one changed would rightly be a conflict.
        context.mergePending()
    }

    private mutating func startAgain() {
        guard !context.hasChanges else { return }
        log.append("start again")
        context = Self.makeContext(container)
    }

    // MARK: Looking

    /// Reads some of the relationships, so that they are kept in memory.
    private mutating func read() throws {
        guard let id = pick(world.nodes.keys) else { return }
        log.append("read \(id)")
        let node: Node = try context.get(id)
        _ = (node.box?.nodes.count, node.tags.count, node.followers.count, node.previous?.label)
    }

    private mutating func check(
        _ context: ManagedObjectContext, against expected: World, _ who: String
    ) throws {
        log.append("check \(who)")
        let shown = try World(of: context)
        if shown != expected {
            try fail("\(who): \(shown.differences(from: expected).joined(separator: "\n"))")
        }
        let faults = expected.inverseFaults(in: context)
        if !faults.isEmpty { try fail("\(who): \(faults.joined(separator: "\n"))") }
        if context === other { held = context.registeredObjects }
    }

    private mutating func checkFetch() throws {
        let limit = Int64.random(in: 0..<5, using: &generator)
        let box = pick(world.boxes.keys)
        var request = Node.fetchRequest()
        let matches: (ObjectID, World.NodeValues) -> Bool
        let world = world
        switch Int.random(in: 0..<5, using: &generator) {
        case 0:
            request = request.filter(Node.number < limit)
            matches = { $1.number < limit }
        case 1:
            guard let box else { return }
            request = request.filter(Node.box == box)
            matches = { $1.box == box }
        case 2:
            request = request.filter(Node.box.name == "box 1" || Node.number == limit)
            matches = { $1.box.flatMap { world.boxes[$0] } == "box 1" || $1.number == limit }
        case 3:
            request = request.filter(Node.tags.count > Int(limit))
            matches = { id, _ in world.tagged.count { $0.from == id } > limit }
        default:
            request = request.filter(Node.followers.any(Node.number > limit))
            matches = { id, _ in
                world.follows.contains {
                    $0.to == id && (world.nodes[$0.from]?.number ?? 0) > limit
                }
            }
        }
        let offset = Int.random(in: 0..<3, using: &generator)
        request = request.sorted(by: Node.number.descending).offset(offset).limit(4)
        let expected = world.nodes.filter { matches($0.key, $0.value) }
            .sorted { ($1.value.number, $0.key.key) < ($0.value.number, $1.key.key) }
            .map(\.key).dropFirst(offset).prefix(4)
        let found = try context.fetch(request).map(\.objectID)
        if found != Array(expected) {
            try fail("\(request) found \(found) instead of \(Array(expected))")
        }
        let count = try context.count(for: request)
        if count != found.count { try fail("count is \(count), the fetch found \(found.count)") }
    }

    private mutating func pick(_ ids: some Collection<ObjectID>) -> ObjectID? {
        // In an order that the seed repeats; a dictionary's own order is another each time.
        ids.sorted { $0.key < $1.key }.randomElement(using: &generator)
    }

    private func fail(_ message: String) throws -> Never {
        throw Failure(
            description: """
                \(message)
                Replay with CAMBIUM_SEED=\(seed). The last steps:
                \(log.suffix(40).joined(separator: "\n"))
                """)
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
