import Cambium
import EverythingModel
import Testing

struct DeleteRuleTests {
    private func withContext(
        on kind: StoreKind = .memory,
        _ body: (PersistentContainer, ManagedObjectContext) throws -> Void
    ) throws {
        try withContainer(Everything.model, on: kind) { try body($0, $0.newContext()) }
    }

    @Test(arguments: StoreKind.allCases)
    func `rule 29: nullify empties the other ends`(_ kind: StoreKind) throws {
        try withContext(on: kind) { container, context in
            let box = Box(in: context)
            let nodes = (0..<3).map { _ in Node(in: context, box: box) }
            try context.save()
            let other = container.newContext()
            other.delete(other.object(with: box.objectID))
            try other.save()
            let reader = container.newContext()
            let read = try reader.fetch(Node.fetchRequest())
            #expect(read.map(\.objectID) == nodes.map(\.objectID))
            #expect(read.allSatisfy { $0.box == nil })
        }
    }

    @Test func `rule 29: nullify that empties a required relationship is refused there`() throws {
        try withContext { _, context in
            let person = Person(in: context, name: "Ada")
            let passport = Passport(in: context, number: "1", holder: person)
            try context.save()
            passport.setValueOfHolderToNothing()
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .missing)
            #expect(error?.objectID == passport.objectID)
        }
    }

    @Test(arguments: [false, true])
    func `who leaves a deleted object before the end of the event is not deleted with it`(
        _ isSaved: Bool
    ) throws {
        try withContext { _, context in
            let (node, other) = (Node(in: context), Node(in: context))
            let part = Part(in: context, node: node)
            if isSaved { try context.save() }
            context.delete(node)
            part.node = other
            context.processPendingChanges()
            #expect(!part.isDeleted && part.managedObjectContext != nil)
            #expect(Array(other.parts) == [part])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `cascade deletes what hangs on the object`(_ kind: StoreKind) throws {
        try withContext(on: kind) { container, context in
            let node = Node(in: context)
            let parts = (0..<3).map { _ in Part(in: context, node: node) }
            try context.save()
            let other = container.newContext()
            other.delete(other.object(with: node.objectID))
            other.processPendingChanges()
            #expect(other.deletedObjects.count == 4)
            try other.save()
            #expect(try other.count(for: Part.fetchRequest()) == 0)
            #expect(parts.count == 3)
        }
    }

    @Test func `rule 32: cascade along a cycle deletes every object once`() throws {
        try withContext { _, context in
            let links = (0..<4).map { Link(in: context, name: "\($0)") }
            for index in links.indices { links[index].successor = links[(index + 1) % 4] }
            links[0].parent = links[2]
            try context.save()
            context.delete(links[1])
            context.processPendingChanges()
            #expect(context.deletedObjects == Set(links))
            try context.save()
            #expect(try context.count(for: Link.fetchRequest()) == 0)
        }
    }

    @Test func `rule 33: cascade spares what was moved away in the same event`() throws {
        try withContext { _, context in
            let nodes = (Node(in: context), Node(in: context))
            let part = Part(in: context, node: nodes.0)
            try context.save()
            part.node = nodes.1
            context.delete(nodes.0)
            try context.save()
            #expect(try context.fetch(Part.fetchRequest()) == [part])
        }
    }

    @Test func `rule 30: delete rules may wait for the save`() throws {
        try withContext { _, context in
            context.propagatesDeletesAtEndOfEvent = false
            let box = Box(in: context)
            let node = Node(in: context, box: box)
            let part = Part(in: context, node: node)
            try context.save()
            context.delete(box)
            context.delete(node)
            context.processPendingChanges()
            _ = try context.count(for: Topic.fetchRequest())
            #expect(node.box === box)
            #expect(!part.isDeleted)
            #expect(context.deletedObjects == [box, node])
            try context.save()
            #expect(try context.count(for: Part.fetchRequest()) == 0)
        }
    }

    @Test func `cascade reaches new objects`() throws {
        try withContext { _, context in
            let node = Node(in: context)
            try context.save()
            let part = Part(in: context, node: node)
            context.delete(node)
            try context.save()
            #expect(part.managedObjectContext == nil)
            #expect(try context.count(for: Part.fetchRequest()) == 0)
        }
    }

    @Test func `rule 31: deny lets the deletion stand and the save fail`() throws {
        try withContext { _, context in
            let robot = Robot(in: context, name: "R", serial: "1")
            let home = Home(in: context, owner: robot)
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

    @Test(arguments: [true, false])
    func `rule 31: deny is lifted when the others go too`(_ deletes: Bool) throws {
        try withContext { _, context in
            let robot = Robot(in: context, name: "R", serial: "1")
            let home = Home(in: context, owner: robot)
            try context.save()
            context.delete(robot)
            if deletes { context.delete(home) } else { home.owner = nil }
            try context.save()
            #expect(try context.count(for: Being.fetchRequest()) == 0)
        }
    }

    @Test func `a deleted object is taken out of relationships that were read`() throws {
        try withContext { _, context in
            let box = Box(in: context)
            let node = Node(in: context, box: box)
            node.follows.insert(Node(in: context, box: box))
            let topic = Topic(in: context)
            topic.nodes.insert(node)
            try context.save()
            #expect(box.nodes.count == 2)
            context.delete(node)
            context.processPendingChanges()
            #expect(box.nodes.count == 1)
            #expect(topic.nodes.isEmpty)
            #expect(box.nodes.allSatisfy { $0.followers.isEmpty })
            try context.save()
            #expect(box.nodes.count == 1)
        }
    }

    @Test func `the pairs of a deleted object leave the join table`() throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Everything.model, at: .file(path))
            let context = container.newContext()
            let nodes = (Node(in: context), Node(in: context))
            nodes.0.follows.insert(nodes.1)
            nodes.1.follows.insert(nodes.0)
            nodes.0.tags.insert(Topic(in: context))
            try context.save()
            let other = container.newContext()
            other.delete(other.object(with: nodes.0.objectID))
            try other.save()
            #expect(try rows("PRAGMA foreign_key_check", in: path).isEmpty)
            let tables = try rows(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'Node\\_%' "
                    + "ESCAPE '\\'", in: path)
            #expect(tables.count == 3)
            for case .text(let table)? in tables.map(\.first) {
                #expect(try rows("SELECT * FROM \"\(table)\"", in: path).isEmpty)
            }
        }
    }
}

extension Passport {
    /// What typed code cannot say of a required relationship.
    fileprivate func setValueOfHolderToNothing() {
        (try? relatedObject(forKey: "holder") as? Person)?.passport = nil
    }
}
