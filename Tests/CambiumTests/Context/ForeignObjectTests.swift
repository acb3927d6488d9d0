import Cambium
import EverythingModel
import Testing

/// Objects of another context are refused by the next save.
struct ForeignObjectTests {
    private func withTwoContexts(
        _ body: (ManagedObjectContext, ManagedObjectContext) throws -> Void
    ) throws {
        try withContainer(Everything.model) { container in
            try body(container.newContext(), container.newContext())
        }
    }

    private func expectRefusal(_ context: ManagedObjectContext) throws {
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.code == .foreignObject)
    }

    @Test func `a to-one to an object of another context is refused`() throws {
        try withTwoContexts { context, other in
            let node = Node(in: context)
            node.box = Box(in: other)
            #expect(node.box == nil)
            try expectRefusal(context)
        }
    }

    @Test func `a member of another context is refused`() throws {
        try withTwoContexts { context, other in
            Box(in: context).nodes.insert(Node(in: other))
            try expectRefusal(context)
            Topic(in: context).nodes.insert(Node(in: other))
            try expectRefusal(context)
        }
    }

    @Test func `deleting an object of another context is refused`() throws {
        try withTwoContexts { context, other in
            let node = Node(in: other)
            context.delete(node)
            #expect(!node.isDeleted)
            try expectRefusal(context)
            try other.save()
        }
    }

    @Test func `refreshing an object of another context is refused`() throws {
        try withTwoContexts { context, other in
            context.refresh(Node(in: other), mergeChanges: false)
            try expectRefusal(context)
        }
    }
}
