extension [TypedExpression] {
    /// The terms of a long chain, where those that compare one attribute with constants are one:
    /// `a == 1 OR a == 2 OR …` is `a IN {1, 2, …}`, and `a != 1 AND a != 2 AND …` is its complement.
    ///
    /// SQLite compares each constant of a statement with all before it, which takes seconds for
    /// some ten thousand; a list is one constant.
    func joiningValues(of relation: ComparisonOperator) -> [TypedExpression] {
        guard count > StatementDepth.chainLength else { return self }
        var result: [TypedExpression] = []
        var places: [Place: Int] = [:]
        var lists: [(place: Int, operand: TypedExpression, values: [Value])] = []
        for term in self {
            guard case .comparison(let operand, relation, .literal(let value, let type)) = term,
                case .attribute(let path, let attribute, _) = operand, value != .null,
                type.isKept(in: operand.type)
            else {
                result.append(term)
                continue
            }
            let place = Place(path: path, attribute: attribute.name)
            if let list = places[place] {
                lists[list].values.append(value)
            } else {
                places[place] = lists.count
                lists.append((result.count, operand, [value]))
                result.append(term)
            }
        }
        for list in lists where list.values.count > 1 {
            let among = TypedExpression.among(list.operand, ValueSet(list.values))
            result[list.place] = relation == .equal ? among : .not(among)
        }
        return result
    }

    private struct Place: Hashable {
        let path: ObjectPath
        let attribute: String
    }
}
