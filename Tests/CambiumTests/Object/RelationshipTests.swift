import Cambium
import EverythingModel
import Testing

private typealias Node = Seen<EverythingModel.Node>
private typealias Box = Seen<EverythingModel.Box>
private typealias Topic = Seen<EverythingModel.Topic>
private typealias Part = Seen<EverythingModel.Part>

/// Both sides of a relationship say the same, whichever was set, saved or not.
@Suite(.bothKinds) struct RelationshipTests {
    /// Runs the body with unsaved objects and with saved ones.
    private func withNodes(
        _ saved: Bool, _ body: (ManagedObjectContext, Node, Node) throws -> Void
    ) throws {
        try withContainer(ObjectKind.current.everything) { container in
            let context = container.newContext()
            let nodes = (Node(in: context, label: "one"), Node(in: context, label: "two"))
            if saved { try context.save() }
            try body(context, nodes.0, nodes.1)
        }
    }

    @Test(arguments: [false, true])
    func `rule 27: setting a to-one adds to its inverse, both are changed`(_ saved: Bool) throws {
        try withNodes(saved) { context, one, two in
            let box = Box(in: context)
            one.box = box
            two.box = box
            #expect(Set(box.nodes) == [one, two])
            #expect(one.hasChanges && box.hasChanges)
        }
    }

    /// In Core Data the owner's version rises too, and two contexts that add members to one owner
    /// are in conflict. Here the additions of both count.
    @Test func `rule 27: a link raises the version of the row that holds the key`() throws {
        try withStoreFile { path in
            let container = try PersistentContainer(
                model: ObjectKind.current.everything, at: .temporary(path))
            let context = container.newContext()
            let (node, box) = (Node(in: context), Box(in: context))
            try context.save()
            node.box = box
            #expect(context.updatedObjects == [node, box])
            try context.save()
            #expect(try rows(#"SELECT "_version" FROM "Node""#, in: path) == [[.integer(2)]])
            #expect(try rows(#"SELECT "_version" FROM "Box""#, in: path) == [[.integer(1)]])
        }
    }

    @Test(arguments: [false, true])
    func `adding to a to-many sets its inverse`(_ saved: Bool) throws {
        try withNodes(saved) { context, one, _ in
            let box = Box(in: context)
            box.nodes.insert(one)
            #expect(one.box === box)
            box.nodes.remove(one)
            #expect(one.box == nil)
            #expect(box.nodes.isEmpty)
        }
    }

    @Test func `rule 28: moving an object changes it and both of its owners`() throws {
        try withNodes(true) { context, one, _ in
            let boxes = (Box(in: context), Box(in: context))
            one.box = boxes.0
            try context.save()
            one.box = boxes.1
            #expect(boxes.0.nodes.isEmpty)
            #expect(Array(boxes.1.nodes) == [one])
            #expect(context.updatedObjects == [one, boxes.0, boxes.1])
        }
    }

    @Test func `an object that moved is not found with its old owner, which is read later`() throws
    {
        try withContainer(ObjectKind.current.everything) { container in
            let first = container.newContext()
            let boxes = (Box(in: first), Box(in: first))
            let node = Node(in: first, box: boxes.0)
            try first.save()
            let context = container.newContext()
            let moved: Node = try context.get(node.objectID)
            moved.box = try context.get(boxes.1.objectID)
            #expect(try context.get(boxes.0.objectID, as: Box.self).nodes.isEmpty)
            context.rollback()
            #expect(try context.get(boxes.0.objectID, as: Box.self).nodes.count == 1)
            #expect(try context.get(boxes.1.objectID, as: Box.self).nodes.isEmpty)
        }
    }

    @Test(arguments: [false, true])
    func `setting one side of a one-to-one sets the other`(_ saved: Bool) throws {
        try withNodes(saved) { _, one, two in
            one.next = two
            #expect(two.previous === one)
            two.previous = nil
            #expect(one.next == nil)
        }
    }

    @Test(arguments: [false, true])
    func `a one-to-one that is taken by another lets its partner go`(_ saved: Bool) throws {
        try withNodes(saved) { context, one, two in
            let three = Node(in: context, label: "three")
            one.next = two
            if saved { try context.save() }
            three.next = two
            #expect(one.next == nil)
            #expect(two.previous === three)
            one.previous = two
            #expect(two.next === one)
            try context.save()
            #expect(two.previous === three)
        }
    }

    @Test(arguments: [false, true])
    func `an object may lead to itself`(_ saved: Bool) throws {
        try withNodes(saved) { context, one, _ in
            one.next = one
            one.follows.insert(one)
            #expect(one.previous === one)
            #expect(Array(one.followers) == [one])
            try context.save()
            one.next = nil
            one.follows.remove(one)
            #expect(one.previous == nil)
            #expect(one.followers.isEmpty)
        }
    }

    @Test func `a many-to-many is kept from both sides`() throws {
        try withContainer(ObjectKind.current.everything) { container in
            let context = container.newContext()
            let nodes = [Node(in: context), Node(in: context)]
            let topics = [Topic(in: context), Topic(in: context)]
            nodes[0].tags.insert(contentsOf: topics)
            topics[1].nodes.insert(nodes[1])
            try context.save()
            let reader = container.newContext()
            let topic: Topic = try reader.get(topics[1].objectID)
            #expect(topic.nodes.map(\.objectID) == nodes.map(\.objectID))
            let node: Node = try reader.get(nodes[0].objectID)
            #expect(node.tags.map(\.objectID) == topics.map(\.objectID))
        }
    }

    @Test func `a pair that was there, added again and removed is gone`() throws {
        try withContainer(ObjectKind.current.everything) { container in
            let first = container.newContext()
            let node = Node(in: first)
            node.tags.insert(Topic(in: first))
            try first.save()
            let context = container.newContext()
            let same: Node = try context.get(node.objectID)
            let topic = try #require(try context.see(Topic.fetchRequest()).first)
            same.tags.insert(topic)
            same.tags.remove(topic)
            #expect(same.tags.isEmpty)
            try context.save()
            let reader = container.newContext()
            #expect(try reader.get(node.objectID, as: Node.self).tags.isEmpty)
        }
    }

    @Test func `adding to a to-many does not read what is there`() throws {
        try withContainer(ObjectKind.current.everything) { container in
            let first = container.newContext()
            let box = Box(in: first)
            for number in 0..<50 { _ = Node(in: first, number: Int64(number), box: box) }
            try first.save()
            let context = container.newContext()
            let same: Box = try context.get(box.objectID)
            same.nodes.insert(Node(in: context))
            #expect(context.registeredObjects.count == 2)
            #expect(same.nodes.count == 51)
        }
    }

    @Test func `replacing the members of a to-many leaves exactly those`() throws {
        try withNodes(true) { context, one, two in
            let box = Box(in: context)
            box.nodes.insert(one)
            box.nodes.replace(with: [two])
            #expect(Array(box.nodes) == [two])
            #expect(one.box == nil)
            box.nodes.removeAll()
            #expect(box.nodes.isEmpty)
            #expect(two.box == nil)
        }
    }

    @Test func `a to-many has a first object, and an array in the place of a missing one`() throws {
        try withContainer(ObjectKind.current.everything) { container in
            let context = container.newContext()
            let (owned, free) = (Node(in: context), Node(in: context))
            let box = Box(in: context)
            let topic = Topic(in: context)
            #expect(box.nodes.first == nil && topic.boxes.first == nil)
            owned.box = box
            box.topic = topic
            #expect(box.nodes.first === owned && topic.boxes.first === box)
            #expect(topic.boxes.indices == 0..<1 && topic.boxes.count == 1)
            #expect((owned.box?.nodes ?? []) == [owned])
            #expect((owned.box?.topic?.boxes ?? []) == [box])
            #expect((free.box?.topic?.boxes ?? [box.object]) == [box])
            var count = 0
            for _ in free.box?.nodes ?? [] { count += 1 }
            #expect(count == 0)
        }
    }
}
