extension TypedExpression {
    /// A comparison of a number of objects that only asks whether there are any, as the test for
    /// one: neither the store nor the memory has to count them all then. nil for other comparisons.
    static func existence(
        _ left: TypedExpression, _ relation: ComparisonOperator, _ right: TypedExpression
    ) -> TypedExpression? {
        guard case .aggregate(.count, let collection, let element) = left,
            case .literal(.int(let number), _) = right
        else { return nil }
        let exists: Bool
        switch (relation, number) {
        case (.greater, 0), (.greaterOrEqual, 1), (.notEqual, 0): exists = true
        case (.equal, 0), (.less, 1), (.lessOrEqual, 0): exists = false
        default: return nil
        }
        let test = TypedExpression.exists(collection.restricted(toValuesOf: element))
        return exists ? test : .not(test)
    }
}

extension TypedCollection {
    /// Those of its objects for which a value is not nil.
    fileprivate func restricted(toValuesOf element: TypedExpression) -> TypedCollection {
        if case .object(let path) = element, path.steps.isEmpty { return self }
        let test = TypedExpression.comparison(element, .notEqual, .literal(.null, element.type))
        return filtered(by: condition.map { .and([$0, test]) } ?? test)
    }
}
