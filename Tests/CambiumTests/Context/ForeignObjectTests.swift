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
        #expect(error?.code == .objectOfAnotherContext)
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

    @Test func `an object that is gone links to nobody`() throws {
        try withTwoContexts { context, _ in
            let (node, topic, box) = (Node(in: context), Topic(in: context), Box(in: context))
            let other = Node(in: context)
            try context.save()
            context.delete(node)
            try context.save()
            for link in [
                { node.tags.insert(topic) }, { node.queue.append(topic) }, { node.box = box },
                { node.next = other }, { node.previous = other },
            ] {
                link()
                #expect(topic.nodes.isEmpty && topic.waiting.isEmpty && box.nodes.isEmpty)
                #expect(other.previous == nil && other.next == nil)
                try expectRefusal(context)
                try context.save()
            }
        }
    }

    /// Core Data raises there.
    @Test func `changing an object that a reset forgot is refused`() throws {
        let changes: [(ManagedObjectContext, Node, Box) -> Void] = [
            { _, node, _ in node.label = "late" }, { _, node, _ in node.box = nil },
            { _, node, box in node.box = box }, { _, node, box in box.nodes.insert(node) },
            { context, node, _ in context.delete(node) },
        ]
        for change in changes {
            try withContainer(Everything.model) { container in
                let context = container.newContext()
                let (node, box) = (Node(in: context, label: "old"), Box(in: context))
                try context.save()
                context.reset()
                _ = node.label
                try context.save()
                change(context, node, box)
                try expectRefusal(context)
                try context.save()
                #expect(try context.fetch(Node.fetchRequest()).map(\.label) == ["old"])
            }
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
