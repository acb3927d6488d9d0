import Cambium
import EverythingModel
import Testing

/// Looking at relationships without reading what they lead to.
struct RelationshipFaultTests {
    private func withReader(
        _ body: (ManagedObjectContext, _ node: Node, _ box: ObjectID, _ tag: ObjectID) throws ->
            Void
    ) throws {
        try withContainer(Everything.model) { container in
            let writer = container.newContext()
            let (box, tag) = (Box(in: writer), Topic(in: writer))
            let node = Node(in: writer, box: box)
            node.tags.insert(tag)
            try writer.save()
            let reader = container.newContext()
            try body(reader, reader.get(node.objectID), box.objectID, tag.objectID)
        }
    }

    @Test func `a relationship tells whether using it would read`() throws {
        try withReader { context, node, _, _ in
            let wasFault = try node.hasFault(forRelationship: "box")
            #expect(wasFault)
            #expect(try node.hasFault(forRelationship: "tags"))
            #expect(node.isFault)
            #expect(node.faultingState != 0)
            _ = node.label
            #expect(node.faultingState == 0)
            #expect(try !node.hasFault(forRelationship: "box"))
            #expect(try node.hasFault(forRelationship: "tags"))
            _ = node.tags.count
            #expect(try !node.hasFault(forRelationship: "tags"))
            #expect(try !Node(in: context).hasFault(forRelationship: "tags"))
            #expect(throws: StoreError.self) { try node.hasFault(forRelationship: "label") }
        }
    }

    @Test func `ids of related objects come without objects`() throws {
        try withReader { context, node, box, tag in
            let boxes = try node.objectIDs(forRelationship: "box")
            let tags = try node.objectIDs(forRelationship: "tags")
            #expect((boxes, tags) == ([box], [tag]))
            #expect(context.registeredObjects == [node])
            #expect(try node.hasFault(forRelationship: "tags"))
            let topic = Topic(in: context)
            node.tags.insert(topic)
            node.box = nil
            #expect(try node.objectIDs(forRelationship: "tags") == [tag, topic.objectID])
            #expect(try node.objectIDs(forRelationship: "box").isEmpty)
            #expect(throws: StoreError.self) { try node.objectIDs(forRelationship: "label") }
        }
    }

    @Test func `ids of a list come in its order`() throws {
        try withContainer(OrderedModel.model) { container in
            let context = container.newContext()
            let album = Album(in: context, title: "album")
            let tracks = "abc".map { Track(in: context, title: String($0)) }
            album.tracks.append(contentsOf: tracks.reversed())
            try context.save()
            let reader = container.newContext()
            let copy: Album = try reader.get(album.objectID)
            let ids = try copy.objectIDs(forRelationship: "tracks")
            #expect(ids == tracks.reversed().map(\.objectID))
        }
    }
}
