import Cambium
import CambiumModel
import EverythingModel
import ShopModel
import Testing

extension EngineSuite {
    /// Rows are deleted with what their delete rules say, and no link to them is left.
    package static let deleting = EngineSuite("deleting") {
        EngineCase("rows of different versions are deleted in one save") { engine in
            try engine.withContainer(Shop.model) { container in
                let context = container.newContext()
                let products = (0..<30).map {
                    Product(in: context, sku: "PR-\($0)", kind: .book, price: 1)
                }
                try context.save()
                for version in 2...4 {
                    for product in products where product.objectID.key % 4 >= version - 1 {
                        product.stock += 1
                    }
                    try context.save()
                }
                for product in products.dropLast() { context.delete(product) }
                try context.save()
                let left = try container.newContext().fetch(Product.fetchRequest())
                #expect(left.map(\.sku) == ["PR-29"])
            }
        }

        EngineCase("a row that is gone already is deleted together with those that are not") {
            engine in
            try engine.withContainer(Shop.model) { container in
                let context = container.newContext()
                let products = (0..<3).map {
                    Product(in: context, sku: "PR-\($0)", kind: .book, price: 1)
                }
                try context.save()
                let other = container.newContext()
                let twin = try other.existingObject(with: products[1].objectID)
                other.delete(twin)
                try other.save()
                for product in products { context.delete(product) }
                try context.save()
                #expect(try container.newContext().count(for: Product.fetchRequest()) == 0)
            }
        }

        EngineCase("rule 29: nullify empties the other ends") { engine in
            try engine.withStore(Everything.model) { store in
                let context = store.container.newContext()
                let box = Box(in: context)
                for label in ["a", "b"] { _ = Node(in: context, label: label, box: box) }
                try context.save()
                let other = store.container.newContext()
                other.delete(other.object(with: box.objectID))
                try other.save()
                try store.read { reader in
                    let nodes = try reader.fetch(Node.fetchRequest())
                    #expect(nodes.map(\.label) == ["a", "b"])
                    #expect(nodes.allSatisfy { $0.box == nil })
                }
            }
        }

        EngineCase("cascade deletes what hangs on the object, along trees and cycles") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                let node = Node(in: context)
                for name in ["a", "b"] { _ = Part(in: context, name: name, node: node) }
                let links = (0..<4).map { Link(in: context, name: "\($0)") }
                for index in links.indices { links[index].successor = links[(index + 1) % 4] }
                _ = Link(in: context, name: "leaf", parent: links[2])
                let other = Link(in: context, name: "other")
                try context.save()
                let deleter = container.newContext()
                deleter.delete(deleter.object(with: node.objectID))
                deleter.delete(deleter.object(with: links[1].objectID))
                try deleter.save()
                let reader = container.newContext()
                #expect(try reader.count(for: Node.fetchRequest()) == 0)
                #expect(try reader.count(for: Part.fetchRequest()) == 0)
                #expect(try reader.fetch(Link.fetchRequest().ids) == [other.objectID])
            }
        }

        EngineCase("deny refuses the save until the other objects are deleted, too") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                let robot = Robot(in: context, name: "R", serial: "1")
                let home = Home(in: context, owner: robot)
                try context.save()
                context.delete(robot)
                let error = #expect(throws: ValidationError.self) { try context.save() }
                #expect(error?.code == .deleteDenied && error?.property == "owned")
                #expect(try container.newContext().count(for: Robot.fetchRequest()) == 1)
                context.delete(home)
                try context.save()
                #expect(try container.newContext().count(for: Robot.fetchRequest()) == 0)
            }
        }

        EngineCase("a required link that would be emptied refuses the save") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                let person = Person(in: context, name: "Ada")
                let passport = Passport(in: context, number: "1", holder: person)
                try context.save()
                person.passport = nil
                let error = #expect(throws: ValidationError.self) { try context.save() }
                #expect(error?.code == .missing && error?.objectID == passport.objectID)
                let reader = container.newContext()
                let read: Passport = try reader.get(passport.objectID)
                #expect(read.holder.objectID == person.objectID)
            }
        }

        EngineCase("the pairs of a deleted object are deleted") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                let nodes = (Node(in: context, label: "a"), Node(in: context, label: "b"))
                let topic = Topic(in: context)
                nodes.0.follows.insert(nodes.1)
                nodes.1.follows.insert(nodes.0)
                nodes.0.tags.insert(topic)
                nodes.0.queue.append(topic)
                nodes.1.next = nodes.0
                try context.save()
                let other = container.newContext()
                other.delete(other.object(with: nodes.0.objectID))
                try other.save()
                let reader = container.newContext()
                let left: Node = try reader.get(nodes.1.objectID)
                #expect(left.follows.isEmpty && left.followers.isEmpty && left.next == nil)
                let read: Topic = try reader.get(topic.objectID)
                #expect(read.nodes.isEmpty && read.waiting.isEmpty)
            }
        }

        EngineCase("the pairs of a relationship without an inverse go with what it leads to") {
            engine in
            let model = CompiledModel(
                Model(
                    name: "OneWay", version: "1",
                    entities: [
                        Entity(
                            name: "Goal",
                            attributes: [
                                Attribute(
                                    name: "name", type: .string,
                                    defaultValue: .constant(.string("")))
                            ]),
                        Entity(
                            name: "Way",
                            relationships: [
                                Relationship(name: "goals", destination: "Goal", isToMany: true)
                            ]),
                    ]))
            try engine.withContainer(model) { container in
                let context = container.newContext()
                let goals = try ["a", "b"].map { try context.make("Goal", ["name": $0]) }
                let way = try context.insertObject(ofEntity: "Way")
                try way.many("goals").replace(with: goals)
                try context.save()
                // This one has never read who leads there.
                let other = container.newContext()
                other.delete(other.object(with: goals[0].objectID))
                try other.save()
                let reader = container.newContext()
                let left = try reader.object(with: way.objectID).many("goals")
                #expect(left.map { $0["name"] } == ["b"])
                #expect(try reader.all("Goal").count == 1)
            }
        }
    }
}
