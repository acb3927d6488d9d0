import Cambium
import EverythingModel
import Testing

/// Unsaved changes count (rules 57–60).
struct PendingChangesTests {
    private func withNumbers(
        _ body: (ManagedObjectContext, [Node]) throws -> Void
    ) throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let nodes = (0..<6).map { Node(in: context, number: Int64($0)) }
            try context.save()
            try body(context, nodes)
        }
    }

    private let small = Node.fetchRequest().filter(Node.number < 3).sorted(by: Node.number)

    @Test func `a new object that meets the condition is found in its place`() throws {
        try withNumbers { context, nodes in
            let new = Node(in: context, number: 1)
            _ = Node(in: context, number: 7)
            try #expect(context.fetch(small) == [nodes[0], nodes[1], new, nodes[2]])
        }
    }

    @Test func `a changed object is found by its current values`() throws {
        try withNumbers { context, nodes in
            nodes[1].number = 9
            nodes[5].number = -1
            try #expect(context.fetch(small) == [nodes[5], nodes[0], nodes[2]])
            try #expect(context.count(for: small) == 3)
        }
    }

    @Test func `a deleted object is not found`() throws {
        try withNumbers { context, nodes in
            context.delete(nodes[0])
            try #expect(context.fetch(small) == [nodes[1], nodes[2]])
            try #expect(context.count(for: small) == 2)
        }
    }

    @Test func `a window is cut after the changes`() throws {
        try withNumbers { context, nodes in
            _ = Node(in: context, number: -1)
            context.delete(nodes[1])
            let window = small.offset(1).limit(2)
            try #expect(context.fetch(window) == [nodes[0], nodes[2]])
            try #expect(context.count(for: window) == 2)
        }
    }

    @Test func `without pending changes the saved values decide, and objects show their own`()
        throws
    {
        try withNumbers { context, nodes in
            nodes[0].number = 9
            nodes[5].number = -1
            context.delete(nodes[1])
            _ = Node(in: context, number: 1)
            var request = small
            request.includesPendingChanges = false
            try #expect(context.fetch(request) == [nodes[0], nodes[1], nodes[2]])
            #expect(nodes[0].number == 9)
            try #expect(context.count(for: request) == 3)
        }
    }

    @Test func `a condition over related objects sees their unsaved changes`() throws {
        try withNumbers { context, nodes in
            let box = Box(in: context, name: "new")
            nodes[2].box = box
            nodes[3].follows.insert(nodes[2])
            let named = Node.fetchRequest().filter(Node.box.name == "new")
            try #expect(context.fetch(named) == [nodes[2]])
            let followed = Node.fetchRequest().filter(Node.followers.count > 0)
            try #expect(context.fetch(followed) == [nodes[2]])
            box.name = "renamed"
            try #expect(context.fetch(named).isEmpty)
        }
    }

    @Test func `a fetch finds the same before and after the save`() throws {
        try forEachSeed { seed in
            var generator = SeededGenerator(seed: seed)
            try withContainer(Everything.model) { container in
                let context = container.newContext()
                for _ in 0..<4 {
                    try change(context, &generator)
                    let requests = (0..<4).map { _ in request(&generator) }
                    let before = try requests.map { try context.fetch($0).map(\.objectID) }
                    let counts = try requests.map { try context.count(for: $0) }
                    try context.save()
                    let after = try requests.map { try context.fetch($0).map(\.objectID) }
                    let elsewhere = container.newContext()
                    let read = try requests.map { try elsewhere.fetch($0).map(\.objectID) }
                    #expect(before == after, "CAMBIUM_SEED=\(seed)")
                    #expect(before == read, "CAMBIUM_SEED=\(seed)")
                    #expect(counts == after.map(\.count), "CAMBIUM_SEED=\(seed)")
                }
            }
        }
    }

    private func change(
        _ context: ManagedObjectContext, _ generator: inout SeededGenerator
    ) throws {
        for index in 0..<10 {
            let node = Node(
                in: context, label: ["a", "B", "é", "", "a b"].randomElement(using: &generator),
                number: Int64.random(in: -3..<3, using: &generator))
            if index.isMultiple(of: 3) { _ = Box(in: context, name: "box \(index)") }
            let boxes = try context.fetch(Box.fetchRequest())
            if generator.chance(0.6) { node.box = boxes.randomElement(using: &generator) }
        }
        for node in try context.fetch(Node.fetchRequest()) where generator.chance(0.4) {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: node.number = Int64.random(in: -3..<3, using: &generator)
            case 1: node.label = "a"
            case 2: node.box = nil
            default: context.delete(node)
            }
        }
    }

    private func request(_ generator: inout SeededGenerator) -> FetchRequest<Node> {
        let number = Int64.random(in: -3..<3, using: &generator)
        let conditions: [Condition<Node>] = [
            Node.number < number, Node.number == number, Node.label == "a",
            Node.label.contains("a", .caseInsensitive), Node.box == nil,
            Node.box.name == "box 3", Node.box.name != "box 3", Node.number > number,
        ]
        let one = conditions[Int.random(in: 0..<8, using: &generator)]
        let other = conditions[Int.random(in: 0..<8, using: &generator)]
        var request = Node.fetchRequest().filter(
            generator.chance(0.5) ? one && !other : one || other)
        let orders: [[SortOrder<Node>]] = [
            [], [Node.number.ascending], [Node.label.descending, Node.number.ascending],
            [Node.box.name.ascending],
        ]
        request.sortOrders = orders[Int.random(in: 0..<4, using: &generator)]
        if generator.chance(0.4) { request.limit = Int.random(in: 0..<6, using: &generator) }
        if generator.chance(0.4) { request.offset = Int.random(in: 0..<4, using: &generator) }
        return request
    }
}
