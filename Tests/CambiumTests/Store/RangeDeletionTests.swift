import Cambium
import EverythingModel
import Testing

/// Rows whose keys follow each other are deleted as a range: exactly those, and only as they were.
struct RangeDeletionTests {
    @Test(arguments: [
        [], [0], [99], [17, 18, 50], [15, 32, 50], Array(stride(from: 0, to: 100, by: 16)),
    ])
    func `what is left between deleted neighbours stays`(_ kept: [Int]) throws {
        try withNodes(100) { context, nodes, container in
            for (number, node) in nodes.enumerated() where !kept.contains(number) {
                context.delete(node)
            }
            try context.save()
            let left = try container.newContext().fetch(Node.fetchRequest()).map(\.label)
            #expect(Set(left) == Set(kept.map { "node \($0)" }))
        }
    }

    @Test func `neighbours of several versions go, each as it was`() throws {
        try withNodes(100) { context, nodes, container in
            for node in nodes[20..<40] { node.label = "changed" }
            try context.save()
            for node in nodes[10..<90] { context.delete(node) }
            try context.save()
            #expect(try container.newContext().count(for: Node.fetchRequest()) == 20)
        }
    }

    @Test func `one that somebody has changed meanwhile keeps all from going`() throws {
        try withNodes(100) { context, nodes, container in
            context.automaticallyMergesChangesFromParent = false
            let other = container.newContext()
            try other.existingObject(with: nodes[50].objectID, as: Node.self).label = "theirs"
            try other.save()
            for node in nodes { context.delete(node) }
            #expect(throws: ConflictError.self) { try context.save() }
            #expect(try container.newContext().count(for: Node.fetchRequest()) == 100)
            context.mergePolicy = .overwrite
            try context.save()
            #expect(try container.newContext().count(for: Node.fetchRequest()) == 0)
        }
    }
}
