import Cambium
import Foundation
import Testing
import TimesModel

struct DurationTests {
    private typealias Album = TimesModel.Album
    private typealias Track = TimesModel.Track

    private func withTracks(
        _ body: (ManagedObjectContext, Album, [Track]) throws -> Void
    ) throws {
        try withContainer(Times.model) { container in
            let context = container.newContext()
            let album = Album(in: context, title: "One")
            let tracks = [90.0, 150, 0.25].map { seconds in
                Track(in: context, length: .seconds(seconds), album: album)
            }
            tracks[0].pause = .seconds(2)
            try context.save()
            try body(context, album, tracks)
        }
    }

    private func lengths(_ tracks: [Track]) -> [Duration] { tracks.map(\.length).sorted() }

    @Test func `a value comes back to the nanosecond, and the default is the model's`() throws {
        try withContainer(Times.model) { container in
            let context = container.newContext()
            let track = Track(in: context, pause: .nanoseconds(Int64.min))
            #expect(track.length == .seconds(210.5))
            #expect(track.end.timeIntervalSince(track.start) == 210.5)
            track.length = .nanoseconds(1)
            try context.save()
            context.reset()
            let read = try #require(try context.fetch(Track.fetchRequest()).first)
            #expect(read.length == .nanoseconds(1))
            #expect(read.pause == .nanoseconds(Int64.min))
            read.pause = nil
            try context.save()
            context.refreshAllObjects()
            #expect(read.pause == nil)
        }
    }

    @Test func `parts of a nanosecond are rounded, and what is too long is refused`() throws {
        try withTracks { context, _, tracks in
            let track = tracks[0]
            track.length = Duration(secondsComponent: 1, attosecondsComponent: 500_000_000)
            #expect(track.length == .seconds(1) + .nanoseconds(1))
            track.pause = .seconds(1e15)
            #expect(track.pause == .seconds(2))
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.message == "pause was set to a duration of more than 292 years.")
            track.pause = nil
            try context.save()
        }
    }

    @Test func `limits, rules and uniqueness of the model hold`() throws {
        try withTracks { context, _, tracks in
            tracks[0].length = .seconds(-1)
            let tooShort = #expect(throws: ValidationError.self) { try context.save() }
            #expect(tooShort?.code == .numberTooSmall)
            #expect(tooShort?.message == "length is below PT0S.")
            tracks[0].length = .seconds(86_401)
            let tooLong = #expect(throws: ValidationError.self) { try context.save() }
            #expect(tooLong?.code == .numberTooLarge)
            tracks[0].length = .seconds(86_400)
            tracks[0].pause = .seconds(11)
            let broken = #expect(throws: ValidationError.self) { try context.save() }
            #expect(broken?.rule == "pauseIsShort")
            tracks[0].pause = .seconds(10)
            try context.save()
        }
    }

    @Test(
        "conditions in text mean the same in the store and in memory",
        arguments: [
            ("length > 'PT1M'", 2), ("length > 60", 2), ("length >= 0.25", 3),
            ("length == 0.25", 1),
            ("length IN {'PT90S', 'PT2M30S'}", 2), ("length BETWEEN {'PT1S', 'PT1M30S'}", 1),
            ("pause == nil", 2), ("pause < length", 1), ("length + 'PT1M' > 'PT150S'", 1),
            ("length * 2 == 'PT3M'", 1), ("length / 2 == 'PT45S'", 1), ("length - pause == 88", 1),
            ("length / 'PT1S' == 90", 1), ("start + length > start", 3),
            ("length == album.tracks.@max.length", 1), ("album.total == 'PT4M0.25S'", 3),
            ("2 * length == length + length", 3),
        ])
    func conditions(_ text: String, _ count: Int) throws {
        try withTracks { context, _, tracks in
            let request = Track.fetchRequest().filter(format: text)
            let found = try context.fetch(request)
            #expect(found.count == count, "\(text)")
            context.refreshAllObjects()
            for track in tracks { track.title = "changed" }
            let pending = try context.fetch(request)
            #expect(lengths(pending) == lengths(found), "\(text)")
        }
    }

    @Test(
        "what means nothing is refused with a place",
        arguments: [
            "length == 'an hour'", "length LIKE 'PT*'", "length > start",
            "length * length > 'PT1S'",
            "length == title", "length > rating", "rating + length > rating", "sqrt:(length) > 1",
            "length > 0.0000000001",
        ])
    func refusals(_ text: String) throws {
        try withTracks { context, _, _ in
            #expect(throws: (any Error).self) {
                try context.fetch(Track.fetchRequest().filter(format: text))
            }
        }
    }

    @Test func `keys and #Predicate compare, sort and add`() throws {
        try withTracks { context, album, _ in
            let long = try context.fetch(
                Track.fetchRequest().filter(Track.length > .seconds(60)).sorted(by: Track.length))
            #expect(long.map(\.length) == [.seconds(90), .seconds(150)])
            let limit = Duration.seconds(100)
            let short = try context.fetch(
                Track.fetchRequest().filter(#Predicate { $0.length < limit }))
            #expect(lengths(short) == [.milliseconds(250), .seconds(90)])
            #expect(
                try context.count(
                    for: Track.fetchRequest().filter(Track.length + .seconds(60) == .seconds(150)))
                    == 1)
            let sums = try context.fetch(
                Track.fetchRequest().select(Track.length.sum, Track.length.max, Track.pause.average)
            )
            #expect(sums.first?.0 == .milliseconds(240_250))
            #expect(sums.first?.1 == .seconds(150))
            #expect(sums.first?.2 == 2)
            #expect(
                try context.fetch(
                    Album.fetchRequest().filter(Album.tracks.length.sum > .seconds(240))
                ).count == 1)
            #expect(album.total == .milliseconds(240_250))
            #expect(try context.fetch(Album.longerThan(limit: .seconds(240))).count == 1)
        }
    }

    @Test func `values by name, snapshots and files have texts of ISO 8601`() async throws {
        try withTracks { context, _, tracks in
            #expect(try tracks[1].value(forKey: "length") == .duration(.seconds(150)))
            try tracks[1].setValue(.duration(.seconds(5400)), forKey: "length")
            #expect(tracks[1].length == .seconds(5400))
            let snapshot = Track.Snapshot(tracks[1])
            let json = String(decoding: try JSONEncoder().encode(snapshot), as: UTF8.self)
            #expect(json.contains("\"length\":\"PT1H30M\""))
            let read = try JSONDecoder().decode(Track.Snapshot.self, from: Data(json.utf8))
            #expect(read.length == .seconds(5400))
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(
                    Track.Snapshot.self,
                    from: Data(json.replacingOccurrences(of: "PT1H30M", with: "long").utf8))
            }
        }
    }

    @Test func `groups compare sums with any duration`() throws {
        try withTracks { context, _, _ in
            func count(_ limit: Duration) throws -> Int {
                try context.fetch(
                    Track.fetchRequest().select(Track.album.title, Track.length.sum)
                        .grouped(by: Track.album.title).having(Track.length.sum < limit)
                ).count
            }
            try #expect(count(.seconds(1e11)) == 1)
            try #expect(count(.seconds(240)) == 0)
        }
    }

    @Test func `a number of seconds is rounded to the nanosecond`() throws {
        try withTracks { context, _, tracks in
            tracks[0].length = .seconds(0.3)
            try context.save()
            let request = Track.fetchRequest().filter(format: "length == %@", 0.1 + 0.2)
            #expect(try context.fetch(request).count == 1)
        }
    }

    @Test func `two saves add what both added`() throws {
        try withContainer(Times.model) { container in
            let (one, other) = (container.newContext(), container.newContext())
            other.mergePolicy = .objectTrump
            one.mergePolicy = .objectTrump
            let track = Track(in: one, played: .seconds(10))
            try one.save()
            let same = try #require(try other.existingObject(with: track.objectID) as? Track)
            track.played += .seconds(5)
            same.played += .seconds(7)
            try one.save()
            try other.save()
            #expect(same.played == .seconds(22))
        }
    }
}
