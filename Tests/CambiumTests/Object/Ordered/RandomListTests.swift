import Cambium
import Testing

/// Random changes of lists in two contexts, against plain arrays.
struct RandomListTests {
    /// A context's side of the game.
    private final class Player {
        let context: ManagedObjectContext
        let album: Album
        var list = ListOracle()
        /// What the store has.
        var saved = ListOracle()

        init(_ context: ManagedObjectContext, _ album: Album) {
            self.context = context
            self.album = album
        }

        /// Something done to the list of moods, and to the array. The two of them do
        /// different things to the same moods.
        func act(_ random: inout SeededGenerator) throws {
            let moods = album.moods
            let count = list.now.count
            let index = count == 0 ? 0 : Int.random(in: 0..<count, using: &random)
            let other = count == 0 ? 0 : Int.random(in: 0..<count, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0, 1:
                let mood = Mood(in: context)
                moods.append(mood)
                list.append(mood.objectID)
            case 2:
                let mood = Mood(in: context)
                list.put(mood.objectID, before: count == 0 ? nil : list.now[index])
                moods.insert(mood, at: index)
            case 3 where count > 0:
                list.remove(list.now[index])
                moods.remove(at: index)
            case 4 where count > 0:
                let mood: Mood = try context.get(list.now[index])
                list.remove(mood.objectID)
                moods.remove(mood)
                list.append(mood.objectID)
                mood.albums.insert(album)
            case 5 where count > 1:
                let following = list.now.enumerated().filter { $0.offset != index }
                    .map(\.element)
                let target = other < following.count ? following[other] : nil
                list.put(list.now[index], before: target)
                moods.move(from: index, to: other)
            case 6 where count > 1:
                list.exchange(index, other)
                moods.swapAt(index, other)
            case 7 where random.chance(0.2):
                list.sort { $0.key }
                moods.sort { $0.objectID.key < $1.objectID.key }
            case 8 where count > 0:
                // Again, from either end: nothing moves, but who is taken out elsewhere stays.
                let mood: Mood = try context.get(list.now[index])
                list.append(mood.objectID)
                if random.chance(0.5) { moods.append(mood) } else { mood.albums.insert(album) }
            case 9:
                context.refreshAllObjects()
            default:
                break
            }
        }

        var shown: [ObjectID] { album.moods.map(\.objectID) }
    }

    @Test(arguments: [StoreKind.memory, .file])
    func `lists of two contexts are what the arrays say`(kind: StoreKind) throws {
        try forEachSeed(share: 0.5) { seed in
            try withContainer(OrderedModel.model, on: kind) { container in
                var random = SeededGenerator(seed: seed)
                let context = container.newContext()
                let album = Album(in: context)
                try context.save()
                let first = Player(context, album)
                let sibling = container.newContext()
                let second = Player(sibling, try sibling.get(album.objectID))
                for round in 0..<30 {
                    for _ in 0..<Int.random(in: 0..<6, using: &random) {
                        let player = random.chance(0.5) ? first : second
                        try player.act(&random)
                        try #require(
                            player.shown == player.list.now, "seed \(seed), round \(round)")
                    }
                    let (saver, other) = random.chance(0.5) ? (first, second) : (second, first)
                    try save(saver, beside: other, &random, "seed \(seed), round \(round)")
                    let fresh = container.newContext()
                    let stored: Album = try fresh.get(album.objectID)
                    try #require(
                        stored.moods.map(\.objectID) == saver.list.now,
                        "in the store: seed \(seed), round \(round)")
                }
            }
        }
    }

    private func save(
        _ saver: Player, beside other: Player, _ random: inout SeededGenerator, _ place: String
    ) throws {
        if random.chance(0.1) {
            saver.context.rollback()
            saver.list = saver.saved
        }
        try saver.context.save()
        saver.list.settle()
        saver.saved = saver.list
        try #require(saver.shown == saver.list.now, "after the save: \(place)")
        other.saved = saver.list
        other.list.merge(saver.list.now)
        other.context.mergePending()
        try #require(other.shown == other.list.now, "after the merge: \(place)")
    }

    @Test func `lists that exchange members are what the arrays say`() throws {
        try forEachSeed { seed in
            try withContainer(OrderedModel.model) { container in
                var random = SeededGenerator(seed: seed)
                let context = container.newContext()
                let albums = (0..<3).map { Album(in: context, title: "\($0)") }
                var lists = [[ObjectID]](repeating: [], count: 3)
                var saved = lists
                try context.save()
                for step in 0..<80 {
                    let from = Int.random(in: 0..<3, using: &random)
                    let to = Int.random(in: 0..<3, using: &random)
                    switch Int.random(in: 0..<8, using: &random) {
                    case 0, 1:
                        let track = Track(in: context)
                        let index = Int.random(in: 0...lists[to].count, using: &random)
                        albums[to].tracks.insert(track, at: index)
                        lists[to].insert(track.objectID, at: index)
                    case 2, 3:
                        guard let id = lists[from].randomElement(using: &random) else { continue }
                        let track: Track = try context.get(id)
                        track.album = albums[to]
                        if from != to {
                            lists[from].removeAll { $0 == id }
                            lists[to].append(id)
                        }
                    case 4:
                        guard let id = lists[from].randomElement(using: &random) else { continue }
                        lists[from].removeAll { $0 == id }
                        let index = Int.random(in: 0...lists[to].count, using: &random)
                        lists[to].insert(id, at: index)
                        albums[from].tracks.remove(try context.get(id))
                        albums[to].tracks.insert(try context.get(id), at: index)
                    case 5:
                        guard let id = lists[from].randomElement(using: &random) else { continue }
                        context.delete(try context.get(id, as: Track.self))
                        context.processPendingChanges()
                        lists[from].removeAll { $0 == id }
                    case 6:
                        try context.save()
                        saved = lists
                    default:
                        if random.chance(0.3) {
                            context.rollback()
                            lists = saved
                        } else {
                            context.refreshAllObjects()
                        }
                    }
                    let shown = albums.map { $0.tracks.map(\.objectID) }
                    try #require(shown == lists, "seed \(seed), step \(step)")
                }
                try context.save()
                let fresh = container.newContext()
                for (album, list) in zip(albums, lists) {
                    let stored: Album = try fresh.get(album.objectID)
                    try #require(stored.tracks.map(\.objectID) == list, "seed \(seed)")
                }
            }
        }
    }
}
