import Cambium
import EverythingModel
import Testing

extension EngineSuite {
    /// A save is one transaction: all of it is in the store afterwards, or nothing.
    package static let saving = EngineSuite("saving") {

        EngineCase("a save writes inserts, updates, deletes and links together") { engine in
            try engine.withStore(Everything.model) { store in
                let context = store.container.newContext()
                let changed = Node(in: context, label: "old")
                let deleted = Node(in: context)
                try context.save()
                changed.label = "new"
                changed.tags.insert(Topic(in: context, name: "topic"))
                context.delete(deleted)
                try context.save()
                try store.read { reader in
                    let read = try reader.fetch(Node.fetchRequest())
                    #expect(read.map(\.label) == ["new"])
                    #expect(read.first?.tags.map(\.name) == ["topic"])
                }
            }
        }

        EngineCase("an object may be saved, changed and saved again") { engine in
            try engine.withStore(Everything.model) { store in
                let context = store.container.newContext()
                let node = Node(in: context)
                for number in 1...5 {
                    node.number = Int64(number)
                    try context.save()
                }
                try store.read { reader in
                    let numbers = try reader.fetch(Node.fetchRequest()).map(\.number)
                    #expect(numbers == [5])
                }
            }
        }

        EngineCase("a save without changes is legal") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                try context.save()
                let node = Node(in: context, label: "a")
                try context.save()
                node.label = "b"
                node.label = "a"
                try context.save()
                #expect(!context.hasChanges)
                #expect(try container.newContext().fetch(Node.fetchRequest()).map(\.label) == ["a"])
            }
        }

        EngineCase("rows that reference each other are saved in any order") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                // A cycle of keys: no row can be written first whose key is checked at once.
                let links = (Link(in: context), Link(in: context))
                links.0.successor = links.1
                links.1.successor = links.0
                try context.save()
                let reader = container.newContext()
                let read: Link = try reader.get(links.0.objectID)
                #expect(read.successor?.successor === read)
            }
        }

        EngineCase("hundreds of rows are saved and deleted in one save each") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                let box = Box(in: context)
                for number in 0..<280 { _ = Node(in: context, number: Int64(number), box: box) }
                try context.save()
                let other = container.newContext()
                let nodes = try other.fetch(Node.fetchRequest())
                #expect(nodes.map(\.number) == Array(0..<280))
                for node in nodes where node.number % 7 != 0 { other.delete(node) }
                try other.save()
                #expect(try container.newContext().count(for: Node.fetchRequest()) == 40)
            }
        }

        for failure in FailedSave.allCases {
            EngineCase("a failed save leaves nothing behind, and is repeated (\(failure))") {
                engine in
                try engine.withContainer(Everything.model) { container in
                    let context = container.newContext()
                    let changed = Node(in: context, label: "old")
                    let deleted = Node(in: context, label: "to be deleted")
                    let robot = Robot(in: context, name: "R", serial: "taken")
                    let home = Home(in: context, owner: robot)
                    deleted.tags.insert(Topic(in: context, name: "topic"))
                    try context.save()

                    changed.label = "new"
                    changed.queue.append(Topic(in: context, name: "new topic"))
                    context.delete(deleted)
                    _ = Node(in: context, label: "inserted")
                    let repair = try failure.provoke(container, context, changed, robot, home)
                    let before = try contents(of: container)
                    #expect(throws: (any Error).self) { try context.save() }
                    #expect(try contents(of: container) == before)

                    repair()
                    try context.save()
                    #expect(!context.hasChanges)
                    let labels = try container.newContext()
                        .fetch(Node.fetchRequest().sorted(by: Node.label)).map(\.label)
                    #expect(labels == ["inserted", "new"])
                }
            }
        }
    }
}

/// Ways in which a save fails.
private enum FailedSave: CaseIterable {
    case validation, uniqueness, deniedDelete, conflict, danglingReference

    /// Makes the next save of the context fail; the result takes the reason away.
    func provoke(
        _ container: PersistentContainer, _ context: ManagedObjectContext, _ changed: Node,
        _ robot: Robot, _ home: Home
    ) throws -> () -> Void {
        switch self {
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
        case .danglingReference:
            let other = container.newContext()
            let box = Box(in: other)
            try other.save()
            let node = Node(in: context, label: "dangling")
            node.box = try context.existingObject(with: box.objectID, as: Box.self)
            other.delete(box)
            try other.save()
            return { context.delete(node) }
        }
    }
}

/// What a new context reads: nodes with their topics, beings and topics.
private func contents(of container: PersistentContainer) throws -> [String] {
    let reader = container.newContext()
    let nodes = try reader.fetch(Node.fetchRequest()).map {
        "\($0.label) \($0.number) \($0.tags.map(\.name)) \($0.queue.map(\.name))"
    }
    let beings = try reader.fetch(Being.fetchRequest()).map(\.name)
    return try nodes + beings + reader.fetch(Topic.fetchRequest()).map(\.name)
}
