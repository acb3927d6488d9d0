import Cambium
import EverythingModel
import Testing

private typealias Node = Seen<EverythingModel.Node>
private typealias Box = Seen<EverythingModel.Box>
private typealias Topic = Seen<EverythingModel.Topic>

/// What a context sees of the saves of others.
@Suite(.bothKinds) struct SiblingTests {
    private func withSiblings(
        merging: Bool = true,
        _ body: (ManagedObjectContext, Node, ManagedObjectContext, Node) throws -> Void
    ) throws {
        try withContainer(ObjectKind.current.everything) { container in
            let (first, second) = (container.newContext(), container.newContext())
            second.automaticallyMergesChangesFromParent = merging
            let node = Node(in: first, label: "base", number: 1)
            try first.save()
            let same: Node = try second.get(node.objectID)
            #expect(same.label == "base")
            try body(first, node, second, same)
        }
    }

    @Test func `contexts made by hand do not merge by themselves`() throws {
        try withSiblings(merging: false) { first, node, second, same in
            node.label = "theirs"
            try first.save()
            _ = try second.see(Node.fetchRequest())
            #expect(same.label == "base")
            second.mergePending()
            #expect(same.label == "theirs")
        }
    }

    @Test func `a fetch takes over what others saved`() throws {
        try withSiblings { first, node, second, same in
            node.label = "theirs"
            try first.save()
            #expect(same.label == "base")
            _ = try second.countSeen(Box.fetchRequest())
            #expect(same.label == "theirs")
        }
    }

    @Test func `a save takes over what others saved, and meets no conflict then`() throws {
        try withSiblings { first, node, second, same in
            node.label = "theirs"
            try first.save()
            same.number = 2
            try second.save()
            #expect(same.label == "theirs")
            #expect(same.number == 2)
        }
    }

    @Test func `what was set to what it was yields to what is merged`() throws {
        try withSiblings { first, node, second, same in
            let (box, other) = (Box(in: first), Box(in: first))
            node.box = box
            try first.save()
            second.mergePending()
            same.label = "ours"
            same.box = same.box
            node.box = other
            try first.save()
            second.mergePending()
            #expect(same.label == "ours")
            #expect(same.box?.objectID == other.objectID)
            #expect(same.box?.nodes.contains(same) == true)
            #expect(second.invariantFaults() == [])
        }
    }

    @Test func `a link that is saved beside an old row brings nobody that row`() throws {
        try withSiblings(merging: false) { first, node, second, same in
            let topic = Topic(in: second)
            try second.save()
            node.label = "new"
            try first.save()
            first.refresh(node, mergeChanges: false)
            // The row is as it was when it was read.
            same.tags.insert(topic)
            try second.save()
            #expect(same.label == "base")
            first.mergePending()
            #expect(node.label == "new")
            #expect(node.tags.map(\.objectID) == [topic.objectID])
        }
    }

    @Test func `rule 38: unsaved changes stay on top of what is merged`() throws {
        try withSiblings { first, node, second, same in
            same.label = "ours"
            node.label = "theirs"
            node.number = 2
            try first.save()
            second.mergePending()
            #expect(same.label == "ours")
            #expect(same.number == 2)
            #expect(same.changedValues() == ["label": .value(.string("ours"))])
            try second.save()
            #expect(same.label == "ours")
        }
    }

    @Test func `rule 53: an object that another one deleted can be read by who holds it`() throws {
        try withSiblings { first, node, second, same in
            first.delete(node)
            try first.save()
            second.mergePending()
            #expect(same.isDeleted)
            #expect(!same.isFault)
            #expect(same.label == "base")
            #expect(try second.see(Node.fetchRequest()).isEmpty)
            #expect(second.registeredObject(for: node.objectID) == nil)
            try second.save()
        }
    }

    @Test func `relationships follow what others saved`() throws {
        try withSiblings { first, node, second, same in
            let topic = Topic(in: first)
            let box = Box(in: first)
            try first.save()
            let sameBox: Box = try second.get(box.objectID)
            #expect(sameBox.nodes.isEmpty)
            #expect(same.tags.isEmpty)
            node.box = box
            node.tags.insert(topic)
            try first.save()
            second.mergePending()
            #expect(Array(sameBox.nodes) == [same])
            #expect(same.box === sameBox)
            #expect(same.tags.count == 1)
            first.delete(node)
            try first.save()
            second.mergePending()
            #expect(sameBox.nodes.isEmpty)
        }
    }

    @Test func `an object that was moved here stays here when another one moves it elsewhere`()
        throws
    {
        try withSiblings { first, node, second, same in
            let boxes = [Box(in: first), Box(in: first)]
            try first.save()
            let sameBoxes: [Box] = try boxes.map { try second.get($0.objectID) }
            same.box = sameBoxes[0]
            node.box = boxes[1]
            try first.save()
            second.mergePending()
            #expect(same.box === sameBoxes[0])
            #expect(sameBoxes.map(\.nodes.count) == [1, 0])
            try second.save()
            #expect(sameBoxes.map(\.nodes.count) == [1, 0])
            first.mergePending()
            #expect(boxes.map(\.nodes.count) == [1, 0])
        }
    }

    @Test func `a context that was asked too late reads everything anew`() throws {
        try withSiblings(merging: false) { first, node, second, same in
            for number in 0..<400 {
                node.number = Int64(number)
                try first.save()
            }
            second.mergePending()
            #expect(same.number == 399)
        }
    }

    @Test @MainActor func `the view context and background contexts merge by themselves`()
        async throws
    {
        try await withContainer(ObjectKind.current.everything) { container in
            let view = container.viewContext
            let node = Node(in: view, label: "view")
            try view.save()
            let id = node.objectID
            let background = container.newBackgroundContext()
            try await background.perform { context in
                try context.get(id, as: Node.self).label = "background"
                try context.save()
            }
            try await eventually { node.label == "background" }
            #expect(node.label == "background")
            node.label = "view again"
            try view.save()
            let read = try await background.perform { try $0.get(id, as: Node.self).label }
            #expect(read == "view again")
        }
    }
}
