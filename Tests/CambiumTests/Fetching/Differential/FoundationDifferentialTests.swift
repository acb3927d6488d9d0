@testable import Cambium
import EverythingModel
import Foundation
import Testing

/// A predicate of Foundation's means what Foundation's own evaluation says: in memory, before the
/// save, and in SQL; for every shape with constants by chance, and for shapes that are joined at
/// random.
///
/// `CAMBIUM_SEED` replays a run, `CAMBIUM_GENERATOR_RUNS` and `CAMBIUM_GENERATOR_SECONDS` make it
/// longer.
struct FoundationDifferentialTests {
    private static let joinedPerRun = 20

    private struct Case<Root: ManagedObject> {
        let name: String
        let predicate: Predicate<Root>
        let condition: Condition<Root>

        init(_ name: String, _ predicate: Predicate<Root>) throws {
            self.name = name
            self.predicate = predicate
            condition = try Condition(predicate)
        }
    }

    @Test func `predicates about values mean what Foundation says`() throws {
        try forEachSeed(share: 0.5, for: 1) { seed in
            var random = SeededGenerator(seed: seed)
            try withContainer(Everything.model) { container in
                let context = container.newContext()
                SampleShapes.fill(context, &random)
                try compare(SampleShapes.all(), random, container, context, seed)
            }
        }
    }

    @Test func `predicates about related objects mean what Foundation says`() throws {
        try forEachSeed(share: 0.5, for: 1) { seed in
            var random = SeededGenerator(seed: seed)
            try withContainer(Everything.model) { container in
                let context = container.newContext()
                let ids = NodeShapes.fill(context, &random)
                try compare(NodeShapes.all(ids), random, container, context, seed)
            }
        }
    }

    private func compare<Root: ManagedObject>(
        _ shapes: [PredicateShape<Root>], _ random: SeededGenerator,
        _ container: PersistentContainer, _ context: ManagedObjectContext, _ seed: UInt64
    ) throws {
        let cases = try Self.cases(shapes, random)
        let all = FetchRequest<Root>()
        let objects = try context.fetch(all)
        var expected: [[Int64]] = []
        for test in cases {
            let place = "\(test.name) as \(test.condition), seed \(seed)"
            let met = try objects.filter { try test.predicate.evaluate($0) }.map(\.key)
            try #expect(objects.filter(test.condition).map(\.key) == met, "memory: \(place)")
            let pending = try context.fetch(all.filter(test.condition)).map(\.key)
            #expect(pending == met, "pending: \(place)")
            expected.append(met)
        }
        try context.save()
        let reader = container.newContext()
        for (test, met) in zip(cases, expected) {
            let place = "\(test.name) as \(test.condition), seed \(seed)"
            let saved = try reader.fetch(all.filter(test.condition)).map(\.key)
            #expect(saved == met, "SQL: \(place)")
            let others = try reader.count(for: all.filter(!test.condition))
            #expect(saved.count + others == objects.count, "complement: \(place)")
        }
    }

    /// Each shape alone, and some joined.
    private static func cases<Root: ManagedObject>(
        _ shapes: [PredicateShape<Root>], _ random: SeededGenerator
    ) throws -> [Case<Root>] {
        var writer = RandomPredicate(shapes: shapes, random: random)
        let single = try shapes.map { try Case($0.name, writer.predicate($0)) }
        let joined = try (0..<joinedPerRun).map {
            try Case("several", writer.predicate(depth: 1 + $0 % 2))
        }
        return single + joined
    }

    @Test func `there are shapes of many kinds`() {
        #expect(SampleShapes.all().count + NodeShapes.all([]).count > 40)
        #expect(Set(SampleShapes.all().map(\.name)).count == SampleShapes.all().count)
    }
}
