@testable import Cambium
import CambiumRecords
import Foundation
import Testing

/// What a condition means is the same in memory, in SQL and in a text: for random models, objects
/// with many nils, and random trees.
///
/// `CAMBIUM_SEED` replays a run, `CAMBIUM_GENERATOR_RUNS` (of 50 conditions each) and
/// `CAMBIUM_GENERATOR_SECONDS` make it longer.
struct ConditionDifferentialTests {
    private static let conditionsPerRun = 50

    /// A condition about the objects of one entity of a world.
    private struct Case {
        let number: Int
        let kind: Int
        let entity: EntityDescription
        let condition: Condition<ManagedObject>
        let hasText: Bool
        let seed: UInt64

        var request: FetchRequest<ManagedObject> {
            FetchRequest(entityName: entity.name)
        }

        var place: String { "\(entity.name): \(condition), seed \(seed)" }
    }

    @Test func `random conditions mean the same in memory, in the store and as text`() throws {
        var runs = 0
        try forEachSeed(for: 1) { seed in
            runs += 1
            var random = SeededGenerator(seed: seed)
            let world = ConditionWorld(using: &random)
            let container = try PersistentContainer(model: world.model, at: .temporary)
            let context = container.newContext()
            try world.fill(context, using: &random)
            let cases = try makeCases(world, container, random, seed)
            var all = try keys(context, of: cases)
            let pending = try cases.map { try split($0, context, all) }
            try context.save()
            let (reader, memory) = (container.newContext(), container.newContext())
            all = try keys(context, of: cases)
            for (test, pending) in zip(cases, pending) {
                let saved = try split(test, context, all)
                #expect(pending == saved, "pending and saved: \(test.place)")
                let fresh = try split(test, reader, all)
                #expect(saved == fresh, "saved and read anew: \(test.place)")
                // What it looks at is read by faults, now and then.
                if test.number.isMultiple(of: 10) { memory.refreshAllObjects() }
                try compare(test, fresh, memory)
            }
        }
        print("conditions: \(runs * Self.conditionsPerRun) compared")
    }

    private func makeCases(
        _ world: ConditionWorld, _ container: PersistentContainer, _ random: SeededGenerator,
        _ seed: UInt64
    ) throws -> [Case] {
        var writer = RandomCondition(world, using: random)
        return try (0..<Self.conditionsPerRun).map { number in
            let kind = number % world.kinds.count
            let tree = writer.condition(of: kind, depth: number % 4)
            return Case(
                number: number, kind: kind,
                entity: try #require(container.coordinator.model[world.kinds[kind].name]),
                condition: Condition(tree), hasText: !writer.namesKeys, seed: seed)
        }
    }

    /// The keys of all objects, by entity.
    private func keys(_ context: ManagedObjectContext, of cases: [Case]) throws -> [Int: [Int64]] {
        try cases.reduce(into: [:]) { keys, test in
            guard keys[test.kind] == nil else { return }
            keys[test.kind] = try context.fetch(test.request).map(\.key)
        }
    }

    /// The keys of the objects that meet a condition; those that meet its complement are the
    /// others.
    private func split(
        _ test: Case, _ context: ManagedObjectContext, _ all: [Int: [Int64]]
    ) throws -> [Int64] {
        let met = try context.fetch(test.request.filter(test.condition)).map(\.key)
        let others = try context.fetch(test.request.filter(!test.condition)).map(\.key)
        #expect((met + others).sorted() == all[test.kind], "complement: \(test.place)")
        return met
    }

    /// The closures over rows, the general evaluator and the text say what the store said.
    private func compare(
        _ test: Case, _ expected: [Int64], _ context: ManagedObjectContext
    ) throws {
        let objects = try context.fetch(test.request)
        func met(_ tree: ModelExpression) throws -> [Int64] {
            let compiled = try CompiledCondition(
                tree, of: test.entity, in: context.coordinator.model)
            return try compiled.filter(objects).map(\.key)
        }
        let tree = test.condition.expression
        try #expect(met(tree) == expected, "memory and SQL: \(test.place)")
        let evaluator = try ExpressionEvaluator(
            condition: tree, entity: test.entity.entity, model: test.entity.model)
        let evaluated = try objects.filter { try evaluator.isTrue(ObjectSubject($0)) }.map(\.key)
        #expect(evaluated == expected, "the evaluator and SQL: \(test.place)")

        guard test.hasText else { return }
        let parsed = try ExpressionCompiler.condition(
            test.condition.description, entity: test.entity.entity, model: test.entity.model
        ).get()
        try #expect(met(parsed) == expected, "text and tree: \(test.place)")
        // Where the text is another tree it may be other SQL.
        guard parsed != tree else { return }
        let found = try context.fetch(test.request.filter(Condition(parsed))).map(\.key)
        #expect(found == expected, "the text in SQL: \(test.place)")
    }
}
