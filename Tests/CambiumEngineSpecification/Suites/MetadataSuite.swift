import Cambium
import EverythingModel
import Testing

extension EngineSuite {
    /// A store has a UUID and the notes of the program.
    package static let metadata = EngineSuite("metadata") {
        EngineCase("notes that a failed save was to write wait for the next one") { engine in
            try engine.withContainer(Everything.model) { container in
                let coordinator = container.coordinator
                let store = try #require(coordinator.persistentStores.first)
                let context = container.newContext()
                coordinator.setMetadata(["a": "1"], for: store)
                let person = Person(in: context, name: "")
                #expect(throws: ValidationError.self) { try context.save() }
                person.name = "Ada"
                try context.save()
                coordinator.setMetadata(["b": "2"], for: store)
                #expect(try coordinator.metadata(for: store).notes == ["b": "2"])
                try context.save()
                #expect(try coordinator.metadata(for: store).notes == ["b": "2"])
            }
        }

        EngineCase("two stores have two UUIDs, and their objects other identities") { engine in
            try engine.withContainer(Everything.model) { one in
                try engine.withContainer(Everything.model) { other in
                    let contexts = [one.newContext(), other.newContext()]
                    let nodes = contexts.map { Node(in: $0) }
                    #expect(nodes[0].objectID.key == nodes[1].objectID.key)
                    #expect(nodes[0].objectID != nodes[1].objectID)
                    #expect(other.coordinator.objectID(forURI: nodes[0].objectID.uri) == nil)
                    #expect(contexts[1].object(with: nodes[0].objectID).isDeleted)
                }
            }
        }

        EngineCase("notes and the UUID are those of before when the store is opened again") {
            engine in
            try engine.withStore(Everything.model) { store in
                let coordinator = store.container.coordinator
                let opened = try #require(coordinator.persistentStores.first)
                coordinator.setMetadata(["theme": "dark"], for: opened)
                let context = store.container.newContext()
                _ = Node(in: context)
                try context.save()
                coordinator.setMetadata(["theme": "light", "size": "1"], for: opened)
                // A save without changes writes notes, too.
                try context.save()
                let again = try store.openAgain().coordinator
                let same = try #require(again.persistentStores.first)
                #expect(same.identifier == opened.identifier)
                #expect(try again.metadata(for: same).notes == ["theme": "light", "size": "1"])
                #expect(try again.metadata(for: same).modelName == "Everything")
            }
        }
    }
}
