import Cambium
import Testing

/// Lists of every shape: many-to-many, ordered at both ends, without an inverse, within one entity,
/// of a hierarchy.
struct OrderedShapeTests {
    private func withContext(_ body: (ManagedObjectContext) throws -> Void) throws {
        try withContainer(OrderedModel.model) { try body($0.newContext()) }
    }

    @Test func `a many-to-many keeps the order at its ordered end`() throws {
        try withContext { context in
            let album = Album(in: context)
            let moods = ["a", "b", "c"].map { Mood(in: context, name: $0) }
            album.moods.append(contentsOf: moods)
            try context.save()
            album.moods.insert(Mood(in: context, name: "x"), at: 1)
            album.moods.remove(moods[2])
            try context.save()
            context.refreshAllObjects()
            #expect(album.moods.map(\.name) == ["a", "x", "b"])
            #expect(Array(moods[2].albums).isEmpty)
            #expect(Array(moods[0].albums) == [album])
        }
    }

    @Test func `a link that is made from the other end comes last`() throws {
        try withContext { context in
            let album = Album(in: context)
            album.moods.append(Mood(in: context, name: "a"))
            try context.save()
            context.refreshAllObjects()
            Mood(in: context, name: "b").albums.insert(album)
            try context.save()
            context.refreshAllObjects()
            #expect(album.moods.map(\.name) == ["a", "b"])
        }
    }

    @Test func `a link that is there already does not move when it is made again`() throws {
        try withContext { context in
            let album = Album(in: context)
            let moods = ["a", "b"].map { Mood(in: context, name: $0) }
            album.moods.append(contentsOf: moods)
            try context.save()
            context.refreshAllObjects()
            moods[0].albums.insert(album)
            #expect(album.moods.map(\.name) == ["a", "b"])
            try context.save()
            context.refreshAllObjects()
            #expect(album.moods.map(\.name) == ["a", "b"])
        }
    }

    @Test func `both ends of a many-to-many have orders of their own`() throws {
        try withContext { context in
            let albums = ["1", "2", "3"].map { Album(in: context, title: $0) }
            let guests = ["a", "b", "c"].map { Guest(in: context, name: $0) }
            for album in albums { album.guests.append(contentsOf: guests) }
            try context.save()
            albums[1].guests.move(from: 2, to: 0)
            guests[0].albums.sort { $0.title > $1.title }
            try context.save()
            context.refreshAllObjects()
            #expect(albums.map { $0.guests.map(\.name).joined() } == ["abc", "cab", "abc"])
            #expect(guests.map { $0.albums.map(\.title).joined() } == ["321", "123", "123"])
        }
    }

    @Test func `a list without an inverse keeps its order`() throws {
        try withContext { context in
            let album = Album(in: context)
            let tracks = "abc".map { Track(in: context, title: String($0)) }
            album.favourites.append(contentsOf: tracks.reversed())
            try context.save()
            album.favourites.swapAt(0, 2)
            try context.save()
            context.refreshAllObjects()
            #expect(album.favourites.titles == "abc")
            #expect(tracks.allSatisfy { $0.album == nil })
        }
    }

    @Test func `a transient list has an order, which a save leaves alone`() throws {
        try withContext { context in
            let album = Album(in: context)
            let tracks = "abcd".map { Track(in: context, title: String($0)) }
            album.queue.append(contentsOf: tracks)
            album.queue.move(from: 3, to: 1)
            album.queue.remove(tracks[0])
            album.queue.append(tracks[0])
            #expect(album.queue.titles == "dbca")
            try context.save()
            album.queue.swapAt(0, 1)
            #expect(album.queue.titles == "bdca")
        }
    }

    @Test func `an object may be in its own list`() throws {
        try withContext { context in
            let album = Album(in: context, title: "o")
            let others = ["a", "b"].map { Album(in: context, title: $0) }
            album.sequels.append(contentsOf: [others[0], album, others[1]])
            album.related.append(contentsOf: [others[1], album])
            try context.save()
            album.sequels.move(from: 2, to: 0)
            album.related.move(from: 1, to: 0)
            try context.save()
            context.refreshAllObjects()
            #expect(album.sequels.map(\.title) == ["b", "a", "o"])
            #expect(album.prequel === album)
            #expect(album.related.map(\.title) == ["o", "b"])
            #expect(Array(others[1].relatedFrom) == [album])
        }
    }

    @Test func `a list of a hierarchy has objects of each class`() throws {
        try withContext { context in
            let shelf = Shelf(in: context)
            shelf.holdings.append(Disc(in: context, name: "a"))
            shelf.holdings.append(Volume(in: context, name: "b"))
            shelf.holdings.insert(Volume(in: context, name: "c"), at: 0)
            try context.save()
            context.refreshAllObjects()
            let other = try #require(context.fetch(Shelf.fetchRequest()).first)
            #expect(other.holdings.map(\.name) == ["c", "a", "b"])
            #expect(other.holdings.map { $0 is Disc } == [false, true, false])
        }
    }

    @Test func `deleting the owner deletes a cascade's list`() throws {
        try withContext { context in
            let shelf = Shelf(in: context)
            for name in ["a", "b"] { shelf.holdings.append(Volume(in: context, name: name)) }
            try context.save()
            context.delete(shelf)
            try context.save()
            #expect(try context.count(for: Holding.fetchRequest()) == 0)
        }
    }

    @Test func `deleting the owner lets the members of other lists go`() throws {
        try withContext { context in
            let album = Album(in: context)
            let guest = Guest(in: context)
            let track = Track(in: context)
            album.guests.append(guest)
            album.tracks.append(track)
            try context.save()
            context.delete(album)
            try context.save()
            #expect(track.album == nil)
            #expect(guest.albums.isEmpty)
        }
    }

    @Test func `the greatest number of objects holds for lists`() throws {
        try withContext { context in
            let shelf = Shelf(in: context)
            for name in ["a", "b", "c", "d"] {
                shelf.holdings.append(Volume(in: context, name: name))
            }
            let error = try #require(throws: ValidationError.self) { try context.save() }
            #expect(error.code == .tooMany)
        }
    }
}
