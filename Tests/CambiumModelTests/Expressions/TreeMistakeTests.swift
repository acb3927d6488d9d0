@testable import CambiumModel
import Testing

/// Mistakes in trees that code has built, which have no text to point at.
@Suite struct TreeMistakeTests {
    private func key(_ names: String...) -> ModelExpression {
        .keyPath(root: .subject, names: names)
    }

    private func mistakes(_ tree: ModelExpression) -> [ExpressionDiagnostic] {
        let error = #expect(throws: ExpressionDiagnostics.self) {
            try ExpressionCompiler.typedCondition(
                tree, entity: ShopModel.product, model: ShopModel.model)
        }
        return error?.diagnostics ?? []
    }

    @Test func `each names the comparison that it is in`() {
        let tree = ModelExpression.and([
            .comparison(key("titel"), .equal, .literal(.string("a")), []),
            .not(.comparison(key("stock"), .less, .literal(.string("b")), [])),
            .comparison(key("price"), .greater, .literal(.int(3)), []),
        ])
        let found = mistakes(tree)
        #expect(found.map(\.part) == ["titel == 'a'", "stock < 'b'"])
        #expect(found.map(\.offset) == [0, 0])
        #expect(found.first?.hint == "did you mean 'title'?")
        let text = ExpressionDiagnostics(found).description
        #expect(text.hasPrefix("in titel == 'a': 'Product' has no property 'titel'"))
    }

    @Test func `one that is in no comparison names the whole`() {
        #expect(mistakes(.not(key("title"))).map(\.part) == ["NOT title"])
    }

    @Test func `one in a subquery names the comparison there`() {
        let tree = ModelExpression.comparison(
            .aggregate(
                .count,
                .subquery(
                    key("tags"), variable: "t",
                    condition: .comparison(
                        .keyPath(root: .variable("t"), names: ["wort"]), .equal,
                        .literal(.string("x")), []))), .greater, .literal(.int(2)), [])
        #expect(mistakes(tree).map(\.part) == ["$t.wort == 'x'"])
    }
}
