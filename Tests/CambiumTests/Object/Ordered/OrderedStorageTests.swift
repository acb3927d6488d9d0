import Cambium
import CambiumSQLite
import Testing

/// What a list looks like in the file, and what a change of its order writes.
struct OrderedStorageTests {
    private static let gap: Int64 = 1 << 20

    private func withAlbum(
        _ titles: String, _ body: (ManagedObjectContext, Album, String) throws -> Void
    ) throws {
        try withStoreFile { path in
            let container = try PersistentContainer(
                model: OrderedModel.model, at: .temporary(path))
            let context = container.newContext()
            let album = Album(in: context)
            album.tracks.append(contentsOf: titles.map { Track(in: context, title: String($0)) })
            try context.save()
            try body(context, album, path)
        }
    }

    private func places(_ path: String) throws -> [String: Int64] {
        let found = try rows(#"SELECT "title", "album_position" FROM "Track""#, in: path)
        return Dictionary(
            uniqueKeysWithValues: found.compactMap { row -> (String, Int64)? in
                guard case .text(let title) = row[0], case .integer(let place) = row[1] else {
                    return nil
                }
                return (title, place)
            })
    }

    private func versions(_ path: String) throws -> Set<[StoredValue]> {
        Set(
            try rows(
                #"SELECT "_version" FROM "Track" UNION SELECT "_version" FROM "Album""#, in: path))
    }

    @Test func `members have places with gaps`() throws {
        try withAlbum("abc") { _, _, path in
            let gap = Self.gap
            let places = try places(path)
            #expect(places == ["a": gap, "b": 2 * gap, "c": 3 * gap])
        }
    }

    @Test func `rule 35: an insertion in the middle writes one place`() throws {
        try withAlbum("abcd") { context, album, path in
            let before = try places(path)
            album.tracks.insert(Track(in: context, title: "x"), at: 2)
            try context.save()
            let after = try places(path)
            #expect(after.filter { before[$0.key] != $0.value }.keys.sorted() == ["x"])
            #expect(after["x"] == Self.gap * 5 / 2)
        }
    }

    @Test func `a move writes one place`() throws {
        try withAlbum("abcdef") { context, album, path in
            for (from, to) in [(0, 4), (5, 0), (3, 1)] {
                let before = try places(path)
                let moved = album.tracks[from].title
                album.tracks.move(from: from, to: to)
                try context.save()
                let after = try places(path)
                #expect(after.filter { before[$0.key] != $0.value }.map(\.key) == [moved])
            }
        }
    }

    @Test func `reordering changes no version`() throws {
        try withAlbum("abc") { context, album, path in
            album.tracks.move(from: 2, to: 0)
            try context.save()
            #expect(try versions(path) == [[.integer(1)]])
        }
    }

    @Test func `a gap that is used up is made anew`() throws {
        try withAlbum("az") { context, album, path in
            for number in 0..<50 {
                album.tracks.insert(Track(in: context, title: "\(number)"), at: 1)
                try context.save()
            }
            let expected = ["a"] + (0..<50).reversed().map { "\($0)" } + ["z"]
            context.refreshAllObjects()
            #expect(album.tracks.map(\.title) == expected)
            let places = try places(path)
            #expect(
                expected.compactMap { places[$0] } == expected.compactMap { places[$0] }.sorted())
            #expect(Set(places.values).count == 52)
        }
    }

    @Test func `who leaves a list has no place`() throws {
        try withAlbum("ab") { context, album, path in
            album.tracks.remove(at: 0)
            try context.save()
            #expect(try places(path) == ["b": 2 * Self.gap])
        }
    }

    @Test func `setting the owner that it has leaves the place`() throws {
        try withAlbum("ab") { context, album, path in
            let before = try places(path)
            album.tracks[0].album = album
            album.tracks[0].title = "A"
            try context.save()
            #expect(try places(path)["A"] == before["a"])
        }
    }

    @Test func `members that another program added without places come last, by key`() throws {
        try withAlbum("ab") { context, album, path in
            try execute(
                "INSERT INTO \"Track\" (_id, title, album) VALUES (900, 'y', 1), (800, 'x', 1)",
                in: path)
            context.refreshAllObjects()
            #expect(album.tracks.titles == "abxy")
            album.tracks.append(Track(in: context, title: "z"))
            try context.save()
            context.refreshAllObjects()
            #expect(album.tracks.titles == "abxyz")
        }
    }

    @Test func `places at the greatest number are made anew`() throws {
        try withAlbum("ab") { context, album, path in
            try execute(
                "UPDATE \"Track\" SET album_position = \(Int64.max) WHERE title = 'b'", in: path)
            album.tracks.append(Track(in: context, title: "c"))
            album.tracks.insert(Track(in: context, title: "x"), at: 0)
            try context.save()
            context.refreshAllObjects()
            #expect(album.tracks.titles == "xabc")
        }
    }

    @Test(.onSQLite("It is about a plan of SQLite."))
    func `a list is read by its index, without sorting`() throws {
        try withAlbum("abc") { _, _, path in
            let plan = try rows(
                """
                EXPLAIN QUERY PLAN SELECT t._id, 0 FROM Track AS t WHERE t.album = 1
                ORDER BY t.album_position NULLS LAST, t._id
                """, in: path)
            let text = plan.map { "\($0[3])" }.joined(separator: "\n")
            #expect(text.contains("Track.key.album"))
            #expect(!text.contains("TEMP B-TREE"))
        }
    }
}
