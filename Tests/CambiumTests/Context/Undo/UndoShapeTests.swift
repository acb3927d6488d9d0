import Cambium
import EverythingModel
import Foundation
import Testing

/// Undo of what is not a plain value or link: orders, links in memory only, values in files.
struct UndoShapeTests {
    private func withAlbum(
        _ titles: String, _ body: (PersistentContainer, ManagedObjectContext, Album) throws -> Void
    ) throws {
        try withContainer(OrderedModel.model) { container in
            let context = container.newContext()
            let album = Album(in: context, title: "album")
            album.tracks.append(contentsOf: titles.map { Track(in: context, title: String($0)) })
            try context.save()
            context.undoManager = ContextUndoManager()
            try body(container, context, album)
        }
    }

    @Test func `an order is undone and redone`() throws {
        try withAlbum("abcd") { _, context, album in
            album.tracks.move(from: 3, to: 0)
            context.processPendingChanges()
            album.tracks.swapAt(1, 2)
            album.tracks.remove(at: 3)
            #expect(album.tracks.titles == "dba")
            context.undo()
            #expect(album.tracks.titles == "dabc")
            context.undo()
            #expect(album.tracks.titles == "abcd")
            context.redo()
            #expect(album.tracks.titles == "dabc")
            context.redo()
            #expect(album.tracks.titles == "dba")
            try context.save()
            context.refreshAllObjects()
            #expect(album.tracks.titles == "dba")
        }
    }

    @Test func `a saved order is undone by another save`() throws {
        try withAlbum("abcd") { container, context, album in
            album.tracks.sort { $0.title > $1.title }
            try context.save()
            context.undo()
            #expect(album.tracks.titles == "abcd")
            try context.save()
            let reader = container.newContext()
            let copy: Album = try reader.get(album.objectID)
            #expect(copy.tracks.titles == "abcd")
        }
    }

    /// A place that another context gave a member, in a list that this one has said of a member
    /// that it is in it.
    @Test(arguments: [false, true])
    func `a member comes back to the place that another context gave it`(_ repeats: Bool) throws {
        try withAlbum("a") { container, context, album in
            let track = Track(in: context, title: "b")
            try context.save()
            if repeats { album.tracks.first?.album = album }
            let other = container.newContext()
            let same: Album = try other.get(album.objectID)
            same.tracks.insert(try other.get(track.objectID), at: 0)
            try other.save()
            context.mergePending()
            context.undoManager?.removeAllActions()
            track.album = nil
            context.undo()
            #expect(album.tracks.titles == "ba")
            try context.save()
            context.refreshAllObjects()
            #expect(album.tracks.titles == "ba")
        }
    }

    /// A list that nobody has read is read for the undo while the member is in it.
    @Test(arguments: [false, true])
    func `a deleted member comes back to its place in a list`(_ isRegistered: Bool) throws {
        try withContainer(Everything.model) { container in
            let maker = container.newContext()
            let node = Node(in: maker)
            let topics = (0..<3).map { _ in Topic(in: maker) }
            node.queue.append(contentsOf: topics)
            let owner = Topic(in: maker)
            let boxes = (0..<3).map { Box(in: maker, name: "\($0)") }
            owner.boxes.append(contentsOf: boxes)
            try maker.save()
            let context = container.newContext()
            context.undoManager = ContextUndoManager()
            let held: [ManagedObject] =
                isRegistered
                ? [try context.get(node.objectID), try context.get(owner.objectID)] : []
            context.delete(context.object(with: topics[0].objectID))
            context.delete(context.object(with: boxes[1].objectID))
            context.undo()
            let same: Node = try context.get(node.objectID)
            #expect(same.queue.map(\.objectID) == topics.map(\.objectID))
            let sameOwner: Topic = try context.get(owner.objectID)
            #expect(sameOwner.boxes.map(\.name) == ["0", "1", "2"])
            #expect(!context.hasChanges)
            withExtendedLifetime(held) {}
        }
    }

    @Test(arguments: [false, true])
    func `the list of a deleted owner comes back in its order`(_ saves: Bool) throws {
        try withAlbum("abcd") { container, context, album in
            album.tracks.move(from: 3, to: 0)
            try context.save()
            context.delete(album)
            if saves { try context.save() } else { context.processPendingChanges() }
            context.undo()
            #expect(album.tracks.titles == "dabc")
            try context.save()
            let reader = container.newContext()
            let copy: Album = try reader.get(album.objectID)
            #expect(copy.tracks.titles == "dabc")
        }
    }

    @Test func `links that are in memory only are undone on both sides`() throws {
        try withContainer(Widened.model) { container in
            let context = container.newContext()
            let (ann, bob, cid) = (
                context.makeCustomer("Ann"), context.makeCustomer("Bob"),
                context.makeCustomer("Cid")
            )
            ann.partner = bob
            ann.guided.insert(cid)
            try context.save()
            context.undoManager = ContextUndoManager()
            ann.partner = cid
            ann.guided.remove(cid)
            ann.guided.insert(bob)
            context.undo()
            #expect(ann.partner === bob && bob.partner === ann && cid.partner == nil)
            #expect(Set(ann.guided) == [cid])
            #expect(bob.guide == nil && cid.guide === ann)
            context.redo()
            #expect(ann.partner === cid && bob.partner == nil)
            #expect(Set(ann.guided) == [bob])
        }
    }

    @Test func `a value in a file comes back, though the file is gone`() throws {
        try withContainer(Widened.model, on: .lasting) { container in
            let context = container.newContext()
            let large = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
            let customer = context.makeCustomer("Ann")
            customer.photo = large
            try context.save()
            context.undoManager = ContextUndoManager()
            customer.photo = nil
            try context.save()
            context.delete(customer)
            try context.save()
            context.undo()
            #expect(customer.photo == nil)
            context.undo()
            #expect(customer.photo == large)
            try context.save()
            let reader = container.newContext()
            let copy: Customer = try reader.get(customer.objectID)
            #expect(copy.photo == large)
        }
    }
}
