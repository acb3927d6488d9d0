import Cambium
import EverythingModel
import Testing

/// A child's fetches without its pending changes: what is saved for it is what its parent has.
struct ChildPendingChangesTests {
    /// Nodes 1 and 2 are saved, 3 is the parent's and 4 the child's; the parent has made 2 a 5 and
    /// the child 1 a 6.
    private func withNumbers(
        on kind: StoreKind = .current,
        _ body: (_ child: ManagedObjectContext, FetchRequest<Node>) throws -> Void
    ) throws {
        try withContainer(Everything.model, on: kind) { container in
            let parent = container.newContext()
            let nodes = (1...2).map { Node(in: parent, label: "\($0)", number: Int64($0)) }
            try parent.save()
            nodes[1].number = 5
            _ = Node(in: parent, label: "3", number: 3)
            let child = parent.newChildContext()
            try child.get(nodes[0].objectID, as: Node.self).number = 6
            _ = Node(in: child, label: "4", number: 4)
            var request = Node.fetchRequest().sorted(by: Node.number)
            request.includesPendingChanges = false
            try body(child, request)
        }
    }

    @Test(arguments: StoreKind.kinds)
    func `all kinds of results go by what the parent has`(_ kind: StoreKind) throws {
        try withNumbers(on: kind) { child, request in
            // In the order of the parent's values, though the objects show the child's.
            let found = try child.fetch(request)
            #expect(found.map(\.label) == ["1", "3", "2"])
            #expect(found.map(\.number) == [6, 3, 5])
            #expect(try child.fetch(request.ids) == found.map(\.objectID))
            #expect(try child.count(for: request) == 3)
            let numbers: [Int64?] = try child.fetch(request.select(Node.number))
            #expect(numbers == [1, 3, 5])
            let sums: [Int?] = try child.fetch(request.select(Node.number.sum))
            #expect(sums == [9])
            #expect(try child.fetchInBatches(request).map(\.label) == ["1", "3", "2"])
            let large = request.filter(Node.number > 2)
            #expect(try child.fetch(large).map(\.label) == ["3", "2"])
            #expect(try child.fetch(large.offset(1).limit(1)).map(\.label) == ["2"])
        }
    }

    @Test func `what the parent has deleted is not there, what the child has deleted is`() throws {
        try withNumbers { child, request in
            let parent = try #require(child.parent)
            let first = try #require(
                try parent.fetch(Node.fetchRequest().filter(Node.label == "1")).first)
            child.delete(try child.get(first.objectID))
            #expect(try child.count(for: request) == 3)
            parent.delete(first)
            #expect(try child.count(for: request) == 2)
        }
    }

    @Test func `a grandchild goes by what the child has`() throws {
        try withNumbers { child, request in
            let grandchild = child.newChildContext()
            _ = Node(in: grandchild, label: "new", number: 0)
            let found = try grandchild.fetch(request)
            #expect(found.map(\.label) == ["3", "4", "2", "1"])
        }
    }

    @Test func `after a save of the child its changes are what the parent has`() throws {
        try withNumbers { child, request in
            try child.save()
            #expect(try child.fetch(request).map(\.label) == ["3", "4", "2", "1"])
        }
    }
}
