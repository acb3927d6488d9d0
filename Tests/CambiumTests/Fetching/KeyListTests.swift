import Cambium
import EverythingModel
import Testing

/// A fetch of many objects by their ids alone looks the rows up in the order of their keys, or walks
/// along the table where the keys lie close together. It finds what any other condition would.
@Suite struct KeyListTests {
    private func withNodes(
        _ body: (ManagedObjectContext, [Node], [ObjectID]) throws -> Void
    ) throws {
        try withContainer(Everything.model) { container in
            let maker = container.newContext()
            for number in 0..<200 { _ = Node(in: maker, label: "node \(number)") }
            try maker.save()
            let context = container.newContext()
            let nodes = try context.fetch(Node.fetchRequest())
            try body(context, nodes, nodes.map(\.objectID))
        }
    }

    @Test func `ids in any order, twice, and of rows that are gone find each object once`() throws {
        try withNodes { context, nodes, ids in
            let gone = nodes[7]
            context.delete(gone)
            try context.save()
            let wanted = Array(ids[..<100].reversed()) + ids[50..<120]
            let found = try context.fetch(Node.fetchRequest().filter(.in(wanted)))
            #expect(found.map(\.objectID) == ids[..<120].filter { $0 != gone.objectID })
        }
    }

    @Test(arguments: [1, 2, 3, 5])
    func `ids that lie apart find theirs and none between`(_ distance: Int) throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let nodes = (0..<400).map { Node(in: context, label: "node \($0)") }
            try context.save()
            let wanted = stride(from: 0, to: 400, by: distance).map { nodes[$0] }
            let ids = (wanted + wanted[10..<40]).reversed().map(\.objectID)
            let found = try container.newContext().fetch(Node.fetchRequest().filter(.in(ids)))
            #expect(found.map(\.label) == wanted.map(\.label))
        }
    }

    @Test func `with more than the ids the rest counts too`() throws {
        try withNodes { context, nodes, ids in
            let request = Node.fetchRequest().filter(.in(ids) && Node.label == "node 3")
            let one = try context.fetch(request)
            #expect(one == [nodes[3]])
            let last = Node.fetchRequest().filter(.in(ids))
                .sorted(by: Node.label.descending).limit(2)
            let two = try context.fetch(last)
            #expect(two == [nodes[99], nodes[98]])
            let count = try context.count(for: Node.fetchRequest().filter(.in(ids)))
            #expect(count == 200)
        }
    }

    @Test func `what is not saved counts`() throws {
        try withNodes { context, nodes, ids in
            let new = Node(in: context, label: "new")
            context.delete(nodes[0])
            let found = try context.fetch(Node.fetchRequest().filter(.in(ids + [new.objectID])))
            #expect(Set(found) == Set(nodes.dropFirst() + [new]))
        }
    }

    @Test func `ids of others in the hierarchy are none of the entity`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let robots = (0..<80).map { Robot(in: context, name: "robot", serial: "\($0)") }
            let people = (0..<80).map { Person(in: context, name: "person \($0)") }
            try context.save()
            let ids = (robots as [ManagedObject] + people).map(\.objectID)
            let found = try context.fetch(Robot.fetchRequest().filter(.in(ids)))
            #expect(Set(found) == Set(robots))
        }
    }
}
