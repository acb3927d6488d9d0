@testable import Cambium
import EverythingModel
import Testing

struct IDRequestTests {
    private func withNodes(
        on kind: StoreKind = .lasting,
        _ body: (PersistentContainer, [ObjectID], String) throws -> Void
    ) throws {
        try withStoreFile { path in
            let container = try makeContainer(Everything.model, on: kind, path: path)
            let writer = container.newContext()
            let nodes = (0..<5).map { Node(in: writer, label: "n", number: Int64($0)) }
            try writer.save()
            try body(container, nodes.map(\.objectID), path)
        }
    }

    @Test func `unsaved changes count, and sort with the others`() throws {
        try withNodes { container, ids, _ in
            let context = container.newContext()
            let new = Node(in: context, label: "n", number: 2)
            try context.delete(context.existingObject(with: ids[1]))
            let request = Node.fetchRequest().sorted(by: Node.number).ids
            try #expect(context.fetch(request) == [ids[0], ids[2], new.objectID, ids[3], ids[4]])
        }
    }

    @Test func `faults of ids that were fetched need no statement`() throws {
        try withNodes { container, _, _ in
            let context = container.newContext()
            let ids = try context.fetch(Node.fetchRequest().ids)
            let (labels, report) = context.reads {
                ids.map { context.object(with: $0) }.compactMap { ($0 as? Node)?.label }
            }
            #expect(labels.count == 5)
            #expect(report.count == 0, "\(report)")
        }
    }

    @Test(arguments: [true, false])
    func `a fetch of ids brings the row cache up to date`(_ readsValues: Bool) throws {
        try withNodes { container, ids, path in
            let context = container.newContext()
            let node: Node = try context.get(ids[0])
            #expect(node.label == "n")
            context.refresh(node, mergeChanges: false)
            try execute(
                #"UPDATE "Node" SET "label" = 'outside', "_version" = "_version" + 1"#, in: path)
            var request = Node.fetchRequest()
            request.includesPropertyValues = readsValues
            _ = try container.newContext().fetch(request.ids)
            #expect(node.label == "outside")
        }
    }

    @Test func `a fetch without values gives faults`() throws {
        try withNodes { container, ids, _ in
            let context = container.newContext()
            var request = Node.fetchRequest().sorted(by: Node.number)
            request.includesPropertyValues = false
            let bare = try context.fetch(request)
            #expect(bare.map(\.objectID) == ids)
            #expect(bare.allSatisfy { $0.isFault })
            #expect(bare[3].number == 3)
        }
    }

    @Test func `a fetch of faults leaves the values in the row cache`() throws {
        try withNodes { container, _, _ in
            let context = container.newContext()
            var request = Node.fetchRequest().sorted(by: Node.number)
            request.returnsObjectsAsFaults = true
            let faults = try context.fetch(request)
            #expect(faults.allSatisfy { $0.isFault })
            let (numbers, report) = context.reads { faults.map(\.number) }
            #expect(numbers == [0, 1, 2, 3, 4])
            #expect(report.count == 0)
        }
    }

    @Test func `only the stores that are named are asked`() throws {
        try withNodes { container, _, _ in
            let context = container.newContext()
            let other = try PersistentContainer(model: Everything.model, at: .temporary)
            var request = Node.fetchRequest()
            request.affectedStores = other.coordinator.persistentStores
            try #expect(context.fetch(request).isEmpty)
            try #expect(context.count(for: request) == 0)
            try #expect(context.fetch(request.ids).isEmpty)
            try #expect(context.fetch(request.select(Node.objectID.count)) == [0])
            request.affectedStores = container.coordinator.persistentStores
            try #expect(context.fetch(request.count) == 5)
        }
    }
}
