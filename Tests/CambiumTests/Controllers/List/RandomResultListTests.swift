@testable import Cambium
import Foundation
import TestDummyModel
import Testing

/// Random changes of a list, which a slow consumer follows from time to time.
struct RandomResultListTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private let dummies: [TestDummy]

    init() throws {
        container = try PersistentContainer(model: TestDummies.model, at: .temporary)
        let context = container.newContext()
        self.context = context
        dummies = (0..<24).map { TestDummy(in: context, number: $0) }
    }

    /// How many sets of changes in all; `CAMBIUM_LIST_CHANGES` asks for more.
    private static var changeSets: Int {
        ProcessInfo.processInfo.environment["CAMBIUM_LIST_CHANGES"].flatMap { Int($0) } ?? 10_000
    }

    @Test(arguments: 0..<5)
    func `every set of changes is a legal difference`(_ kind: Int) throws {
        var left = Self.changeSets / 5
        var seeds = SeedSource()
        while left > 0 {
            let seed =
                ProcessInfo.processInfo.environment["CAMBIUM_SEED"].flatMap { UInt64($0) }
                ?? seeds.next()
            var generator = SeededGenerator(seed: seed)
            var list = try makeList(kind, &generator)
            for step in 0..<100 {
                let changes = Self.changes(dummies.count, &generator)
                var faults = try list.change(changes.moved, touched: changes.touched)
                if generator.chance(0.2) { faults += list.look() }
                if generator.chance(0.1) { faults += list.invariantFaults() }
                try #require(faults.isEmpty, "CAMBIUM_SEED=\(seed), step \(step): \(faults)")
            }
            left -= 100
        }
    }

    private func makeList(
        _ kind: Int, _ generator: inout SeededGenerator
    ) throws -> PlacedList {
        let sectioning: Sectioning =
            switch kind {
            case 0: .none
            case 1, 2: .values
            // Two values, or one, to a name.
            default: .names { $0 == .int(0) || $0 == .int(1) ? "low" : $0.plainText }
            }
        let places = Self.changes(dummies.count, &generator).moved.compactMapValues(\.self)
        return try PlacedList(
            places, of: dummies, sectioning, isDescending: kind == 2 || kind == 4,
            chunkSize: Int.random(in: 2...6, using: &generator))
    }

    /// Where some objects go, and which others change.
    private static func changes(
        _ count: Int, _ generator: inout SeededGenerator
    ) -> (moved: [Int: PlacedList.Place?], touched: Set<Int>) {
        var moved: [Int: PlacedList.Place?] = [:]
        // Mostly a few; now and then nearly all.
        let many = generator.chance(0.05) ? count : Int.random(in: 0...4, using: &generator)
        for _ in 0..<many {
            let place =
                generator.chance(0.3)
                ? nil
                : PlacedList.Place(
                    section: Int.random(in: 0..<4, using: &generator),
                    rank: Double(Int.random(in: 0..<8, using: &generator)))
            moved[Int.random(in: 0..<count, using: &generator)] = .some(place)
        }
        var touched: Set<Int> = []
        while generator.chance(0.3) {
            touched.insert(Int.random(in: 0..<count, using: &generator))
        }
        return (moved, touched)
    }
}
