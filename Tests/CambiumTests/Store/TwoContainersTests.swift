import Cambium
import EverythingModel
import Testing

/// Two containers on one file, as two processes have them.
struct TwoContainersTests {
    private func withTwoContainers(
        _ body: (PersistentContainer, PersistentContainer) throws -> Void
    ) throws {
        try withStoreFile { path in
            try body(
                PersistentContainer(model: Everything.model, at: .temporary(path)),
                PersistentContainer(model: Everything.model, at: .temporary(path)))
        }
    }

    @Test func `what one saves the other one finds`() throws {
        try withTwoContainers { one, other in
            let context = one.newContext()
            _ = Node(in: context, label: "a")
            try context.save()
            #expect(try other.newContext().fetch(Node.fetchRequest()).map(\.label) == ["a"])
        }
    }

    @Test func `many small reads see at once what the other one saves`() throws {
        try withTwoContainers { one, other in
            let (writer, reader) = (one.newContext(), other.newContext())
            for count in 1...3 {
                _ = Node(in: writer)
                try writer.save()
                let counts = try (0..<100).map { _ in try reader.count(for: Node.fetchRequest()) }
                #expect(Set(counts) == [count])
            }
        }
    }

    @Test func `keys of both never meet`() throws {
        try withTwoContainers { one, other in
            let contexts = [one.newContext(), other.newContext()]
            for round in 0..<3 {
                for context in contexts {
                    for index in 0..<50 { _ = Node(in: context, label: "\(round) \(index)") }
                }
                for context in contexts { try context.save() }
            }
            #expect(try one.newContext().count(for: Node.fetchRequest()) == 300)
        }
    }

    @Test func `a conflict with the other one is found`() throws {
        try withTwoContainers { one, other in
            let (first, second) = (one.newContext(), other.newContext())
            let node = Node(in: first, label: "base")
            try first.save()
            let same = try #require(try second.fetch(Node.fetchRequest()).first)
            node.label = "theirs"
            try first.save()
            same.label = "ours"
            #expect(throws: ConflictError.self) { try second.save() }
            second.mergePolicy = .objectTrump
            try second.save()
            #expect(same.label == "ours")
            #expect(try one.newContext().fetch(Node.fetchRequest()).map(\.label) == ["ours"])
        }
    }

    @Test func `a row that the other one deleted is found missing`() throws {
        try withTwoContainers { one, other in
            let (first, second) = (one.newContext(), other.newContext())
            let node = Node(in: first, label: "base")
            try first.save()
            let same = try #require(try second.fetch(Node.fetchRequest()).first)
            first.delete(node)
            try first.save()
            same.label = "ours"
            let error = #expect(throws: ConflictError.self) { try second.save() }
            #expect(error?.conflicts.first?.isRowDeleted == true)
        }
    }

    @Test func `writers of both wait for each other`() async throws {
        let path = try makeStorePath()
        defer { removeStore(path) }
        let containers = try [
            PersistentContainer(model: Everything.model, at: .temporary(path)),
            PersistentContainer(model: Everything.model, at: .temporary(path)),
        ]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for container in containers {
                group.addTask {
                    for index in 0..<30 {
                        try await container.performBackgroundTask { context in
                            _ = Node(in: context, label: "\(index)")
                            try context.save()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try containers[0].newContext().count(for: Node.fetchRequest()) == 60)
    }
}
