import CambiumModel
@testable import CambiumSQL
import CambiumSQLite
import Foundation
import Testing

/// What an expression means in memory and in SQL is the same for every row.
///
/// `CAMBIUM_SEED` replays a run, `CAMBIUM_GENERATOR_SECONDS` makes it longer.
@Suite struct ExpressionDifferentialTests {
    struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    /// What the random conditions may use, with arguments that change their results.
    private static let parameters = [
        FetchParameter(name: "numbers", type: .double, isList: true),
        FetchParameter(name: "bounds", type: .int64, isList: true),
        FetchParameter(name: "number", type: .decimal(scale: 2)),
        FetchParameter(name: "texts", type: .string, isList: true),
    ]
    private static let arguments: [String: FormatArgument] = [
        "numbers": .list([.int(1), .double(0.5), .null, .decimal(Decimal(string: "0.005") ?? 0)]),
        "bounds": .list([.int(-1), .int(2)]), "number": .value(.int(1)),
        "texts": .list([.string("a"), .null, .string("Éa")]),
    ]

    @Test func `random conditions find the same objects in memory and in SQL`() throws {
        let environment = ProcessInfo.processInfo.environment
        let text = environment["CAMBIUM_SEED"] ?? environment["CAMBIUM_SEED_BASE"]
        let seed = text.flatMap(UInt64.init) ?? .random(in: 0..<1_000_000)
        let seconds = environment["CAMBIUM_GENERATOR_SECONDS"].flatMap(Double.init) ?? 1
        print("expressions: CAMBIUM_SEED=\(seed)")
        var random = Generator(state: seed)
        let shop = RandomShop(using: &random)
        let connection = try shop.store()
        var writer = RandomExpression(using: random)
        let end = Date().addingTimeInterval(seconds)
        var (count, refused) = (0, 0)
        while Date() < end || count <= 20 {
            let text = writer.condition(depth: 3)
            // Its opposite is asked for, too, and is deeper by one.
            guard !isTooDeep(text), !isTooDeep("NOT (\(text))") else {
                refused += 1
                continue
            }
            count += 1
            do {
                guard try agree(text, shop, connection, seed) else { return }
            } catch {
                Issue.record("\(text)\n\(error)\nreplay with CAMBIUM_SEED=\(seed)")
                return
            }
        }
        print("expressions: \(count) conditions compared, \(refused) too deep for a statement")
        #expect(refused * 50 <= count, "too many conditions are refused")
    }

    /// Whether a condition is refused for nothing but its depth: one in some thousands is.
    private func isTooDeep(_ text: String) -> Bool {
        let result = ExpressionCompiler.condition(
            text, entity: ExpressionFixture.item, model: ExpressionFixture.model,
            parameters: Self.parameters)
        guard case .failure(let failure) = result else { return false }
        return failure.diagnostics.allSatisfy { $0.message.contains("nests too deeply") }
    }

    @Test func `random values are the same in memory and in SQL`() throws {
        let environment = ProcessInfo.processInfo.environment
        let text = environment["CAMBIUM_SEED"] ?? environment["CAMBIUM_SEED_BASE"]
        let seed = text.flatMap(UInt64.init) ?? .random(in: 0..<1_000_000)
        let seconds = environment["CAMBIUM_GENERATOR_SECONDS"].flatMap(Double.init) ?? 1
        print("values: CAMBIUM_SEED=\(seed)")
        var random = Generator(state: seed)
        let shop = RandomShop(using: &random)
        let connection = try shop.store()
        var writer = RandomExpression(using: random)
        let end = Date().addingTimeInterval(seconds)
        let (entity, model) = (ExpressionFixture.item, ExpressionFixture.model)
        var count = 0
        while Date() < end || count <= 20 {
            let text = writer.value(depth: 3)
            guard !isTooDeep("\(text) == nil") else { continue }
            let condition = try ExpressionCompiler.condition(
                "\(text) == nil", entity: entity, model: model, parameters: Self.parameters
            ).get().substituting(Self.arguments)
            guard case .comparison(let value, _, _, _) = condition else { continue }
            let typed = try ExpressionCompiler.typedValue(value, entity: entity, model: model)
            let evaluator = ExpressionEvaluator(typed)
            let expected = try shop.items.map {
                typed.type.stored(try evaluator.evaluate($0))
            }
            let sql = try ExpressionSQL.value(value, entity: entity, model: model, alias: "t")
            let found = try connection.rows(
                "SELECT \(sql.text) FROM \"Item\" AS \"t\" ORDER BY \"_id\"", sql.bindings()
            ).map { Optional($0[0]) }
            connection.forgetStatements()
            let difference = zip(expected, found).first { $0 != $1 }
            let places = "\(text)\n\(sql.text)\nreplay with CAMBIUM_SEED=\(seed)"
            guard difference == nil else {
                Issue.record("in memory and in SQL: \(String(describing: difference))\n\(places)")
                return
            }
            count += 1
        }
        print("values: \(count) compared")
    }

    private func agree(
        _ text: String, _ shop: RandomShop, _ connection: Connection, _ seed: UInt64
    ) throws -> Bool {
        let (entity, model) = (ExpressionFixture.item, ExpressionFixture.model)
        let result = ExpressionCompiler.condition(
            text, entity: entity, model: model, parameters: Self.parameters)
        guard case .success(let template) = result else {
            Issue.record("\(text)\n\(result) seed \(seed)")
            return false
        }
        let printed = ExpressionCompiler.condition(
            template.description, entity: entity, model: model, parameters: Self.parameters)
        guard (try? printed.get()) == template else {
            Issue.record("\(text)\nprints as\n\(template)\n\(printed) seed \(seed)")
            return false
        }
        let condition = template.substituting(Self.arguments)
        let evaluator = try ExpressionEvaluator(condition: condition, entity: entity, model: model)
        let expected = Set(try shop.items.filter { try evaluator.isTrue($0) }.map(\.expressionKey))
        let all = Set(shop.items.map(\.expressionKey))
        for use in [ExpressionSQL.Use.filter, .boolean] {
            for constants in [ExpressionSQL.Constants.parameters, .inline] {
                let sql = try ExpressionSQL.condition(
                    condition, use: use, entity: entity, model: model, alias: "t",
                    constants: constants)
                let found = try keys(sql, connection)
                guard found == expected else {
                    report(text, sql.text, found, expected, seed)
                    return false
                }
            }
        }
        let not = try ExpressionSQL.condition(
            .not(condition), entity: entity, model: model, alias: "t")
        let others = try keys(not, connection)
        guard others == all.subtracting(expected) else {
            report("NOT \(text)", not.text, others, all.subtracting(expected), seed)
            return false
        }
        return true
    }

    private func report(
        _ text: String, _ sql: String, _ found: Set<Int64>, _ expected: Set<Int64>, _ seed: UInt64
    ) {
        Issue.record(
            """
            \(text)
            \(sql)
            only in SQL: \(found.subtracting(expected).sorted())
            only in memory: \(expected.subtracting(found).sorted())
            replay with CAMBIUM_SEED=\(seed)
            """)
    }

    private func keys(_ sql: SQLFragment, _ connection: Connection) throws -> Set<Int64> {
        let rows = try connection.rows(
            "SELECT \"_id\" FROM \"Item\" AS \"t\" WHERE \(sql.text)", sql.bindings())
        connection.forgetStatements()
        return Set(
            rows.compactMap { row in
                if case .integer(let key) = row[0] { key } else { nil }
            })
    }
}
