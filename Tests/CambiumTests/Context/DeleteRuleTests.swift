import Cambium
import EverythingModel
import Testing

struct DeleteRuleTests {
    private func withContext(
        _ objects: ObjectKind, _ body: (PersistentContainer, ManagedObjectContext) throws -> Void
    ) throws {
        try withContainer(objects.everything) { try body($0, $0.newContext()) }
    }

    @Test(arguments: ObjectKind.allCases)
    func `rule 29: nullify empties the other ends`(
        _ objects: ObjectKind
    ) throws {
        try withContext(objects) { container, context in
            let box = try context.insert(Box.self)
            let nodes = try (0..<3).map { _ in try context.insert(Node.self) { $0.box = box } }
            try context.save()
            let other = container.newContext()
            other.delete(other.object(with: box.objectID))
            try other.save()
            let reader = container.newContext()
            let read = try reader.see(Node.fetchRequest())
            #expect(read.map(\.objectID) == nodes.map(\.objectID))
            #expect(read.allSatisfy { $0.box == nil })
        }
    }

    @Test(arguments: ObjectKind.allCases)
    func `rule 29: nullify that empties a required relationship is refused there`(
        _ objects: ObjectKind
    ) throws {
        try withContext(objects) { _, context in
            let person = try context.insert(Person.self) { $0.name = "Ada" }
            let passport = try context.insert(Passport.self) {
                ($0.number, $0.holder) = ("1", person)
            }
            try context.save()
            person.passport = nil
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .missing)
            #expect(error?.objectID == passport.objectID)
        }
    }

    @Test(arguments: [false, true], ObjectKind.allCases)
    func `who leaves a deleted object before the end of the event is not deleted with it`(
        _ isSaved: Bool, _ objects: ObjectKind
    ) throws {
        try withContext(objects) { _, context in
            let node = try context.insert(Node.self)
            let other = try context.insert(Node.self)
            let part = try context.insert(Part.self) { $0.node = node }
            if isSaved { try context.save() }
            context.delete(node)
            part.node = other
            context.processPendingChanges()
            #expect(!part.isDeleted && part.managedObjectContext != nil)
            #expect(Array(other.parts) == [part.object])
        }
    }

    @Test(arguments: ObjectKind.allCases)
    func `cascade deletes what hangs on the object`(
        _ objects: ObjectKind
    ) throws {
        try withContext(objects) { container, context in
            let node = try context.insert(Node.self)
            let parts = try (0..<3).map { _ in try context.insert(Part.self) { $0.node = node } }
            try context.save()
            let other = container.newContext()
            other.delete(other.object(with: node.objectID))
            other.processPendingChanges()
            #expect(other.deletedObjects.count == 4)
            try other.save()
            #expect(try other.countSeen(Part.fetchRequest()) == 0)
            #expect(parts.count == 3)
        }
    }

    @Test(arguments: ObjectKind.allCases)
    func `rule 32: cascade along a cycle deletes every object once`(_ objects: ObjectKind) throws {
        try withContext(objects) { _, context in
            let links = try (0..<4).map { number in
                try context.insert(Link.self) { $0.name = "\(number)" }
            }
            for index in links.indices { links[index].successor = links[(index + 1) % 4] }
            links[0].parent = links[2]
            try context.save()
            context.delete(links[1])
            context.processPendingChanges()
            #expect(context.deletedObjects == Set(links.map(\.object)))
            try context.save()
            #expect(try context.countSeen(Link.fetchRequest()) == 0)
        }
    }

    @Test(arguments: ObjectKind.allCases)
    func `rule 33: cascade spares what was moved away in the same event`(_ objects: ObjectKind)
        throws
    {
        try withContext(objects) { _, context in
            let nodes = try (context.insert(Node.self), context.insert(Node.self))
            let part = try context.insert(Part.self) { $0.node = nodes.0 }
            try context.save()
            part.node = nodes.1
            context.delete(nodes.0)
            try context.save()
            #expect(try context.see(Part.fetchRequest()) == [part])
        }
    }

    @Test(arguments: ObjectKind.allCases)
    func `rule 30: delete rules may wait for the save`(_ objects: ObjectKind) throws {
        try withContext(objects) { _, context in
            context.propagatesDeletesAtEndOfEvent = false
            let box = try context.insert(Box.self)
            let node = try context.insert(Node.self) { $0.box = box }
            let part = try context.insert(Part.self) { $0.node = node }
            try context.save()
            context.delete(box)
            context.delete(node)
            context.processPendingChanges()
            _ = try context.countSeen(Topic.fetchRequest())
            #expect(node.box == box)
            #expect(!part.isDeleted)
            #expect(context.deletedObjects == [box.object, node.object])
            try context.save()
            #expect(try context.countSeen(Part.fetchRequest()) == 0)
        }
    }

    @Test(arguments: ObjectKind.allCases)
    func `cascade reaches new objects`(_ objects: ObjectKind) throws {
        try withContext(objects) { _, context in
            let node = try context.insert(Node.self)
            try context.save()
            let part = try context.insert(Part.self) { $0.node = node }
            context.delete(node)
            try context.save()
            #expect(part.managedObjectContext == nil)
            #expect(try context.countSeen(Part.fetchRequest()) == 0)
        }
    }

    @Test(arguments: ObjectKind.allCases)
    func `rule 31: deny lets the deletion stand and the save fail`(_ objects: ObjectKind) throws {
        try withContext(objects) { _, context in
            let robot = try context.insert(Robot.self) { ($0.name, $0.serial) = ("R", "1") }
            let home = try context.insert(Home.self) { $0.owner = Seen(robot.object) }
            try context.save()
            context.delete(robot)
            #expect(robot.isDeleted)
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .deleteDenied)
            #expect(error?.coreDataCode == 1600)
            #expect(error?.property == "owned")
            #expect(robot.isDeleted)
            #expect(!home.isDeleted)
        }
    }

    @Test(arguments: [true, false], ObjectKind.allCases)
    func `rule 31: deny is lifted when the others go too`(
        _ deletes: Bool, _ objects: ObjectKind
    ) throws {
        try withContext(objects) { _, context in
            let robot = try context.insert(Robot.self) { ($0.name, $0.serial) = ("R", "1") }
            let home = try context.insert(Home.self) { $0.owner = Seen(robot.object) }
            try context.save()
            context.delete(robot)
            if deletes { context.delete(home) } else { home.owner = nil }
            try context.save()
            #expect(try context.countSeen(Being.fetchRequest()) == 0)
        }
    }

    @Test(arguments: ObjectKind.allCases)
    func `a deleted object is taken out of relationships that were read`(_ objects: ObjectKind)
        throws
    {
        try withContext(objects) { _, context in
            let box = try context.insert(Box.self)
            let node = try context.insert(Node.self) { $0.box = box }
            node.follows.insert(try context.insert(Node.self) { $0.box = box })
            let topic = try context.insert(Topic.self)
            topic.nodes.insert(node)
            try context.save()
            #expect(box.nodes.count == 2)
            context.delete(node)
            context.processPendingChanges()
            #expect(box.nodes.count == 1)
            #expect(topic.nodes.isEmpty)
            #expect(box.nodes.allSatisfy { Seen<Node>($0).followers.isEmpty })
            try context.save()
            #expect(box.nodes.count == 1)
        }
    }

    @Test(arguments: ObjectKind.allCases)
    func `the pairs of a deleted object leave the join table`(_ objects: ObjectKind) throws {
        try withStoreFile { path in
            let container = try PersistentContainer(
                model: objects.everything, at: .temporary(path))
            let context = container.newContext()
            let nodes = try (context.insert(Node.self), context.insert(Node.self))
            nodes.0.follows.insert(nodes.1)
            nodes.1.follows.insert(nodes.0)
            nodes.0.tags.insert(try context.insert(Topic.self))
            try context.save()
            let other = container.newContext()
            other.delete(other.object(with: nodes.0.objectID))
            try other.save()
            #expect(try danglingKeys(in: path).isEmpty)
            for table in ["Node_tags", "Node_followers", "Node_queue"] {
                #expect(try rows("SELECT * FROM \"\(table)\"", in: path).isEmpty)
            }
        }
    }

    @Test func `a deleted object can still be read, and nothing leads to it any more`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let (box, topic) = (Box(in: context), Topic(in: context))
            let node = Node(in: context, label: "gone", box: box)
            node.tags.insert(topic)
            node.queue.append(topic)
            try context.save()
            for step in ["processed", "saved"] {
                if step == "processed" {
                    context.delete(node)
                    context.processPendingChanges()
                } else {
                    try context.save()
                }
                #expect(node.label == "gone" && node.box === box, "\(step)")
                #expect(Array(node.tags) == [topic] && Array(node.queue) == [topic], "\(step)")
                #expect(box.nodes.isEmpty, "\(step)")
                #expect(topic.nodes.isEmpty && topic.waiting.isEmpty, "\(step)")
            }
        }
    }

    @Test func `a deleted owner of members that it nullifies is empty when that is done`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let box = Box(in: context)
            let node = Node(in: context, box: box)
            try context.save()
            context.delete(box)
            context.processPendingChanges()
            #expect(node.box == nil && box.nodes.isEmpty)
        }
    }
}
