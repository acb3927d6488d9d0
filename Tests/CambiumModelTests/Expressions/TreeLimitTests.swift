import CambiumModel
import Testing

/// Trees that code puts together are refused where a walk over them could overflow a stack.
@Suite struct TreeLimitTests {
    private let stock = ModelExpression.keyPath(root: .subject, names: ["stock"])

    private func nested(_ count: Int) -> ModelExpression {
        (0..<count).reduce(.comparison(stock, .equal, .literal(.int(1)), [])) { tree, _ in
            .not(tree)
        }
    }

    @Test func `a tree of a thousand levels is refused`() {
        for count in [100, 1000] {
            let error = #expect(throws: ExpressionDiagnostics.self) {
                try ExpressionEvaluator(
                    condition: nested(count), entity: ShopModel.product, model: ShopModel.model)
            }
            #expect(error?.description.contains("nests deeper than 100 levels") == true)
        }
    }

    @Test func `a tree that uses its parts twice is refused`() {
        let sum = (0..<60).reduce(stock) { sum, _ in .arithmetic(sum, .add, sum) }
        #expect(sum.extent == nil)
        #expect(throws: ExpressionDiagnostics.self) {
            try ExpressionEvaluator(
                condition: .comparison(sum, .equal, .literal(.int(1)), []),
                entity: ShopModel.product, model: ShopModel.model)
        }
    }

    @Test func `the extent of a tree is counted`() {
        #expect(nested(0).extent.map { [$0.depth, $0.size] } == [2, 2])
        #expect(nested(10).extent.map { [$0.depth, $0.size] } == [12, 12])
        #expect(nested(98).extent != nil)
        #expect(nested(99).extent == nil)
    }
}
