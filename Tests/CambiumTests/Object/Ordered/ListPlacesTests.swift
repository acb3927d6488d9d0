import Testing

@testable import Cambium
@testable import CambiumSQLiteStore

/// The numbers that keep a list in order.
struct ListPlacesTests {
    @Test(arguments: 0..<200)
    func `the places that come out rise, and as few as can be are written`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let list = (0..<Int64.random(in: 1...7, using: &random)).shuffled(using: &random)
        var places: [Int64: Int64] = [:]
        for member in list where random.chance(0.8) {
            places[member] =
                random.chance(0.1)
                ? [Int64.min, Int64.max].randomElement(using: &random)
                : Int64.random(in: 0..<20, using: &random) * (random.chance(0.5) ? 1 : 1 << 20)
        }
        let changes = ListPlaces.changes(for: list, from: places)
        let after = places.merging(changes.map { ($0.member, $0.place) }) { $1 }
        let line = list.map { after[$0] ?? .min }
        #expect(zip(line, line.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed): \(line)")
        #expect(changes.allSatisfy { places[$0.member] != $0.place })
        // With room everywhere, only those are written that no longest rise has.
        let roomy = places.filter { $0.value.magnitude < 1 << 40 }.mapValues { $0 * 1 << 10 }
        let written = ListPlaces.changes(for: list, from: roomy).count
        #expect(written == list.count - longestRise(list.compactMap { roomy[$0] }))
    }

    /// By trying all subsets.
    private func longestRise(_ places: [Int64]) -> Int {
        (0..<(1 << places.count)).map { (subset: Int) -> Int in
            let chosen = places.indices.filter { subset >> $0 & 1 == 1 }.map { places[$0] }
            return zip(chosen, chosen.dropFirst()).allSatisfy { $0 < $1 } ? chosen.count : 0
        }.max() ?? 0
    }

    @Test func `members at the end have places behind the last`() throws {
        let appended = try #require(ListPlaces.appended([4, 2], after: 7))
        #expect(appended.map(\.member) == [4, 2])
        #expect(appended.map(\.place) == [7 + ListPlaces.gap, 7 + 2 * ListPlaces.gap])
        #expect(ListPlaces.appended([1], after: .max) == nil)
    }
}
