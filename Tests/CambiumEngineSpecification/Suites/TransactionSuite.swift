import Cambium
import Dispatch
import EverythingModel
import Synchronization
import Testing

extension EngineSuite {
    /// A closure and its save are one transaction of the store.
    package static let transactions = EngineSuite("transactions", requires: .transactions) {
        EngineCase("what a closure changes is saved, and read in it before") { engine in
            try engine.withStore(Everything.model) { store in
                let count = try store.container.coordinator.performTransaction { context in
                    for number in 0..<100 { _ = Node(in: context, number: Int64(number)) }
                    return try context.count(for: Node.fetchRequest())
                }
                #expect(count == 100)
                let present = try store.container.newContext().count(for: Node.fetchRequest())
                let kept = try store.openAgain().count(for: Node.fetchRequest())
                #expect(present == 100 && kept == 100)
            }
        }

        EngineCase("nothing is kept where the closure or the save throws") { engine in
            try engine.withStore(Everything.model) { store in
                let coordinator = store.container.coordinator
                #expect(throws: Refusal.self) {
                    try coordinator.performTransaction { context in
                        _ = Node(in: context, label: "a")
                        throw Refusal()
                    }
                }
                #expect(throws: (any Error).self) {
                    try coordinator.performTransaction { context in
                        _ = Node(in: context, label: "\u{0}")
                    }
                }
                try coordinator.performTransaction { _ = Node(in: $0, label: "b") }
                let nodes = try store.openAgain().fetch(Node.fetchRequest())
                #expect(nodes.map(\.label) == ["b"])
            }
        }

        EngineCase("a closure reads one state, and others hear of its save") { engine in
            try engine.withContainer(Everything.model) { container in
                let other = container.newContext()
                let node = Node(in: other, label: "before")
                try other.save()
                let id = node.objectID
                try container.coordinator.performTransaction { context in
                    let own: Node = try context.get(id)
                    #expect(own.label == "before")
                    own.label = "after"
                    #expect(try context.count(for: Node.fetchRequest()) == 1)
                }
                other.mergePending()
                #expect(node.label == "after")
            }
        }

        EngineCase("the context cannot save, change what it reads, or run batches") { engine in
            try engine.withContainer(Everything.model) { container in
                try container.coordinator.performTransaction { context in
                    _ = Node(in: context)
                    #expect(throws: StoreError.self) { try context.save() }
                    #expect(throws: StoreError.self) {
                        try context.setQueryGeneration(.unpinned)
                    }
                    #expect(throws: StoreError.self) {
                        try context.execute(BatchDeleteRequest(Node.fetchRequest()))
                    }
                }
                #expect(try container.newContext().count(for: Node.fetchRequest()) == 1)
            }
        }

        EngineCase("unique values and links of a closure are checked as those of a save") {
            engine in
            try engine.withContainer(Everything.model) { container in
                let first = try container.coordinator.performTransaction { context in
                    let box = Box(in: context, name: "box")
                    for number in 0..<3 { Node(in: context, number: Int64(number)).box = box }
                    return box.objectID
                }
                try container.coordinator.performTransaction { context in
                    let box: Box = try context.get(first)
                    #expect(box.nodes.count == 3)
                    context.delete(box)
                }
                let context = container.newContext()
                #expect(try context.count(for: Box.fetchRequest()) == 0)
                #expect(try context.fetch(Node.fetchRequest()).allSatisfy { $0.box == nil })
            }
        }

        EngineCase("closures that run side by side count as if one came after the other") {
            engine in
            try engine.withContainer(Everything.model) { container in
                try sideBySide(4) {
                    for _ in 0..<10 {
                        try container.coordinator.performTransaction { context in
                            let count = try context.count(for: Node.fetchRequest())
                            _ = Node(in: context, number: Int64(count))
                        }
                    }
                }
                let context = container.newContext()
                let numbers = try context.fetch(Node.fetchRequest()).map(\.number)
                #expect(numbers.sorted() == (0..<40).map { Int64($0) })
            }
        }
    }
}

private struct Refusal: Error {}

/// Runs a body on several threads, and throws the first of their errors.
private func sideBySide(_ count: Int, _ body: @Sendable () throws -> Void) throws {
    let failure = Mutex<(any Error)?>(nil)
    DispatchQueue.concurrentPerform(iterations: count) { _ in
        do { try body() } catch { failure.withLock { $0 = $0 ?? error } }
    }
    if let error = failure.withLock({ $0 }) { throw error }
}
