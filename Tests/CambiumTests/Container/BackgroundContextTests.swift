import Cambium
import EverythingModel
import Testing

@Suite(.onServers)
struct BackgroundContextTests {
    @Test(arguments: StoreKind.kinds) @MainActor
    func `a background task saves what the view context then finds`(_ kind: StoreKind) async throws
    {
        try await withContainer(Everything.model, on: kind) { container in
            let id = try await container.performBackgroundTask { context in
                let node = Node(in: context, label: "made")
                try context.save()
                return node.objectID
            }
            #expect(try container.viewContext.get(id, as: Node.self).label == "made")
        }
    }

    @Test @MainActor func `what a task throws comes to who waits for it`() async throws {
        try await withContainer(Everything.model) { container in
            _ = await #expect(throws: ValidationError.self) {
                try await container.performBackgroundTask { context in
                    _ = Person(in: context, name: "")
                    try context.save()
                }
            }
        }
    }

    @Test @MainActor func `a background context keeps its objects between calls`() async throws {
        try await withContainer(Everything.model) { container in
            let background = container.newBackgroundContext()
            try await background.perform { _ = Node(in: $0, label: "unsaved") }
            #expect(try await background.perform { $0.insertedObjects.count } == 1)
            try await background.perform { try $0.save() }
            #expect(try container.viewContext.count(for: Node.fetchRequest()) == 1)
        }
    }

    @Test @MainActor func `many tasks at once save everything`() async throws {
        try await withContainer(Everything.model, on: .lasting) { container in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<8 {
                    group.addTask {
                        for index in 0..<10 {
                            try await container.performBackgroundTask { context in
                                _ = Node(in: context, label: "\(task) \(index)")
                                try context.save()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try container.viewContext.count(for: Node.fetchRequest()) == 80)
        }
    }
}
