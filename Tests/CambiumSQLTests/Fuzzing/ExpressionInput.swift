import CambiumModel
@testable import CambiumSQL
import CambiumSQLite

/// What has to hold for any bytes that stand where an expression is expected: nothing traps, a
/// refusal has a place and words, and what is accepted means the same in memory and in SQL.
///
/// The kept inputs run through it in the tests, random ones in the fuzzer.
struct ExpressionInput {
    private let shop: RandomShop
    private let connection: Connection
    private let entity = ExpressionFixture.item
    private let model = ExpressionFixture.model
    private let now = Date(timeIntervalSinceReferenceDate: 800_000_000)

    static let parameters = [
        FetchParameter(name: "limit", type: .decimal(scale: 2)),
        FetchParameter(name: "word", type: .string),
        FetchParameter(name: "since", type: .date),
    ]
    static let values: [String: Value] = [
        "limit": .decimal(1.5), "word": .string("a"),
        "since": .date(Date(timeIntervalSinceReferenceDate: 1.5)),
    ]
    static let arguments: [FormatArgument] = [
        .value(.string("name")), .value(.int(2)), .value(.string("box.name")), .value(.null),
        .list([.string("a"), .null]),
    ]

    init() throws {
        var random = Sequence(state: 1)
        shop = RandomShop(using: &random)
        connection = try shop.store()
    }

    /// The same objects in every run.
    private struct Sequence: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 32) | (state << 32)
        }
    }

    /// What does not hold, or nil.
    func finding(in bytes: [UInt8]) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        let asCondition = ExpressionCompiler.condition(
            text, entity: entity, model: model, parameters: Self.parameters,
            variables: ["owner": ExpressionFixture.box],
            arguments: text.contains("%") ? Self.arguments : nil)
        switch asCondition {
        case .failure(let refusal):
            if let finding = finding(of: refusal, in: text) { return finding }
        case .success(let condition):
            if let finding = finding(of: condition) { return finding }
        }
        for type in [AttributeType.string, .double, .int32, .decimal(scale: 2), .date] {
            switch ExpressionCompiler.value(text, as: type, entity: entity, model: model) {
            case .failure(let refusal):
                if let finding = finding(of: refusal, in: text) { return finding }
            case .success(let value):
                if let finding = finding(of: value, as: type) { return finding }
            }
        }
        return nil
    }

    private func finding(of refusal: ExpressionDiagnostics, in text: String) -> String? {
        if refusal.diagnostics.isEmpty { return "a refusal without a reason" }
        let length = text.utf8.count
        return refusal.diagnostics
            .first { $0.message.isEmpty || !(0...length).contains($0.offset) }
            .map { "a reason without words or place: \($0)" }
    }

    // MARK: Conditions

    private func finding(of condition: ModelExpression) -> String? {
        let evaluator: ExpressionEvaluator
        do {
            evaluator = try ExpressionEvaluator(
                condition: condition, entity: entity, model: model, parameters: Self.values)
        } catch {
            return refersToOwner(condition) ? nil : "accepted, and not evaluated: \(error)"
        }
        let expected: [Int64]
        do {
            expected = try shop.items.filter { try evaluator.isTrue($0, now: now) }
                .map(\.expressionKey)
        } catch {
            // A regular expression took all the steps that it may; the store says the same.
            return error is PatternLimitError ? nil : "not evaluated: \(error)"
        }
        for (use, constants) in [
            (ExpressionSQL.Use.filter, ExpressionSQL.Constants.parameters), (.boolean, .inline),
        ] {
            let sql: SQLFragment
            do {
                sql = try ExpressionSQL.condition(
                    condition, use: use, entity: entity, model: model, alias: "t",
                    constants: constants, values: Self.values)
            } catch {
                // What the store does not have, such as a transient attribute, it says.
                return nil
            }
            // Written out, "now" is SQLite's, which is another moment.
            if sql.text.contains("julianday") { continue }
            do {
                let found = try keys(where: sql)
                if found != expected { return "\(sql.text): \(found), in memory \(expected)" }
            } catch {
                return refusal(error, of: sql)
            }
        }
        return nil
    }

    /// Whether a condition needs an object that only a fetched property has.
    private func refersToOwner(_ condition: ModelExpression) -> Bool {
        "\(condition)".contains("\"owner\"")
    }

    private func keys(where condition: SQLFragment) throws -> [Int64] {
        defer { connection.forgetStatements() }
        return try connection.rows(
            "SELECT \"_id\" FROM \"Item\" AS \"t\" WHERE \(condition.text) ORDER BY \"_id\"",
            condition.bindings(Self.values, now: now)
        ).compactMap { row in
            if case .integer(let key) = row[0] { key } else { nil }
        }
    }

    // MARK: Values

    private func finding(of value: ModelExpression, as type: AttributeType) -> String? {
        let expected: [StoredValue?]
        do {
            let typed = try ExpressionCompiler.typedValue(
                value, as: type, entity: entity, model: model)
            let evaluator = ExpressionEvaluator(typed)
            expected = try shop.items.map {
                typed.type.stored(try evaluator.evaluate($0, now: now))
            }
        } catch is PatternLimitError {
            return nil
        } catch {
            return "accepted, and not evaluated: \(error)"
        }
        guard
            let sql = try? ExpressionSQL.value(
                value, as: type, entity: entity, model: model, alias: "t")
        else { return nil }
        do {
            defer { connection.forgetStatements() }
            let found = try connection.rows(
                "SELECT \(sql.text) FROM \"Item\" AS \"t\" ORDER BY \"_id\"",
                sql.bindings(now: now)
            ).map { Optional($0[0]) }
            let difference = zip(expected, found).first { $0 != $1 }
            return difference.map { "\(sql.text): in memory and in SQL \($0)" }
        } catch {
            return refusal(error, of: sql)
        }
    }

    private func refusal(_ error: any Error, of sql: SQLFragment) -> String {
        "SQLite refuses \(sql.text): \(error)"
    }
}
