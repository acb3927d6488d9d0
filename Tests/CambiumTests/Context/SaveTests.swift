import Cambium
import EverythingModel
import Testing

private typealias Node = Seen<EverythingModel.Node>
private typealias Box = Seen<EverythingModel.Box>
private typealias Topic = Seen<EverythingModel.Topic>
private typealias Link = Seen<EverythingModel.Link>
private typealias Robot = Seen<EverythingModel.Robot>
private typealias Home = Seen<EverythingModel.Home>
private typealias Person = Seen<EverythingModel.Person>

/// A save is one transaction; one that fails leaves memory, sets and store as they were.
@Suite(.bothKinds) struct SaveTests {
    @Test func `rule 26: a save without changes does nothing`() throws {
        let count = StatementCount(of: " ")
        var options = StoreOptions()
        options.statementHook = count.hook
        let container = try PersistentContainer(
            model: ObjectKind.current.everything, at: .temporary, options: options)
        let context = container.newContext()
        _ = Node(in: context)
        try context.save()
        let before = count.statements
        #expect(before > 0)
        try context.save()
        #expect(!context.hasChanges)
        #expect(count.statements == before)
    }

    /// Ways in which a save fails, each after a valid insert, update and delete.
    enum Failure: CaseIterable {
        case validation
        case uniqueness
        case deniedDelete
        case conflict
        case storeCheck
    }

    @Test(arguments: Failure.allCases)
    func `rule 10: a failed save changes nothing, and goes through when the reason is gone`(
        _ failure: Failure
    ) throws {
        try withContainer(ObjectKind.current.everything) { container in
            let context = container.newContext()
            let changed = Node(in: context, label: "old")
            let deleted = Node(in: context, label: "to be deleted")
            let robot = Robot(in: context, name: "R", serial: "taken")
            let home = Home(in: context, owner: robot)
            try context.save()
            let before = try World(of: container.newContext())

            changed.label = "new"
            context.delete(deleted)
            let inserted = Node(in: context, label: "inserted")
            let repair = try fail(failure, container, context, changed, robot, home)
            context.processPendingChanges()
            let sets = (context.insertedObjects, context.updatedObjects, context.deletedObjects)
            #expect(throws: (any Error).self) { try context.save() }
            #expect(context.insertedObjects == sets.0)
            #expect(context.updatedObjects == sets.1)
            #expect(context.deletedObjects == sets.2)
            #expect(changed.label == "new")
            #expect(changed.changedValues() == ["label": .value(.string("new"))])
            #expect(inserted.isInserted)
            if failure != .conflict {
                #expect(try World(of: container.newContext()) == before)
            }

            repair()
            try context.save()
            #expect(!context.hasChanges)
            let labels = try container.newContext()
                .see(Node.fetchRequest().sorted(by: Node.label)).map(\.label)
            #expect(labels == ["inserted", "new"])
        }
    }

    /// Makes the next save fail; the result takes the reason away.
    private func fail(
        _ failure: Failure, _ container: PersistentContainer, _ context: ManagedObjectContext,
        _ changed: Node, _ robot: Robot, _ home: Home
    ) throws -> () -> Void {
        switch failure {
        case .validation:
            let person = Person(in: context, name: "Ada", age: 200)
            return { person.age = 20 }
        case .uniqueness:
            let twin = Robot(in: context, name: "T", serial: "taken")
            return { twin.serial = "free" }
        case .deniedDelete:
            context.delete(robot)
            return { context.delete(home) }
        case .conflict:
            let other = container.newContext()
            try other.get(changed.objectID, as: Node.self).number = 5
            try other.save()
            return { context.refresh(changed, mergeChanges: true) }
        case .storeCheck:
            // Only the store sees a link to a row that went after it was read.
            let other = container.newContext()
            let box = Box(in: other)
            try other.save()
            let node = Node(in: context, label: "dangling")
            node.box = Box(try context.existingObject(with: box.objectID))
            other.delete(box)
            try other.save()
            return { context.delete(node) }
        }
    }

    @Test func `a unique value that is given up may be taken in the same save`() throws {
        try withContainer(ObjectKind.current.everything) { container in
            let context = container.newContext()
            let old = Robot(in: context, name: "Old", serial: "1")
            let other = Robot(in: context, name: "Other", serial: "2")
            try context.save()
            context.delete(old)
            other.serial = "3"
            _ = Robot(in: context, name: "New", serial: "1")
            _ = Robot(in: context, name: "Newer", serial: "2")
            try context.save()
            let names = try context.see(Robot.fetchRequest().sorted(by: Robot.serial)).map(\.name)
            #expect(names == ["New", "Newer", "Other"])
        }
    }
}
