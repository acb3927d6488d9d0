import Cambium
import EverythingModel
import Testing

extension EngineSuite {
    /// Links of every shape are kept, and both of their sides show them.
    package static let links = EngineSuite("links") {
        EngineCase("a relationship leads to objects of any sub-entity") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                let home = Home(in: context, street: "Long")
                let person = Person(in: context, name: "Ada", home: home)
                let robot = Robot(in: context, name: "Marvin", serial: "1", home: home)
                home.owner = robot
                try context.save()
                let reader = container.newContext()
                let read: Home = try reader.get(home.objectID)
                #expect(read.owner is Robot)
                #expect(read.residents.map(\.objectID) == [person.objectID, robot.objectID])
                #expect(read.residents.map { type(of: $0) == Robot.self } == [false, true])
            }
        }

        EngineCase("a to-one is set, moved and cleared, and its inverse shows it") { engine in
            try engine.withStore(Everything.model) { store in
                let context = store.container.newContext()
                let boxes = ["a", "b"].map { Box(in: context, name: $0) }
                let nodes = (0..<3).map { Node(in: context, number: Int64($0), box: boxes[0]) }
                try context.save()
                nodes[1].box = boxes[1]
                nodes[2].box = nil
                try context.save()
                try store.read { reader in
                    let read = try reader.fetch(Box.fetchRequest().sorted(by: Box.name))
                    #expect(read.map { $0.nodes.map(\.number) } == [[0], [1]])
                    #expect(
                        try reader.fetch(Node.fetchRequest()).map(\.box?.name) == ["a", "b", nil])
                }
            }
        }

        EngineCase("a one-to-one has one partner on either side") { engine in
            try engine.withStore(Everything.model) { store in
                let context = store.container.newContext()
                let nodes = ["a", "b", "c"].map { Node(in: context, label: $0) }
                nodes[0].next = nodes[1]
                try context.save()
                nodes[2].next = nodes[1]
                nodes[0].next = nodes[0]
                try context.save()
                try store.read { reader in
                    let read = try reader.fetch(Node.fetchRequest())
                    #expect(read.map(\.next?.label) == ["a", nil, "b"])
                    #expect(read.map(\.previous?.label) == ["a", "c", nil])
                }
            }
        }

        EngineCase("a many-to-many is kept from both sides") { engine in
            try engine.withStore(Everything.model) { store in
                let context = store.container.newContext()
                let nodes = ["a", "b"].map { Node(in: context, label: $0) }
                let topics = ["s", "t"].map { Topic(in: context, name: $0) }
                nodes[0].tags.insert(contentsOf: topics)
                topics[1].nodes.insert(nodes[1])
                nodes[0].follows.insert(nodes[0])
                nodes[0].follows.insert(nodes[1])
                try context.save()
                nodes[0].tags.remove(topics[0])
                nodes[0].follows.remove(nodes[0])
                try context.save()
                try store.read { reader in
                    let read = try reader.fetch(Node.fetchRequest())
                    #expect(read.map { $0.tags.map(\.name) } == [["t"], ["t"]])
                    #expect(read.map { $0.follows.map(\.label) } == [["b"], []])
                    #expect(read.map { $0.followers.map(\.label) } == [[], ["a"]])
                    let topics = try reader.fetch(Topic.fetchRequest())
                    #expect(topics.map { $0.nodes.map(\.label) } == [[], ["a", "b"]])
                }
            }
        }

        EngineCase("an ordered one-to-many keeps its order through moves and removals") { engine in
            try engine.withStore(Everything.model) { store in
                let context = store.container.newContext()
                let boxes = ["a", "b", "c", "d"].map { Box(in: context, name: $0) }
                let topics = (0..<2).map { _ in Topic(in: context) }
                topics[0].boxes.append(contentsOf: [boxes[2], boxes[0], boxes[3], boxes[1]])
                try context.save()
                #expect(try lists(store.container.newContext()) == [["c", "a", "d", "b"], []])
                topics[0].boxes.move(from: 3, to: 0)
                topics[1].boxes.append(boxes[0])
                try context.save()
                context.delete(boxes[2])
                try context.save()
                #expect(try lists(store.container.newContext()) == [["b", "d"], ["a"]])
                #expect(try lists(store.openAgain()) == [["b", "d"], ["a"]])
            }
            func lists(_ reader: ManagedObjectContext) throws -> [[String]] {
                try reader.fetch(Topic.fetchRequest()).map { $0.boxes.map(\.name) }
            }
        }

        EngineCase("an ordered many-to-many has an order for each owner") { engine in
            try engine.withStore(Everything.model) { store in
                let context = store.container.newContext()
                let nodes = ["a", "b"].map { Node(in: context, label: $0) }
                let topics = ["r", "s", "t"].map { Topic(in: context, name: $0) }
                nodes[0].queue.append(contentsOf: topics)
                nodes[1].queue.append(contentsOf: topics.reversed())
                try context.save()
                nodes[0].queue.remove(topics[1])
                try context.save()
                try store.read { reader in
                    let read = try reader.fetch(Node.fetchRequest())
                    #expect(read.map { $0.queue.map(\.name) } == [["r", "t"], ["t", "s", "r"]])
                    let topics = try reader.fetch(Topic.fetchRequest())
                    #expect(
                        topics.map { $0.waiting.map(\.label).sorted() } == [
                            ["a", "b"], ["b"], ["a", "b"],
                        ])
                }
            }
        }
    }
}
