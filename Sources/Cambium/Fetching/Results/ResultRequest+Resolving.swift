import CambiumRecords

extension ResultRequest {
    /// What is asked of the entity, and the names of the columns of dictionaries.
    ///
    /// - Throws: ``StoreError`` with `unknownName` where an order names what nothing can be sorted by.
    func query(
        for description: EntityDescription
    ) throws(StoreError) -> (query: ResultQuery, names: [String]) {
        let expressions: [ResultExpression]
        let names: [String]
        switch columns {
        case .selected(let columns, let given): (expressions, names) = (columns, given)
        case .paths(let paths):
            (expressions, names) = (paths.map { Self.expression($0, description) }, paths)
        case .attributes:
            names = description.selectableAttributes
            expressions = names.map { Self.expression($0, description) }
        }
        var query = ResultQuery(expressions)
        query.isDistinct = isDistinct || base.options(for: description).isDistinct
        query.groups = groups.map(\.operand)
        query.having = groupCondition
        query.order = orders
        // One result for everything has no order.
        let isSingle = groups.isEmpty && expressions.contains { $0.function != nil }
        if orders.isEmpty, !isSingle {
            query.order = try base.sortTerms(for: description).map(ResultQuery.Term.init)
        }
        return (query, names)
    }

    private static func expression(
        _ path: String, _ description: EntityDescription
    ) -> ResultExpression {
        let names = description.model.path(path, of: description.entity)
        return ResultExpression(.keyPath(root: .subject, names: names))
    }
}

extension EntityDescription {
    /// The dotted names of the attributes that a statement can select.
    fileprivate var selectableAttributes: [String] {
        layout.slots.indices.compactMap { slot in
            guard let attribute = attributes[slot], !attribute.isTransient,
                !attribute.usesExternalForm
            else { return nil }
            if case .codable = attribute.type { return nil }
            return layout.slots[slot].property
        }
    }
}
