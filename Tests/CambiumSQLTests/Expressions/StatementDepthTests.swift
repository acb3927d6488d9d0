import CambiumModel
@testable import CambiumSQL
import CambiumSQLite
import Testing

/// What the checker accepts fits SQLite's limits, and what does not fit has a place.
@Suite struct StatementDepthTests {
    /// Texts that nest, by what stands before and behind the innermost part at each level.
    private static let shapes = [
        ("", "count", " - count", " > 1"), ("", "stock", " - 1", " > 1"),
        ("", "count", " * price", " > 1"), ("", "price", " + tax", " > 1"),
        ("count - (", "count", ")", " > 1"), ("", "weight", " / weight", " > 1"),
        ("", "weight", " ** weight", " > 1"), ("weight ** (", "weight", ")", " > 1"),
        ("", "amount", " + rate", " > 1"), ("rate - (", "amount", ")", " > 1"),
        ("", "name", " + code", " == 'a'"), ("", "count", " & count", " > 1"),
        ("abs:(", "count", ")", " > 1"), ("abs:(", "weight", ")", " > 1"),
        ("sqrt:(", "weight", ")", " > 1"), ("floor:(", "weight", ")", " > 1"),
        ("uppercase:(", "name", ")", " == 'a'"), ("canonical:(", "name", ")", " == 'a'"),
        ("modulus:by:(", "count", ", count)", " > 1"),
        ("left(", "name", ", 2)", " == 'a'"), ("replace(name, 'a', ", "name", ")", " == 'a'"),
        ("substring(name, indexOf(name, ", "name", "), 3)", " == 'a'"),
        ("length:(uppercase:(", "name", "))", " > 1"),
        ("TERNARY(name == 'a', 1, ", "count", ")", " > 1"),
        ("TERNARY(name == 'a', ", "count", ", 1)", " > 1"),
        ("TERNARY(1 < ", "count", ", 1, 2)", " > 1"), ("NOT (", "name == 'a'", ")", ""),
        ("(name == code AND ", "name == 'a'", ")", ""), ("(count > 1 OR ", "count > 1", ")", ""),
        ("SUBQUERY(box.items, $x, ", "count > 1", ").@count == 1", ""),
        ("SUBQUERY(tags, $x, ", "$x.word LIKE box.name", ").@count > 1", ""),
        ("SUBQUERY(box.items, $x, ", "count > 1", ").price.@sum > 1", ""),
        ("SUBQUERY(box.items, $x, ", "count > 1", ").price.@avg > 1", ""),
        ("SUBQUERY(box.items, $x, ", "count > 1", ").amount.@sum > 1", ""),
    ]

    @Test(arguments: shapes)
    func `the deepest tree that is accepted runs in every statement`(
        _ opening: String, _ middle: String, _ closing: String, _ end: String
    ) throws {
        let (entity, model) = (ExpressionFixture.item, ExpressionFixture.model)
        // Any store will do: it is the statements that count.
        var random = ExpressionDifferentialTests.Generator(state: 1)
        let connection = try RandomShop(using: &random).store()
        var refusals = 0
        for depth in 1...45 {
            let text =
                String(repeating: opening, count: depth) + middle
                + String(repeating: closing, count: depth) + end
            guard
                let condition = try? ExpressionCompiler.condition(
                    text, entity: entity, model: model
                ).get()
            else {
                refusals += 1
                continue
            }
            #expect(refusals == 0, "accepted after a shorter one was refused: \(text)")
            for use in [ExpressionSQL.Use.filter, .boolean] {
                let sql = try ExpressionSQL.condition(
                    condition, use: use, entity: entity, model: model, alias: "t",
                    constants: .inline)
                // The statements around expressions take up to 20 entries of the parser's stack.
                let brackets = 14
                #expect(throws: Never.self, "\(text)") {
                    try connection.rows(
                        "EXPLAIN SELECT \"_id\" FROM \"Item\" AS \"t\" WHERE 1 = 1 AND "
                            + String(repeating: "(", count: brackets) + sql.text
                            + String(repeating: ")", count: brackets))
                }
                connection.forgetStatements()
            }
        }
    }

    @Test func `what is too long says where`() throws {
        let text = "stock > 1 AND " + Array(repeating: "count", count: 40).joined(separator: " - ")
        let result = ExpressionCompiler.condition(
            text + " == 1", entity: ExpressionFixture.item, model: ExpressionFixture.model)
        guard case .failure(let failure) = result else {
            Issue.record("accepted")
            return
        }
        let first = try #require(failure.diagnostics.first)
        #expect(first.message == "the expression is too long for SQLite: it nests too deeply")
        #expect(first.offset > 14)
    }

    @Test func `small whole numbers are chained without tests for overflow`() throws {
        let text = Array(repeating: "1", count: 25).joined(separator: "-") + " == stock"
        let condition = try ExpressionCompiler.condition(
            text, entity: ExpressionFixture.item, model: ExpressionFixture.model
        ).get()
        let sql = try ExpressionSQL.condition(
            condition, entity: ExpressionFixture.item, model: ExpressionFixture.model,
            constants: .inline)
        #expect(!sql.text.contains("nullif"))
    }
}
