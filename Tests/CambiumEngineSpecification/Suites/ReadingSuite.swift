import Cambium
import EverythingModel
import Testing

extension EngineSuite {
    /// Rows are read one by one, and missing ones never trap.
    package static let reading = EngineSuite("reading") {
        EngineCase("rule 49: two fetches of a row give the same object") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                let box = Box(in: context)
                let node = Node(in: context, box: box)
                try context.save()
                #expect(try context.fetch(Node.fetchRequest()).first === node)
                #expect(context.object(with: node.objectID) === node)
                #expect(box.nodes.first { _ in true } === node)
            }
        }

        EngineCase("an object of an identity is read when it is used") { engine in
            try engine.withStore(Everything.model) { store in
                let context = store.container.newContext()
                let node = Node(
                    in: context, label: "a", number: 3, box: Box(in: context, name: "b"))
                try context.save()
                let uri = node.objectID.uri
                let reader = try store.openAgain()
                let id = try #require(reader.coordinator.objectID(forURI: uri))
                let same: Node = try reader.get(id)
                #expect(same.isFault)
                #expect(same.label == "a" && same.number == 3)
                #expect(!same.isFault)
                #expect(same.box?.name == "b" && same.box?.nodes.first === same)
            }
        }

        EngineCase("a row that does not exist is an error where it must") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                let node = Node(in: context, label: "a")
                try context.save()
                let id = node.objectID
                context.delete(node)
                try context.save()
                let reader = container.newContext()
                let error = #expect(throws: StoreError.self) { try reader.existingObject(with: id) }
                #expect(error?.code == .missingRow)
                try #expect(reader.fetch(Node.fetchRequest()).isEmpty)
            }
        }

        EngineCase("a fault whose row was deleted shows defaults, and the next save says so") {
            engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                let topic = Topic(in: context, name: "t")
                let node = Node(in: context, label: "a", number: 5, box: Box(in: context))
                node.tags.insert(topic)
                try context.save()
                let id = node.objectID
                context.delete(node)
                try context.save()
                let reader = container.newContext()
                let lost: Node = try reader.get(id)
                #expect(lost.label == "" && lost.number == 0)
                #expect(lost.box == nil && lost.tags.isEmpty && lost.parts.isEmpty)
                #expect(lost.isDeleted)
                let error = #expect(throws: StoreError.self) { try reader.save() }
                #expect(error?.code == .missingRow)
                try reader.save()
                #expect(try reader.fetch(Topic.fetchRequest()).map(\.nodes.count) == [0])
            }
        }

        EngineCase("keys are not given again, though their rows were deleted") { engine in
            try engine.withStore(Everything.model) { store in
                let context = store.container.newContext()
                let node = Node(in: context)
                try context.save()
                let key = node.objectID.key
                context.delete(node)
                try context.save()
                let next = Node(in: try store.openAgain())
                #expect(next.objectID.key > key)
            }
        }
    }
}
