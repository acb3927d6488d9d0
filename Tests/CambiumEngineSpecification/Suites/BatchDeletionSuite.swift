import Cambium
import EverythingModel
import Foundation
import ShopModel
import Testing

extension EngineSuite {
    /// Rows are deleted where they are, with the delete rules of objects.
    package static let batchDeletion = EngineSuite("batch deletion", requires: .batches) {
        EngineCase("rule 77: cascades are followed, links of others are cleared") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                let nodes = (0..<4).map { Node(in: context, label: "\($0)", number: Int64($0)) }
                for node in nodes { _ = Part(in: context, name: node.label, node: node) }
                nodes[0].next = nodes[1]
                nodes[1].next = nodes[2]
                let topic = Topic(in: context, name: "t")
                for node in nodes { node.tags.insert(topic) }
                nodes[3].follows.insert(nodes[1])
                nodes[3].queue.append(topic)
                try context.save()
                var request = BatchDeleteRequest<Node>().filter(Node.number == 1)
                request.resultType = .objectIDs
                let result = try context.execute(request)
                #expect(result.count == 1)
                #expect(result.objectIDs == [nodes[1].objectID])
                #expect(result.changes.deleted.count == 2)
                let reader = container.newContext()
                try #expect(reader.fetch(Node.fetchRequest()).map(\.label) == ["0", "2", "3"])
                try #expect(reader.fetch(Part.fetchRequest()).map(\.name) == ["0", "2", "3"])
                // The context that did it knows.
                #expect(nodes[1].isDeleted)
                #expect(nodes[0].next == nil && nodes[2].previous == nil)
                #expect(Set(topic.nodes.map(\.label)) == ["0", "2", "3"])
                #expect(nodes[3].follows.isEmpty)
            }
        }

        EngineCase("rule 77: a required inverse is an error that names it, and nothing is deleted")
        {
            engine in
            try engine.withContainer(Dispute.model) { container in
                let context = container.newContext()
                let things = try (0..<2).map { try context.make("Thing", ["code": "\($0)"]) }
                let cover = try context.make("Cover", ["name": "c"])
                cover[one: "thing"] = things[1]
                try context.save()
                let error = #expect(throws: ValidationError.self) {
                    try context.execute(BatchDeleteRequest<ManagedObject>(entityName: "Thing"))
                }
                #expect(error?.code == .missing && error?.property == "thing")
                #expect(error?.objectID == cover.objectID)
                try #expect(container.newContext().all("Thing").count == 2)
                try context.execute(BatchDeleteRequest<ManagedObject>(entityName: "Cover"))
                try context.execute(BatchDeleteRequest<ManagedObject>(entityName: "Thing"))
                try #expect(container.newContext().all("Thing").isEmpty)
            }
        }

        EngineCase("a required partner that a deletion would leave alone is named") { engine in
            try engine.withContainer(Couples.required) { container in
                let context = container.newContext()
                let persons = try Couples.fill(context, "aBCd")
                try expectRefusal([persons[1]], container) {
                    try context.execute(
                        BatchDeleteRequest(
                            FetchRequest<ManagedObject>(entityName: "Person").limit(1)))
                }
                try context.execute(BatchDeleteRequest<ManagedObject>(entityName: "Person"))
                #expect(try Couples.stored(container) == "")
            }
        }

        /// Core Data's batch delete does not look at deny.
        EngineCase("rule 77, bettered: a deny is an error that names the first object") {
            engine in
            try engine.withContainer(Shop.model) { container in
                let context = container.newContext()
                let empty = Category(in: context, name: "Empty")
                let full = Category(in: context, name: "Full")
                let fullToo = Category(in: context, name: "Full too")
                // The first that is found is not the first object.
                for (index, category) in [fullToo, full].enumerated() {
                    _ = Product(
                        in: context, sku: "AB-\(index)", kind: .book, price: 1, category: category)
                }
                try context.save()
                let request = BatchDeleteRequest<ShopModel.Category>()
                let error = #expect(throws: ValidationError.self) { try context.execute(request) }
                #expect(error?.code == .deleteDenied && error?.property == "products")
                #expect(error?.objectID == full.objectID)
                try #expect(context.count(for: Category.fetchRequest()) == 3)
                let named = request.filter(ShopModel.Category.name == "Empty")
                try #expect(context.execute(named).count == 1)
                #expect(empty.isDeleted)
            }
        }

        EngineCase("cycles and trees go as a whole") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                let ring = (0..<5).map { Link(in: context, name: "\($0)") }
                for (link, next) in zip(ring, ring.dropFirst() + [ring[0]]) {
                    link.successor = next
                }
                let leaves = ring.map { Link(in: context, name: "leaf", parent: $0) }
                let other = Link(in: context, name: "other", predecessor: nil)
                try context.save()
                let result = try context.execute(
                    BatchDeleteRequest<Link>(objectIDs: [ring[3].objectID]))
                #expect(result.count == 1)
                try #expect(context.fetch(Link.fetchRequest()) == [other])
                #expect(leaves.allSatisfy { $0.isDeleted })
            }
        }

        EngineCase("links of a relationship that is its own inverse go with the row") { engine in
            let model = CompiledModel(
                Model(
                    name: "Friends", version: "1",
                    entities: [
                        Entity(
                            name: "Friend",
                            relationships: [
                                Relationship(
                                    name: "friends", destination: "Friend", inverse: "friends",
                                    isToMany: true)
                            ])
                    ]))
            try engine.withContainer(model) { container in
                let context = container.newContext()
                let all = try (0..<3).map { _ in try context.insertObject(ofEntity: "Friend") }
                try all[0].many("friends").replace(with: all)
                try all[1].many("friends").insert(all[2])
                try context.save()
                try context.execute(BatchDeleteRequest<ManagedObject>(objectIDs: [all[0].objectID]))
                let reader = container.newContext()
                let rest = try reader.all("Friend")
                #expect(rest.map(\.objectID) == all[1...].map(\.objectID))
                try #expect(rest[0].many("friends").map(\.objectID) == [all[2].objectID])
                try #expect(rest[1].many("friends").map(\.objectID) == [all[1].objectID])
            }
        }

        EngineCase("a relationship without inverse is cleared, or denies") { engine in
            func entities(isOptional: Bool) -> CompiledModel {
                CompiledModel(
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
                                    Relationship(
                                        name: "goal", destination: "Goal", isOptional: isOptional),
                                    Relationship(
                                        name: "goals", destination: "Goal", isToMany: true),
                                ]),
                        ]))
            }
            for isOptional in [true, false] {
                try engine.withContainer(entities(isOptional: isOptional)) { container in
                    let context = container.newContext()
                    let goals = try ["a", "b"].map { try context.make("Goal", ["name": $0]) }
                    let way = try context.insertObject(ofEntity: "Way")
                    way[one: "goal"] = goals[0]
                    try way.many("goals").insert(goals[1])
                    try context.save()
                    let all = BatchDeleteRequest<ManagedObject>(entityName: "Goal")
                    if isOptional {
                        try context.execute(all)
                        #expect(way[one: "goal"] == nil)
                        try #expect(way.many("goals").isEmpty)
                    } else {
                        let error = #expect(throws: ValidationError.self) {
                            try context.execute(all)
                        }
                        #expect(error?.objectID == way.objectID && error?.property == "goal")
                        try #expect(context.all("Goal").count == 2)
                    }
                }
            }
        }

        EngineCase("an order, a limit and an offset count") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                for number in 0..<6 { _ = Node(in: context, number: Int64(number)) }
                try context.save()
                let request = BatchDeleteRequest(
                    Node.fetchRequest().sorted(by: Node.number.descending).limit(2).offset(1))
                try #expect(context.execute(request).count == 2)
                try #expect(context.fetch(Node.fetchRequest()).map(\.number) == [0, 1, 2, 5])
            }
        }

        EngineCase("sub-entities count unless they are left out") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                _ = EverythingModel.Person(in: context, name: "Ada")
                _ = Robot(in: context, name: "Rob", serial: "1")
                try context.save()
                var beings = Being.fetchRequest()
                beings.includesSubentities = false
                try #expect(context.execute(BatchDeleteRequest(beings)).count == 0)
                try #expect(context.execute(BatchDeleteRequest<Robot>()).count == 1)
                try #expect(context.execute(BatchDeleteRequest<Being>()).count == 1)
            }
        }

        EngineCase("objects of another container are refused; one that is gone is left out") {
            engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                let node = Node(in: context)
                try context.save()
                let request = BatchDeleteRequest<Node>(objectIDs: [node.objectID])
                try engine.withContainer(Everything.model) { other in
                    let error = #expect(throws: StoreError.self) {
                        try other.newContext().execute(request)
                    }
                    #expect(error?.code == .objectOfAnotherContext)
                }
                try #expect(context.execute(request).count == 1)
                try #expect(context.execute(request).count == 0)
                try #expect(context.execute(BatchDeleteRequest<Node>(objectIDs: [])).count == 0)
            }
        }
    }
}
