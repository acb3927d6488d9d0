import CambiumModel
import CambiumSQL
import CambiumSQLite
import Testing

/// SQLite's limit on the parameters of a statement is none on the constants of an expression.
@Suite struct StatementParameterTests {
    private static let stock = ModelExpression.keyPath(root: .subject, names: ["stock"])
    private static let numbers: Range<Int64> = -16_300..<16_300

    /// Whether the stock is one of the numbers, with each of them by itself, or in lists.
    private static let alternatives: [String: ModelExpression] = [
        "alone": .or(
            numbers.map { .comparison(stock, .equal, .literal(.int($0)), []) }),
        "in lists": .or(
            stride(from: numbers.lowerBound, to: numbers.upperBound, by: 100).map { first in
                let list = (first..<first + 100).map { ModelExpression.literal(.int($0)) }
                return .comparison(stock, .in, .list(list), [])
            }),
    ]

    @Test(arguments: ["alone", "in lists"])
    func `more constants than a statement has parameters`(_ name: String) throws {
        // Any store will do: it is the statements that count.
        var random = ExpressionDifferentialTests.Generator(state: 1)
        let shop = RandomShop(using: &random)
        let connection = try shop.store()
        // The moment is known when the statement runs, and stays a parameter.
        let past = ModelExpression.comparison(
            .function(.now, []), .greater, .literal(.date(Date(timeIntervalSince1970: 0))), [])
        let alternatives = try #require(Self.alternatives[name])
        let statement = try SelectSQL(ExpressionFixture.item, in: ExpressionFixture.model).count(
            .matching(.and([alternatives, past]), [:]))
        let expected = shop.items.filter { item in
            if case .int(let stock) = item.value(ofAttribute: "stock") {
                Self.numbers.contains(stock)
            } else {
                false
            }
        }
        let rows = try connection.rows(statement.sql, statement.parameters)
        #expect(rows == [[.integer(Int64(expected.count))]])
        // The list that a long chain becomes has parameters of its own.
        #expect(statement.parameters.count < 10)
    }
}
