@testable import Cambium
import CambiumEngine
import CambiumEngineSpecification
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import Foundation
import Testing

@testable import CambiumPostgresStore

/// A predicate, an order and what is computed mean the same in memory, in SQLite and on each server:
/// for random models, objects with awkward values, and random trees.
///
/// `CAMBIUM_SEED` replays a run, `CAMBIUM_GENERATOR_RUNS` (of 60 requests each) and
/// `CAMBIUM_GENERATOR_SECONDS` make it longer.
struct RandomPredicateTests {
    private static let requestsPerRun = 60

    /// What is asked of each engine.
    private struct Question {
        let kind: String
        let condition: ModelExpression
        var sort: [SortTerm] = []
        var limit: Int?
        var offset = 0
        var includesSubentities = true
        var query: ResultQuery?

        func request(_ entity: EntityDescription) -> RowRequest {
            RowRequest(
                entity: entity, selection: .matching(condition, [:]),
                includesSubentities: includesSubentities, sort: sort, limit: limit, offset: offset)
        }

        /// What a context asks of a server, which keeps dates to the microsecond.
        var ofServer: Question {
            let dates = PostgresTimestamp.kept
            return Question(
                kind: kind, condition: dates.rounded(condition),
                sort: sort.map { $0.keeping(dates) }, limit: limit, offset: offset,
                includesSubentities: includesSubentities, query: query?.keeping(dates))
        }

        func typed(_ entity: EntityDescription) throws -> TypedResults? {
            try query.map {
                try TypedResults(checking: $0, entity: entity.entity, model: entity.model)
            }
        }
    }

    /// What an engine says.
    private struct Answer: Equatable {
        var keys: [Int64] = []
        var count = 0
        var results: [[String]] = []

        /// Without sums of floating-point numbers: SQLite adds them in the order in which it reads
        /// the rows, on which their last digits depend.
        func withoutSums(_ typed: TypedResults?) -> Answer {
            func isSum(_ column: TypedResults.Column) -> Bool {
                (column.function == .sum || column.function == .average)
                    && column.operand.type.isFloatingPoint
            }
            guard let typed else { return self }
            var answer = self
            if typed.order.contains(where: { isSum($0.column) }) { answer.results = [] }
            for (index, column) in typed.columns.enumerated() where isSum(column) {
                for row in answer.results.indices { answer.results[row][index] = "" }
            }
            return answer
        }

        /// Texts that look alike are not equal, and zero has no sign.
        mutating func add(_ rows: [[Value]]) {
            results = rows.map { $0.map(Self.spelling) }
        }

        private static func spelling(_ value: Value) -> String {
            switch value {
            case .string(let text): "text \(Array(text.utf8))"
            case .double(let number): "\(number == 0 ? 0 : number)"
            default: "\(value)"
            }
        }
    }

    @Test(.enabled(if: !EngineEntry.servers.isEmpty))
    func `random requests mean the same on all engines`() throws {
        var (asked, inMemory) = (0, 0)
        try forEachSeed(for: 1.5) { seed in
            var random = SeededGenerator(seed: seed)
            let world = ConditionWorld(.awkward, using: &random)
            let values = random
            random = SeededGenerator(seed: seed &+ 1)
            var questions: [Question] = []
            var answers: [Answer] = []
            try EngineEntry.memory.withStore(world.model) { store in
                try fill(store, world, values)
                let reader = store.container.newContext()
                defer { withExtendedLifetime(reader) {} }
                let subjects = try subjects(reader, world)
                for number in 0..<2 * Self.requestsPerRun
                where questions.count < Self.requestsPerRun {
                    let question = question(world, number, &random)
                    // Not all that is made by chance passes the checker.
                    guard let answer = try? answer(question, store, subjects) else { continue }
                    compare(question, answer, store, "SQLite", seed)
                    questions.append(question.ofServer)
                    answers.append(try self.answer(question.ofServer, store, subjects))
                }
            }
            for engine in EngineEntry.servers {
                try engine.withStore(world.model) { store in
                    try fill(store, world, values)
                    for (question, expected) in zip(questions, answers) {
                        compare(question, expected, store, engine.name, seed)
                        if (try? isInMemory(question, store)) == true { inMemory += 1 }
                    }
                }
            }
            asked += questions.count
        }
        print(
            "predicates: \(asked) compared on \(EngineEntry.servers.count) servers; "
                + "\(inMemory / EngineEntry.servers.count) of them decided in memory, or those rows "
                + "that a server is not sure of")
    }

    private func compare(
        _ question: Question, _ expected: Answer, _ store: SpecifiedStore, _ engine: String,
        _ seed: UInt64
    ) {
        let place = "\(engine): \(place(question, seed))"
        do {
            let found = try answer(question, store)
            if found != expected, engine == "SQLite" {
                let typed = try question.typed(entity(question.kind, store))
                #expect(found.withoutSums(typed) == expected.withoutSums(typed), "\(place)")
                return
            }
            #expect(found == expected, "\(place)")
        } catch {
            Issue.record("\(error): \(place)")
        }
    }

    private func place(_ question: Question, _ seed: UInt64) -> String {
        var text = "\(question.kind) where \(question.condition)"
        for term in question.sort {
            text +=
                ", by \(term.value)\(term.isDescending ? " descending" : "") \(term.texts) "
                + "\(term.placesNilLast.map { "nil last: \($0)" } ?? "")"
        }
        if let limit = question.limit { text += ", limit \(limit)" }
        text += ", offset \(question.offset)"
        if let query = question.query { text += ", \(query)" }
        return "\(text), seed \(seed)"
    }

    // MARK: Objects

    private func fill(
        _ store: SpecifiedStore, _ world: ConditionWorld, _ random: SeededGenerator
    ) throws {
        var random = random
        let context = store.container.newContext()
        try world.fill(context, using: &random)
        try context.save()
    }

    private func entity(
        _ name: String, _ store: SpecifiedStore
    ) throws -> EntityDescription {
        try #require(store.container.coordinator.model[name])
    }

    private typealias Subjects = [String: [ResultComposer.Subject]]

    /// All objects as expressions in memory see them, by the entity that is asked for; those of
    /// the entity alone behind a name with an exclamation mark.
    private func subjects(
        _ context: ManagedObjectContext, _ world: ConditionWorld
    ) throws -> Subjects {
        var subjects: Subjects = [:]
        for kind in world.kinds {
            let objects = try context.fetch(FetchRequest<ManagedObject>(entityName: kind.name))
            subjects[kind.name] = objects.map { ($0.key, ObjectSubject($0)) }
            subjects["\(kind.name)!"] = objects.filter { $0.entityDescription.name == kind.name }
                .map { ($0.key, ObjectSubject($0)) }
        }
        return subjects
    }

    // MARK: Questions

    private func question(
        _ world: ConditionWorld, _ number: Int, _ random: inout SeededGenerator
    ) -> Question {
        let kind = number % world.kinds.count
        var writer = RandomCondition(world, using: random)
        var question = Question(
            kind: world.kinds[kind].name, condition: writer.condition(of: kind, depth: number % 4))
        random = writer.random
        question.includesSubentities = random.chance(0.8)
        if random.chance(0.5) {
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let value = writer.value(of: kind)
                question.sort.append(
                    SortTerm(
                        value, isDescending: random.chance(0.5),
                        texts: order(of: value, world, kind, &random),
                        placesNilLast: random.chance(0.3) ? random.chance(0.5) : nil))
            }
        }
        if random.chance(0.3) { question.limit = Int.random(in: 0...6, using: &random) }
        if random.chance(0.3) { question.offset = Int.random(in: 0...4, using: &random) }
        if random.chance(0.4) {
            question.query = query(&writer, kind, &random)
        }
        return question
    }

    /// Only texts are in an order of texts.
    private func order(
        of value: ModelExpression, _ world: ConditionWorld, _ kind: Int,
        _ random: inout SeededGenerator
    ) -> TextOrder {
        let texts: [TextOrder] = [.bytes, .bytes, .bytes, .caseInsensitive, .natural]
        let chosen = texts.randomElement(using: &random) ?? .bytes
        let model = world.model.model
        let typed = model.entity(named: world.kinds[kind].name).flatMap {
            try? ExpressionCompiler.typedValue(value, entity: $0, model: model)
        }
        return typed?.type == .string ? chosen : .bytes
    }

    private func query(
        _ writer: inout RandomCondition, _ kind: Int, _ random: inout SeededGenerator
    ) -> ResultQuery {
        var columns: [ResultExpression] = []
        var query = ResultQuery([])
        let isGrouped = random.chance(0.6)
        if isGrouped {
            query.groups = (0..<Int.random(in: 0...2, using: &random)).map { _ in
                writer.value(of: kind)
            }
            columns += query.groups.map { ResultExpression($0) }
        }
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let value = writer.value(of: kind)
            if isGrouped {
                let functions: [AggregateFunction] = [.count, .sum, .average, .minimum, .maximum]
                columns.append(
                    ResultExpression(functions.randomElement(using: &random) ?? .count, of: value))
            } else {
                columns.append(ResultExpression(value))
            }
        }
        query.columns = columns
        query.isDistinct = random.chance(0.3)
        if isGrouped, !query.groups.isEmpty, random.chance(0.4) {
            let test = GroupTest.comparison(
                ResultExpression(.count, of: .keyPath(root: .subject, names: [])),
                random.chance(0.5) ? .greater : .equal, .int(.random(in: 0...2, using: &random)))
            query.having = random.chance(0.3) ? .not(test) : test
        }
        if random.chance(0.6), let column = columns.randomElement(using: &random) {
            query.order.append(
                ResultQuery.Term(
                    column, isDescending: random.chance(0.5),
                    texts: column.function == nil
                        ? order(of: column.operand, writer.world, kind, &random) : .bytes,
                    placesNilLast: random.chance(0.3) ? random.chance(0.5) : nil))
        }
        return query
    }

    // MARK: Answers

    private func answer(
        _ question: Question, _ store: SpecifiedStore, _ all: Subjects
    ) throws -> Answer {
        let entity = try entity(question.kind, store)
        let (own, model) = (entity.entity, entity.model)
        let condition = try ExpressionEvaluator(
            condition: question.condition, entity: own, model: model)
        let orders = try question.sort.map {
            try ExpressionEvaluator(value: $0.value, entity: own, model: model)
        }
        let query = try question.typed(entity)
        let name = question.includesSubentities ? question.kind : "\(question.kind)!"
        var met: [ResultComposer.Subject] = []
        for subject in all[name] ?? [] where try condition.isTrue(subject.subject) {
            met.append(subject)
        }
        let keys = try met.map { subject in
            try orders.map { try value($0, subject.subject) }
        }
        let sorted = met.indices.sorted { one, other in
            for (level, term) in question.sort.enumerated() {
                let result = term.texts.order(
                    keys[one][level], keys[other][level], isDescending: term.isDescending,
                    placesNilLast: term.placesNilLast)
                if result != 0 { return result < 0 }
            }
            return met[one].key < met[other].key
        }
        let window = sorted.dropFirst(question.offset)
        var answer = Answer()
        answer.keys = (question.limit.map { window.prefix($0) } ?? window).map { met[$0].key }
        answer.count = met.count
        if let query {
            answer.add(
                try ResultComposer(query).results(
                    of: met, limit: question.limit, offset: question.offset))
        }
        return answer
    }

    private func value(
        _ evaluator: ExpressionEvaluator, _ subject: some ExpressionSubject
    ) throws -> Value {
        try evaluator.evaluate(subject)
    }

    private func answer(_ question: Question, _ store: SpecifiedStore) throws -> Answer {
        let entity = try entity(question.kind, store)
        let engine = try store.engine
        let request = question.request(entity)
        var answer = Answer()
        try engine.fetch(request) { answer.keys.append($0.key) }
        answer.count = try engine.count(request)
        if let query = try question.typed(entity) {
            var rows = request
            rows.sort = []
            answer.add(try engine.results(rows, query))
        }
        return answer
    }

    private func isInMemory(_ question: Question, _ store: SpecifiedStore) throws -> Bool {
        let entity = try entity(question.kind, store)
        let plan = try store.engine.plan(
            of: question.request(entity), try question.typed(entity))
        return plan.steps.contains { $0.hasPrefix("in memory") }
    }
}
