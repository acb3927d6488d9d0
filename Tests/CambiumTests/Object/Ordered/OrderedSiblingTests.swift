import Cambium
import Testing

/// What becomes of a list that two contexts change.
struct OrderedSiblingTests {
    private func withSiblings(
        _ titles: String,
        _ body: (ManagedObjectContext, Album, ManagedObjectContext, Album) throws -> Void
    ) throws {
        try withContainer(OrderedModel.model) { container in
            let (first, second) = (container.newContext(), container.newContext())
            second.automaticallyMergesChangesFromParent = true
            let album = Album(in: first)
            album.tracks.append(contentsOf: titles.map { Track(in: first, title: String($0)) })
            try first.save()
            let same: Album = try second.get(album.objectID)
            #expect(same.tracks.titles == titles)
            try body(first, album, second, same)
            // Whoever asks the store sees what the second saved.
            try second.save()
            let fresh = container.newContext()
            let stored: Album = try fresh.get(album.objectID)
            #expect(stored.tracks.titles == same.tracks.titles)
        }
    }

    @Test func `a new order reaches the other contexts`() throws {
        try withSiblings("abc") { first, album, second, same in
            album.tracks.swapAt(0, 2)
            try first.save()
            second.mergePending()
            #expect(same.tracks.titles == "cba")
            #expect(!second.hasChanges)
        }
    }

    @Test func `additions of both are there, those of the later save last`() throws {
        try withSiblings("ab") { first, album, second, same in
            album.tracks.append(Track(in: first, title: "x"))
            same.tracks.append(Track(in: second, title: "y"))
            try first.save()
            try second.save()
            #expect(same.tracks.titles == "abxy")
        }
    }

    @Test func `what was put somewhere stays behind its neighbour`() throws {
        try withSiblings("abcd") { first, album, second, same in
            album.tracks.move(from: 1, to: 3)  // acdb
            same.tracks.insert(Track(in: second, title: "x"), at: 2)  // abxcd: behind b
            try first.save()
            try second.save()
            #expect(same.tracks.titles == "acdbx")
        }
    }

    @Test func `whose neighbour is gone stands behind the one before`() throws {
        try withSiblings("abcd") { first, album, second, same in
            album.tracks.remove(at: 1)  // acd
            same.tracks.insert(Track(in: second, title: "x"), at: 2)  // abxcd
            try first.save()
            try second.save()
            #expect(same.tracks.titles == "axcd")
        }
    }

    @Test func `what both moved is where the later save put it`() throws {
        try withSiblings("abcd") { first, album, second, same in
            album.tracks.move(from: 0, to: 3)  // bcda
            same.tracks.move(from: 0, to: 1)  // bacd
            try first.save()
            try second.save()
            #expect(same.tracks.titles == "bacd")
        }
    }

    @Test func `a list that the later save sorted is sorted, with additions at the end`() throws {
        try withSiblings("dbca") { first, album, second, same in
            album.tracks.insert(Track(in: first, title: "x"), at: 0)
            same.tracks.sort { $0.title < $1.title }
            try first.save()
            try second.save()
            #expect(same.tracks.titles == "abcdx")
        }
    }

    @Test func `a removal and a move of others both count`() throws {
        try withSiblings("abcd") { first, album, second, same in
            album.tracks.move(from: 3, to: 0)  // dabc
            same.tracks.remove(at: 1)  // acd
            try first.save()
            try second.save()
            #expect(same.tracks.titles == "dac")
        }
    }

    @Test func `a member that the other deleted is gone, and who stood behind it stays`() throws {
        try withSiblings("abcd") { first, album, second, same in
            first.delete(album.tracks[2])
            same.tracks.move(from: 0, to: 2)  // bcad: behind c
            try first.save()
            try second.save()
            #expect(same.tracks.titles == "bad")
        }
    }

    @Test func `an owner that the other deleted has no list any more`() throws {
        try withContainer(OrderedModel.model) { container in
            let (first, second) = (container.newContext(), container.newContext())
            let album = Album(in: first)
            album.guests.append(contentsOf: [Guest(in: first), Guest(in: first)])
            try first.save()
            let same: Album = try second.get(album.objectID)
            same.guests.swapAt(0, 1)
            first.delete(album)
            try first.save()
            second.mergePending()
            try second.save()
            #expect(try container.newContext().count(for: Guest.fetchRequest()) == 2)
            #expect(try container.newContext().count(for: Album.fetchRequest()) == 0)
        }
    }

    @Test func `without merging, the store has the same list as with it`() throws {
        try withSiblings("abcd") { first, album, second, same in
            second.automaticallyMergesChangesFromParent = false
            album.tracks.move(from: 3, to: 0)  // dabc
            same.tracks.insert(Track(in: second, title: "x"), at: 1)  // axbcd
            try first.save()
            try second.save()
            second.mergePending()
            #expect(same.tracks.titles == "daxbc")
        }
    }

    @Test func `changes of the order alone raise no conflict`() throws {
        try withSiblings("abc") { first, album, second, same in
            second.automaticallyMergesChangesFromParent = false
            let track = same.tracks[0]
            track.title = "A"
            album.tracks.swapAt(0, 2)
            try first.save()
            try second.save()
            second.mergePending()
            #expect(same.tracks.titles == "cbA")
        }
    }
}
