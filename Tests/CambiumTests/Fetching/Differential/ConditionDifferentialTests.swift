@testable import Cambium
import Foundation
import Testing

/// What a condition means is the same in memory, in SQL and in a text: for random models, objects
/// with many nils, and random trees.
///
/// `CAMBIUM_SEED` replays a run, `CAMBIUM_GENERATOR_RUNS` (of 20 conditions each) and
/// `CAMBIUM_GENERATOR_SECONDS` make it longer.
struct ConditionDifferentialTests {
    private static let conditionsPerRun = 20

    @Test func `random conditions mean the same before the save, after it and read anew`() throws {
        var runs = 0
        try forEachSeed(for: 1.2) { seed in
            runs += 1
            var random = SeededGenerator(seed: seed)
            let world = ConditionWorld(using: &random)
            let container = try PersistentContainer(model: world.model, at: .memory)
            let context = container.newContext()
            try world.fill(context, using: &random)
            var writer = RandomCondition(world, using: random)
            let conditions = (0..<Self.conditionsPerRun).map { number in
                let kind = number % world.kinds.count
                return (
                    world.kinds[kind].name,
                    Condition<ManagedObject>(writer.condition(of: kind, depth: number % 4))
                )
            }
            let pending = try conditions.map { try split($0, $1, context) }
            try context.save()
            let saved = try conditions.map { try split($0, $1, context) }
            let reader = container.newContext()
            for (index, (name, condition)) in conditions.enumerated() {
                let fresh = try split(name, condition, reader)
                let place = "\(name): \(condition), seed \(seed)"
                #expect(pending[index] == saved[index], "pending and saved: \(place)")
                #expect(saved[index] == fresh, "saved and read anew: \(place)")
                let evaluated = try evaluate(name, condition, container.newContext())
                #expect(evaluated == fresh.met, "memory and SQL: \(place)")
                #expect(
                    try evaluateSlowly(name, condition, reader) == fresh.met,
                    "the evaluator and SQL: \(place)")
            }
        }
        print("conditions: \(runs * Self.conditionsPerRun) compared")
    }

    private struct Split: Equatable {
        let met: [Int64]
        let others: [Int64]
    }

    /// The objects that meet a condition, and those that meet its complement: together all.
    private func split(
        _ name: String, _ condition: Condition<ManagedObject>, _ context: ManagedObjectContext
    ) throws -> Split {
        let request = FetchRequest<ManagedObject>(entityName: name)
        let all = try context.fetch(request).map(\.key)
        let met = try context.fetch(request.filter(condition)).map(\.key)
        let others = try context.fetch(request.filter(!condition)).map(\.key)
        #expect((met + others).sorted() == all, "\(condition) and its complement")
        return Split(met: met, others: others)
    }

    /// Those that meet it by the closures over rows.
    private func evaluate(
        _ name: String, _ condition: Condition<ManagedObject>, _ context: ManagedObjectContext
    ) throws -> [Int64] {
        let objects = try context.fetch(FetchRequest<ManagedObject>(entityName: name))
        let entity = try #require(context.coordinator.model[name])
        let compiled = try CompiledCondition(
            condition.expression, of: entity, in: context.coordinator.model)
        return objects.filter(compiled.isTrue).map(\.key)
    }

    /// Those that meet it by the general evaluator.
    private func evaluateSlowly(
        _ name: String, _ condition: Condition<ManagedObject>, _ context: ManagedObjectContext
    ) throws -> [Int64] {
        let objects = try context.fetch(FetchRequest<ManagedObject>(entityName: name))
        let entity = try #require(context.coordinator.model[name])
        let evaluator = try ExpressionEvaluator(
            condition: condition.expression, entity: entity.entity, model: entity.model)
        return objects.filter { evaluator.isTrue(ObjectSubject($0)) }.map(\.key)
    }
}
