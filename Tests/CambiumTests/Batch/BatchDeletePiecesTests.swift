@testable import Cambium
import CambiumRecords
import CambiumEngine
import EverythingModel
import Synchronization
import Testing

/// A delete of many rows is done in pieces, and comes to the same.
struct BatchDeletePiecesTests {
    private final class Deletes: Sendable {
        let counts = Mutex<[Int]>([])
    }

    /// What a delete left behind, and what it told of.
    private struct Outcome: Equatable {
        var count = 0
        var rows: [String] = []
        var changes: [String] = []
    }

    private func describe(_ changes: [EntityChanges]) -> [String] {
        changes.map { entity in
            let deleted = entity.deleted.sorted()
            let updated = entity.updated.sorted { $0.key < $1.key }
                .map { "\($0.key) \($0.slots.slots)" }
            return "\(entity.entity.name) \(deleted) \(updated)"
        }
    }

    /// Deletes rows of a graph that has links of every shape.
    private func delete(
        in chunkSize: Int, _ deletes: Deletes,
        _ makeRequest: (ManagedObjectContext) throws -> RowRequest
    ) throws -> Outcome {
        var options = StoreOptions()
        options.statementHook = StatementHook { statement in
            guard statement.sql.hasPrefix("DELETE FROM") else { return }
            deletes.counts.withLock { $0.append(statement.rowCount) }
        }
        let container = try PersistentContainer(
            model: ObjectKind.generated.graph, at: .temporary, options: options)
        let context = container.newContext()
        let boxes = (0..<3).map { Box(in: context, name: "b\($0)") }
        let topics = (0..<2).map { Topic(in: context, name: "t\($0)") }
        let nodes = (0..<9).map { number in
            let node = Node(in: context, label: "n\(number)", number: Int64(number))
            node.box = boxes[number % 3]
            node.tags.insert(topics[number % 2])
            node.queue.append(topics[1])
            for part in 0..<2 { _ = Part(in: context, name: "\(number).\(part)", node: node) }
            return node
        }
        for (node, next) in zip(nodes, nodes.dropFirst()) {
            node.next = next
            next.follows.insert(node)
        }
        try context.save()
        deletes.counts.withLock { $0 = [] }
        let request = try makeRequest(context)
        var outcome = Outcome()
        try container.coordinator.store(ofRoot: request.entity.rootIndex).run(
            BatchDeletion(request: request, resultType: .count, chunkSize: chunkSize),
            by: TransactionAuthor(), attachesRows: false
        ) { changes in
            outcome.count = changes.count
            outcome.changes = describe(changes.entities ?? [])
        }
        let reader = container.newContext()
        for node in try reader.fetch(Node.fetchRequest()) {
            let links = [
                node.box?.name ?? "-", node.next?.label ?? "-", node.previous?.label ?? "-",
                node.parts.map(\.name).sorted().joined(), node.tags.map(\.name).sorted().joined(),
                node.follows.map(\.label).sorted().joined(), node.queue.map(\.name).joined(),
            ]
            outcome.rows.append("\(node.label) \(links)")
        }
        outcome.rows += try reader.fetch(Part.fetchRequest()).map(\.name)
        outcome.rows += try reader.fetch(Topic.fetchRequest()).map { topic in
            "\(topic.name) \(topic.nodes.map(\.label).sorted())"
        }
        return outcome
    }

    @Test(arguments: [1, 2, 4])
    func `rows with cascades and links are deleted in pieces`(_ chunkSize: Int) throws {
        func delete(_ chunkSize: Int, _ deletes: Deletes) throws -> Outcome {
            try self.delete(in: chunkSize, deletes) { context in
                try context.fetching.rowRequest(
                    for: Node.fetchRequest().filter(Node.number % 3 != 1))
            }
        }
        let (whole, pieces) = (Deletes(), Deletes())
        let expected = try delete(10_000, whole)
        #expect(expected.count == 6 && expected.rows.count == 3 + 6 + 2)
        #expect(whole.counts.withLock { $0.contains(12) }, "the parts in one statement")
        try #expect(delete(chunkSize, pieces) == expected)
        #expect(pieces.counts.withLock { $0.reduce(0, max) } < 12)
    }

    @Test func `links that many lose are cleared in pieces`() throws {
        func delete(_ chunkSize: Int) throws -> Outcome {
            try self.delete(in: chunkSize, Deletes()) { context in
                try context.fetching.rowRequest(for: Box.fetchRequest())
            }
        }
        let expected = try delete(10_000)
        #expect(expected.rows.count { $0.contains("\"-\"") } >= 9)
        try #expect(delete(2) == expected)
    }
}
