/// Where the parts of a tree are: numbers, which stand for the nearest condition around a part.
struct TreePlaces {
    private var conditions: [ModelExpression] = []
    private var around: [ModelExpression] = []

    /// Notes a part while what is in it is looked at.
    mutating func entering<Result>(
        _ part: ModelExpression, _ body: (inout TreePlaces, _ number: Int) -> Result
    ) -> Result {
        let isCondition =
            switch part {
            case .comparison, .between, .quantified: true
            default: false
            }
        let surrounds = isCondition || around.isEmpty
        if surrounds { around.append(part) }
        conditions.append(around.last ?? part)
        let number = conditions.count
        let result = body(&self, number)
        if surrounds { around.removeLast() }
        return result
    }

    /// The mistakes with the parts that their numbers stand for.
    func naming(_ mistakes: ExpressionDiagnostics) -> ExpressionDiagnostics {
        ExpressionDiagnostics(
            mistakes.diagnostics.map { mistake in
                conditions.indices.contains(mistake.offset - 1)
                    ? mistake.naming(conditions[mistake.offset - 1].description) : mistake
            })
    }
}
