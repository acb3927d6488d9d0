import Cambium
import Testing

/// Rule 35, and what a list does in memory before and after a save.
struct OrderedToManyTests {
    private func withAlbum(
        _ titles: String, _ body: (ManagedObjectContext, Album) throws -> Void
    ) throws {
        try withContainer(OrderedModel.model) { container in
            let context = container.newContext()
            let album = Album(in: context, title: "album")
            album.tracks.append(contentsOf: titles.map { Track(in: context, title: String($0)) })
            try context.save()
            try body(context, album)
        }
    }

    /// The list now, and as the store has it after a save.
    private func expect(
        _ titles: String, in album: Album, _ context: ManagedObjectContext,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(album.tracks.titles == titles, sourceLocation: sourceLocation)
        try context.save()
        #expect(album.tracks.titles == titles, sourceLocation: sourceLocation)
        context.refreshAllObjects()
        #expect(album.tracks.titles == titles, sourceLocation: sourceLocation)
    }

    @Test func `rule 35: the order survives a save and a refetch`() throws {
        try withAlbum("") { context, album in
            let tracks = "abc".map { Track(in: context, title: String($0)) }
            album.tracks.append(contentsOf: tracks.reversed())
            try expect("cba", in: album, context)
        }
    }

    @Test func `a track that is told its album comes last`() throws {
        try withAlbum("ab") { context, album in
            Track(in: context, title: "c").album = album
            try expect("abc", in: album, context)
        }
    }

    @Test func `an object is inserted in the middle, at the front, at the end`() throws {
        try withAlbum("ab") { context, album in
            album.tracks.insert(Track(in: context, title: "x"), at: 1)
            album.tracks.insert(Track(in: context, title: "y"), at: 0)
            album.tracks.insert(Track(in: context, title: "z"), at: 4)
            try expect("yaxbz", in: album, context)
        }
    }

    @Test func `inserting an object that is there moves it`() throws {
        try withAlbum("abcd") { context, album in
            album.tracks.insert(album.tracks[3], at: 1)
            try expect("adbc", in: album, context)
            album.tracks.insert(album.tracks[0], at: 4)
            try expect("dbca", in: album, context)
        }
    }

    @Test func `appending an object that is there leaves it where it is`() throws {
        try withAlbum("abc") { context, album in
            album.tracks.append(album.tracks[0])
            try expect("abc", in: album, context)
        }
    }

    @Test func `an object that was taken out and appended again is the last`() throws {
        try withAlbum("abc") { context, album in
            let first = album.tracks.remove(at: 0)
            #expect(first.album == nil)
            album.tracks.append(first)
            try expect("bca", in: album, context)
        }
    }

    @Test func `objects are moved one by one`() throws {
        try withAlbum("abcde") { context, album in
            album.tracks.move(from: 0, to: 3)
            #expect(album.tracks.titles == "bcdae")
            album.tracks.move(from: 4, to: 0)
            #expect(album.tracks.titles == "ebcda")
            album.tracks.move(from: 1, to: 4)
            try expect("ecdab", in: album, context)
        }
    }

    @Test func `objects are moved together, as a list on the screen reports it`() throws {
        try withAlbum("abcdef") { context, album in
            album.tracks.move(fromOffsets: [0, 2, 4], toOffset: 4)
            try expect("bdacef", in: album, context)
        }
    }

    @Test func `two objects exchange their places`() throws {
        try withAlbum("abcd") { context, album in
            album.tracks.swapAt(0, 3)
            try expect("dbca", in: album, context)
        }
    }

    @Test func `a list is sorted`() throws {
        try withAlbum("dbca") { context, album in
            album.tracks.sort { $0.title < $1.title }
            try expect("abcd", in: album, context)
        }
    }

    @Test func `a list is replaced, and who is not in it any more lets go`() throws {
        try withAlbum("abc") { context, album in
            let (a, b, c) = (album.tracks[0], album.tracks[1], album.tracks[2])
            let new = Track(in: context, title: "n")
            album.tracks.replace(with: [c, new, a, c])
            #expect(b.album == nil)
            #expect(new.album === album)
            try expect("cna", in: album, context)
        }
    }

    @Test func `all are taken out`() throws {
        try withAlbum("abc") { context, album in
            let tracks = Array(album.tracks)
            album.tracks.removeAll()
            #expect(tracks.allSatisfy { $0.album == nil })
            try expect("", in: album, context)
        }
    }

    @Test func `a list can be asked where an object is`() throws {
        try withAlbum("abc") { context, album in
            let (last, other) = (album.tracks[2], Track(in: context, title: "x"))
            #expect(album.tracks.index(of: last) == 2)
            #expect(album.tracks.firstIndex(of: last) == 2)
            #expect(album.tracks.contains(last))
            #expect(album.tracks.index(of: other) == nil)
            #expect(!album.tracks.contains(other))
            #expect(album.tracks.first?.title == "a")
            #expect(album.tracks.last === last)
            #expect(album.tracks.count == 3)
        }
    }

    @Test func `an object that goes to another list leaves its own`() throws {
        try withAlbum("abc") { context, album in
            let other = Album(in: context, title: "other")
            other.tracks.append(Track(in: context, title: "x"))
            let moved = album.tracks[1]
            other.tracks.insert(moved, at: 0)
            #expect(moved.album === other)
            #expect(other.tracks.titles == "bx")
            try expect("ac", in: album, context)
            #expect(other.tracks.titles == "bx")
        }
    }

    @Test func `a deleted object leaves the list`() throws {
        try withAlbum("abc") { context, album in
            context.delete(album.tracks[1])
            context.processPendingChanges()
            try expect("ac", in: album, context)
        }
    }

    @Test func `the objects of a list that was read are faults`() throws {
        try withAlbum("abc") { context, album in
            context.refreshAllObjects()
            let track = album.tracks[1]
            #expect(track.isFault)
            #expect(track.title == "b")
        }
    }

    @Test func `going through a list reads its objects together`() throws {
        try withAlbum("abc") { context, album in
            context.refreshAllObjects()
            var iterator = album.tracks.makeIterator()
            let first = iterator.next()
            #expect(first?.isFault == false)
            #expect(album.tracks[2].isFault == false)
        }
    }

    @Test func `a rollback brings the order back`() throws {
        try withAlbum("abcd") { context, album in
            album.tracks.move(from: 0, to: 2)
            album.tracks.append(Track(in: context, title: "x"))
            album.tracks.remove(at: 0)
            context.rollback()
            try expect("abcd", in: album, context)
        }
    }

    @Test func `a refresh takes back where members were put`() throws {
        try withAlbum("abcd") { context, album in
            album.tracks.move(from: 0, to: 2)
            context.refresh(album, mergeChanges: false)
            #expect(!album.hasChanges)
            try expect("abcd", in: album, context)
        }
    }

    @Test func `a refresh that merges keeps where members were put`() throws {
        try withAlbum("abcd") { context, album in
            album.tracks.move(from: 0, to: 2)
            context.refresh(album, mergeChanges: true)
            try expect("bcad", in: album, context)
        }
    }

    @Test func `a save that fails leaves the order`() throws {
        try withContainer(OrderedModel.model) { container in
            let context = container.newContext()
            let shelf = Shelf(in: context, name: "shelf")
            for name in ["a", "b", "c"] { shelf.holdings.append(Volume(in: context, name: name)) }
            try context.save()
            shelf.holdings.insert(Disc(in: context, name: "d"), at: 1)
            #expect(throws: ValidationError.self) { try context.save() }
            #expect(shelf.holdings.map(\.name) == ["a", "d", "b", "c"])
            shelf.holdings.remove(at: 3)
            try context.save()
            context.refreshAllObjects()
            #expect(shelf.holdings.map(\.name) == ["a", "d", "b"])
        }
    }

    @Test func `a change of the order alone is a change, of the owner only`() throws {
        try withAlbum("abc") { context, album in
            album.tracks.swapAt(0, 1)
            #expect(album.isUpdated)
            #expect(album.hasPersistentChangedValues)
            #expect(context.updatedObjects == [album])
            try context.save()
            #expect(!context.hasChanges)
        }
    }

    @Test func `a move that changes nothing is no change`() throws {
        try withAlbum("abc") { context, album in
            album.tracks.move(from: 1, to: 1)
            album.tracks.sort { $0.title < $1.title }
            album.tracks.replace(with: Array(album.tracks))
            #expect(!context.hasChanges)
        }
    }

    @Test func `an object of another context is not taken, and the next save says so`() throws {
        try withContainer(OrderedModel.model) { container in
            let (context, other) = (container.newContext(), container.newContext())
            let album = Album(in: context, title: "album")
            album.tracks.append(Track(in: context, title: "a"))
            album.tracks.insert(Track(in: other, title: "x"), at: 0)
            #expect(album.tracks.titles == "a")
            #expect(throws: StoreError.self) { try context.save() }
        }
    }

    @Test func `generic code has the list by its name`() throws {
        try withAlbum("abc") { context, album in
            let list = try album.orderedRelatedObjects(forKey: "tracks")
            list.move(from: 2, to: 0)
            #expect(album.tracks.titles == "cab")
            #expect(try album.relatedObjects(forKey: "tracks").map { $0 } == Array(list))
            #expect(throws: StoreError.self) {
                _ = try album.orderedRelatedObjects(forKey: "relatedFrom")
            }
        }
    }
}

extension Sequence<Track> {
    var titles: String { map(\.title).joined() }
}
