@_spi(Generated) import Cambium
import Testing

/// A list in another order is a change of the object that has it, and nothing else is.
struct ListOrderTests {
    private static let title = Key<Album, String>("title")

    private func withController(
        _ body: (ManagedObjectContext, Album, MirrorDelegate<Album>, PersistentContainer) throws ->
            Void
    ) throws {
        try withContainer(OrderedModel.model) { container in
            let context = container.newContext()
            let albums = ["A", "B"].map { Album(in: context, title: $0) }
            for album in albums {
                let tracks = "abc".map { Track(in: context, title: String($0)) }
                album.tracks.append(contentsOf: tracks)
                album.moods.append(contentsOf: ["x", "y"].map { Mood(in: context, name: $0) })
            }
            try context.save()
            let controller = FetchedResultsController(
                FetchRequest<Album>().sorted(by: Self.title), in: context)
            try controller.performFetch()
            let delegate = MirrorDelegate(controller)
            controller.delegate = delegate
            try body(context, albums[0], delegate, container)
            #expect(delegate.faults == [])
        }
    }

    @Test func `a new order is an update of its object`() throws {
        try withController { context, album, delegate, _ in
            album.tracks.move(from: 0, to: 2)
            context.processPendingChanges()
            #expect(delegate.words(\.title) == ["update A"])
            delegate.forget()
            album.moods.swapAt(0, 1)
            context.processPendingChanges()
            #expect(delegate.words(\.title) == ["update A"])
            delegate.forget()
            try context.save()
            #expect(delegate.words(\.title) == [])
        }
    }

    @Test func `a new order that another context saved is an update of its object`() throws {
        try withController { context, album, delegate, container in
            let other = container.newContext()
            let same: Album = try other.get(album.objectID)
            same.tracks.swapAt(0, 2)
            try other.save()
            context.mergePending()
            #expect(album.tracks.titles == "cba")
            #expect(delegate.words(\.title) == ["update A"])
            delegate.forget()
            same.moods.swapAt(0, 1)
            try other.save()
            context.mergePending()
            #expect(album.moods.map(\.name) == ["y", "x"])
            #expect(delegate.words(\.title) == ["update A"])
        }
    }
}
