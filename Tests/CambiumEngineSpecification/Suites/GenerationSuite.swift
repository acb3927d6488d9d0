import Cambium
import EverythingModel
import Testing

extension EngineSuite {
    /// A context reads the store as it was, whatever others save.
    package static let generations = EngineSuite("generations", requires: .generations) {
        EngineCase("a pinned context reads one state, whatever others save") { engine in
            try withContexts(engine) { pinned, other in
                try pinned.setQueryGeneration(.current)
                let nodes = try other.fetch(Node.fetchRequest())
                // Pinned by the first read, and not before.
                nodes[0].label = "first"
                try other.save()
                #expect(
                    try pinned.count(for: Node.fetchRequest().filter(Node.label == "first")) == 1)
                nodes[0].label = "second"
                other.delete(nodes[1])
                _ = Node(in: other, label: "c")
                try other.save()
                #expect(try labels(pinned) == ["first", "b"])
                #expect(try pinned.count(for: Node.fetchRequest()) == 2)
                try pinned.setQueryGeneration(.unpinned)
                #expect(try pinned.count(for: Node.fetchRequest().filter(Node.label == "c")) == 1)
            }
        }

        EngineCase("a fault of a row that others have deleted still fires") { engine in
            try withContexts(engine) { pinned, other in
                try pinned.setQueryGeneration(.current)
                #expect(try pinned.count(for: Node.fetchRequest()) == 2)
                let nodes = try other.fetch(Node.fetchRequest())
                let id = nodes[1].objectID
                other.delete(nodes[1])
                try other.save()
                let fault: Node = try pinned.get(id)
                #expect(fault.label == "b")
                #expect(!fault.isDeleted)
            }
        }

        EngineCase("a save and a merge go on to the latest state") { engine in
            try withContexts(engine) { pinned, other in
                try pinned.setQueryGeneration(.current)
                #expect(try labels(pinned) == ["a", "b"])
                let first = pinned.queryGeneration
                _ = Node(in: other, label: "c")
                try other.save()
                #expect(try labels(pinned) == ["a", "b"])
                _ = Node(in: pinned, label: "d")
                try pinned.save()
                #expect(try labels(pinned) == ["a", "b", "c", "d"])
                #expect(pinned.queryGeneration != first)
                _ = Node(in: other, label: "e")
                try other.save()
                #expect(try labels(pinned).count == 4)
                pinned.mergePending()
                #expect(try labels(pinned).count == 5)
            }
        }

        EngineCase("two contexts read the same state") { engine in
            try withContexts(engine) { pinned, other in
                try pinned.setQueryGeneration(.current)
                #expect(try labels(pinned) == ["a", "b"])
                _ = Node(in: other, label: "c")
                try other.save()
                let second = other.coordinator.newContext()
                try second.setQueryGeneration(pinned.queryGeneration)
                #expect(second.queryGeneration == pinned.queryGeneration)
                #expect(try labels(second) == ["a", "b"])
                #expect(try labels(other.coordinator.newContext()) == ["a", "b", "c"])
            }
        }

        EngineCase("a conflict with what a pinned context has not seen is found") { engine in
            try withContexts(engine) { pinned, other in
                try pinned.setQueryGeneration(.current)
                let node = try #require(try pinned.fetch(Node.fetchRequest()).first)
                let theirs: Node = try other.get(node.objectID)
                theirs.label = "theirs"
                try other.save()
                node.label = "ours"
                #expect(throws: ConflictError.self) { try pinned.save() }
            }
        }
    }
}

private func withContexts(
    _ engine: EngineEntry,
    _ body: (_ pinned: ManagedObjectContext, _ other: ManagedObjectContext) throws -> Void
) throws {
    try engine.withContainer(Everything.model) { container in
        let other = container.newContext()
        for label in ["a", "b"] { _ = Node(in: other, label: label) }
        try other.save()
        try body(container.newContext(), other)
    }
}

private func labels(_ context: ManagedObjectContext) throws -> [String] {
    try context.fetch(Node.fetchRequest()).map(\.label)
}
