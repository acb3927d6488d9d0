extension ExpressionChecker {
    mutating func aggregate(
        _ function: AggregateFunction, _ operand: ParsedExpression, at offset: Int
    ) -> Checked? {
        if case .subquery(let path, let variable, let condition, let value) = operand.kind {
            return subquery(
                function, path, variable, condition, value, at: operand.offset,
                functionOffset: offset)
        }
        guard let (element, collection) = firstCollection(collections(operand, maximum: 1)),
            isFit(function, element.type, at: offset)
        else { return nil }
        return Checked(
            source: .aggregate(function, element.source),
            typed: .aggregate(function, collection, element.typed), offset: offset)
    }

    private mutating func isFit(
        _ function: AggregateFunction, _ type: ExpressionType, at offset: Int
    ) -> Bool {
        let isFit: Bool =
            switch function {
            case .count: true
            case .sum, .average: type.hasSum
            case .minimum, .maximum: type.isOrdered
            }
        if !isFit {
            _ = fail("\(function.rawValue) does not apply to \(type.description)", at: offset)
        }
        return isFit
    }

    /// The path of the subquery may end with the attribute that is aggregated; the variable then is
    /// the object that has it.
    private mutating func subquery(
        _ function: AggregateFunction, _ path: ParsedExpression, _ variable: String,
        _ condition: ParsedExpression, _ value: [ParsedExpression.Name], at offset: Int,
        functionOffset: Int
    ) -> Checked? {
        guard let (found, collection) = firstCollection(collections(path, maximum: 1)) else {
            return nil
        }
        guard let (element, elementPath) = subqueryElement(found, value, at: path.offset),
            isFit(function, element.type, at: functionOffset)
        else { return nil }
        guard fetchedProperty == nil || !FetchedPropertyScope.isSource(variable) else {
            return fail("$\(variable) is the object that has the property", at: offset)
        }
        let shadowed = variables.updateValue(elementPath, forKey: variable)
        let outer = capture
        capture = .forbidden
        defer {
            variables[variable] = shadowed
            capture = outer
        }
        guard let checked = self.condition(condition) else { return nil }
        return Checked(
            source: .aggregate(
                function,
                .subquery(element.source, variable: variable, condition: checked.source)),
            typed: .aggregate(
                function, collection.filtered(by: checked.typed), element.typed), offset: offset)
    }

    /// What is aggregated, and the object that the variable stands for.
    private mutating func subqueryElement(
        _ found: Checked, _ value: [ParsedExpression.Name], at offset: Int
    ) -> (Checked, ObjectPath)? {
        if case .attribute(let path, _, _) = found.typed, value.isEmpty { return (found, path) }
        guard case .object(let path) = found.typed,
            case .keyPath(let root, let names) = found.source
        else {
            _ = fail("the first operand of SUBQUERY must lead to objects", at: offset)
            return nil
        }
        guard let first = value.first else { return (found, path) }
        let name = value.flatMap(\.parts).map(\.text).joined(separator: ".")
        guard let attribute = model.attribute(name, of: path.entity),
            let declarer = model.declarer(of: name, in: path.entity)
        else {
            let known = model.attributes(of: path.entity).map(\.name)
            _ = fail(
                "'\(name)' is no attribute of \(path.entity.name)", at: first.offset,
                hint: nearestName(to: name, among: known).map { "did you mean '\($0)'?" }
                    ?? "only an attribute of the elements themselves can follow a SUBQUERY")
            diagnostics[diagnostics.count - 1].lackingEntity = path.entity.name
            return nil
        }
        guard !attribute.usesExternalForm else {
            let opaque = OpaqueOperand(name: name, isExternal: true, parts: [], typed: [])
            _ = fail(opaque.mistake, at: first.offset, hint: opaque.hint)
            return nil
        }
        return (
            Checked(
                source: .keyPath(root: root, names: names + [name]),
                typed: .attribute(path, attribute, declarer: declarer), offset: first.offset),
            path
        )
    }
}
