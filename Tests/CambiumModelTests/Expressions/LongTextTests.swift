import CambiumModel
import Foundation
import Testing

/// Comparisons of long texts take time that grows with their length.
@Suite struct LongTextTests {
    private static func repeated(_ text: String, _ count: Int) -> String {
        String(repeating: text, count: count)
    }

    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            "CONTAINS", "CONTAINS[c]", "CONTAINS[d]", "CONTAINS[cd]", "BEGINSWITH[cd]",
            "ENDSWITH[cd]", "==[cd]", "LIKE[cd]", "IN[cd]",
        ])
    func `a text of 200,000 characters is compared`(_ operation: String) throws {
        let parts = ["a", "é", "\u{301}\u{323}"]
        for part in parts {
            let text = "x" + Self.repeated(part, 200_000)
            let other = Self.repeated(part, 100_000) + "y"
            let condition = ModelExpression.comparison(
                .keyPath(root: .subject, names: ["title"]), Self.relation(operation),
                operation == "IN[cd]"
                    ? .list([.literal(.string(other))]) : .literal(.string(other)),
                Self.options(operation))
            let evaluator = try ExpressionEvaluator(
                condition: condition, entity: ShopModel.product, model: ShopModel.model)
            // Without the marks that are all of a text, "y" is left.
            let isFound = try evaluator.isTrue(PlainObject(1, ["title": .string(text)]))
            #expect(!isFound)
        }
    }

    private static func relation(_ operation: String) -> ComparisonOperator {
        ComparisonOperator(rawValue: String(operation.prefix { $0 != "[" })) ?? .equal
    }

    private static func options(_ operation: String) -> ComparisonOptions {
        var options: ComparisonOptions = []
        let letters = operation.drop { $0 != "[" }
        if letters.contains("c") { options.insert(.caseInsensitive) }
        if letters.contains("d") { options.insert(.diacriticInsensitive) }
        return options
    }

    @Test func `a part is found wherever it is`() throws {
        var random = SeededGenerator(state: 7)
        func letters(_ range: ClosedRange<Int>) -> String {
            (0..<Int.random(in: range, using: &random)).map { _ in
                ["a", "b"].randomElement(using: &random) ?? "a"
            }.joined()
        }
        for _ in 0..<3000 {
            let text = letters(0...60)
            let start = Int.random(in: 0...text.count, using: &random)
            let cut = String(text.dropFirst(start).prefix(Int.random(in: 0...30, using: &random)))
            let part = Bool.random(using: &random) ? cut : cut + letters(0...2)
            let exists =
                part.isEmpty
                || text.utf8.indices.contains { text.utf8[$0...].starts(with: part.utf8) }
            let condition = ModelExpression.comparison(
                .literal(.string(text)), .contains, .literal(.string(part)), [])
            let evaluator = try ExpressionEvaluator(
                condition: condition, entity: ShopModel.product, model: ShopModel.model)
            #expect(try evaluator.isTrue(PlainObject(1)) == exists, "\(text) \(part)")
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `many wildcards take no longer than text and pattern`() throws {
        let pattern = Self.repeated("*a", 200) + "*b"
        #expect(!WildcardPattern(pattern).matches(Self.repeated("a", 5000)))
        #expect(WildcardPattern(pattern).matches(Self.repeated("a", 5000) + "b"))
    }
}
