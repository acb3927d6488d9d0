extension ModelExpression {
    /// Returns the condition of a fetched property with the values of the object that has the
    /// property in place of `$source`. The result uses only the destination and is lowered like any
    /// other condition.
    ///
    /// Parts that use only the source become constants. Quantifiers and counts over the source's
    /// objects that also use the destination are written out, one part for each object.
    ///
    /// - Parameters:
    ///   - source: The object that has the property, with its unsaved changes.
    ///   - entity: The source's entity.
    ///   - model: The model of both.
    ///   - now: The time of `now()` beside values of the source.
    /// - Throws: ``ExpressionDiagnostics`` if the condition does not fit the entity, or aggregates
    ///   the source's objects by a value that depends on the destination.
    /// - Complexity: O(condition × objects that it looks at)
    package func binding(
        source: any ExpressionSubject, entity: Entity, model: Model, now: Date = .now
    ) throws(ExpressionDiagnostics) -> ModelExpression {
        let binding = SourceBinding(
            model: model, now: now, objects: [FetchedPropertyScope.sourceName: (source, entity)])
        return try binding.bound(self)
    }
}

/// Replaces variables for known objects by constants.
private struct SourceBinding {
    typealias Objects = [String: (subject: any ExpressionSubject, entity: Entity)]

    let model: Model
    let now: Date
    var objects: Objects

    func bound(_ expression: ModelExpression) throws(ExpressionDiagnostics) -> ModelExpression {
        let use = Use(of: expression, objects)
        guard use.known else { return expression }
        if case .keyPath(.variable(let name), let names) = expression {
            if let elements = elements(name, names) {
                return .list(elements.map { .literal($0.value) })
            }
        }
        // An expression that uses only known objects is a constant.
        if !use.others, expression.isValue {
            return .literal(try value(of: expression))
        }
        switch expression {
        case .quantified(let quantifier, let comparison):
            return try quantified(quantifier, comparison)
        case .comparison(let left, .contains, let right, let options):
            let bound = try bound(left)
            // `$source.items CONTAINS x`: an element of a list.
            if case .list = bound { return .comparison(try self.bound(right), .in, bound, options) }
            return .comparison(bound, .contains, try self.bound(right), options)
        case .aggregate(let function, .subquery(let path, let variable, let condition)):
            return try count(function, path, variable, condition)
        case .subquery(let path, let variable, let condition):
            var inner = self
            inner.objects[variable] = nil  // the name is another object's here
            return .subquery(
                try bound(path), variable: variable, condition: try inner.bound(condition))
        default: break
        }
        var failure: ExpressionDiagnostics?
        var isRoot = true
        let result = expression.transformed { part in
            if isRoot {
                isRoot = false
                return nil
            }
            if failure != nil { return part }
            do throws(ExpressionDiagnostics) {
                return try bound(part)
            } catch {
                failure = error
                return part
            }
        }
        if let failure { throw failure }
        return result
    }

    // MARK: Objects of known objects

    /// An element of a to-many path: the value at the path's end, and the object that has it.
    private struct Element {
        let value: Value
        let subject: any ExpressionSubject
        let entity: Entity
        let isObject: Bool
    }

    /// Returns the elements at the end of a path from a known object through to-many relationships.
    /// The result is nil if the path has no to-many relationship.
    private func elements(_ variable: String, _ names: [String]) -> [Element]? {
        guard let start = objects[variable] else { return nil }
        var (current, entity) = ([start.subject], start.entity)
        var isMany = false
        for (index, name) in names.enumerated() {
            guard let relationship = model.relationship(name, of: entity),
                let destination = model.entity(named: relationship.destination)
            else {
                guard isMany else { return nil }
                let attribute = names[index...].joined(separator: ".")
                return current.map {
                    Element(
                        value: $0.value(ofAttribute: attribute), subject: $0, entity: entity,
                        isObject: false)
                }
            }
            isMany = isMany || relationship.isToMany
            current = current.flatMap { object in
                relationship.isToMany
                    ? object.relatedObjects(name) : object.related(name).map { [$0] } ?? []
            }
            entity = destination
        }
        guard isMany else { return nil }
        return current.map {
            Element(value: .int($0.expressionKey), subject: $0, entity: entity, isObject: true)
        }
    }

    private func value(of expression: ModelExpression) throws(ExpressionDiagnostics) -> Value {
        let names = objects.keys.ordered(by: <)
        guard let first = names.first.flatMap({ objects[$0] }) else { return .null }
        let typed = try ExpressionCompiler.typedValue(
            expression, entity: first.entity, model: model,
            variables: objects.mapValues { $0.entity })
        let elements = names.compactMap { objects[$0]?.subject }
        do {
            return try ExpressionEvaluator(typed).evaluate(elements, now: now) ?? .null
        } catch {
            throw ExpressionDiagnostics([ExpressionDiagnostic(offset: 0, message: "\(error)")])
        }
    }

    // MARK: Many objects

    /// `ANY $source.items.x == y`: a comparison for each object.
    private func quantified(
        _ quantifier: Quantifier, _ comparison: ModelExpression
    ) throws(ExpressionDiagnostics) -> ModelExpression {
        guard let path = comparison.manyPath(where: { isMany($0) }),
            case .keyPath(.variable(let name), let names) = path,
            let elements = elements(name, names)
        else {
            // The quantifier is about the destination's objects.
            return .quantified(quantifier, try bound(comparison))
        }
        var parts: [ModelExpression] = []
        for element in elements {
            parts.append(
                try bound(
                    comparison.transformed { $0 == path ? .literal(element.value) : nil }))
        }
        return switch quantifier {
        case .any: .or(parts)
        case .all: .and(parts)
        case .none: .not(.or(parts))
        }
    }

    private func isMany(_ expression: ModelExpression) -> Bool {
        guard case .keyPath(.variable(let name), let names) = expression else { return false }
        return elements(name, names) != nil
    }

    /// Binds `SUBQUERY($source.items, $i, $i.x == y).@count`: each object counts as one or zero.
    private func count(
        _ function: AggregateFunction, _ path: ModelExpression, _ variable: String,
        _ condition: ModelExpression
    ) throws(ExpressionDiagnostics) -> ModelExpression {
        guard case .keyPath(.variable(let name), let names) = path,
            let elements = elements(name, names)
        else {
            var inner = self
            inner.objects[variable] = nil
            return .aggregate(
                function,
                .subquery(
                    try bound(path), variable: variable, condition: try inner.bound(condition)))
        }
        guard function == .count else {
            throw ExpressionDiagnostics([
                ExpressionDiagnostic(
                    offset: 0,
                    message: "\(function.rawValue) of the source's objects cannot depend on the "
                        + "objects that are found",
                    hint: "only @count can")
            ])
        }
        var total = ModelExpression.literal(.int(0))
        var parts: [ModelExpression] = []
        for element in elements where element.isObject || element.value != .null {
            var inner = self
            inner.objects[variable] = (element.subject, element.entity)
            parts.append(
                .conditional(
                    try inner.bound(condition), then: .literal(.int(1)),
                    otherwise: .literal(.int(0))))
        }
        // A balanced sum, because a chain would be as deep as there are objects.
        while parts.count > 1 {
            parts = stride(from: 0, to: parts.count, by: 2).map { start in
                start + 1 < parts.count
                    ? .arithmetic(parts[start], .add, parts[start + 1]) : parts[start]
            }
        }
        if let sum = parts.first { total = sum }
        return total
    }

    // MARK: The objects that an expression uses

    private struct Use {
        /// A known object.
        var known = false
        /// The destination, or a variable for one of its objects.
        var others = false

        init(of expression: ModelExpression, _ objects: Objects, inner: Set<String> = []) {
            switch expression {
            case .keyPath(.variable(let name), _):
                if inner.contains(name) { return }
                known = objects[name] != nil
                others = !known
            case .keyPath(.subject, _), .parameter: others = true
            case .subquery(let path, let variable, let condition):
                merge(Use(of: path, objects, inner: inner))
                merge(Use(of: condition, objects, inner: inner.union([variable])))
            default:
                for operand in expression.operands {
                    merge(Use(of: operand, objects, inner: inner))
                }
            }
        }

        private mutating func merge(_ other: Use) {
            known = known || other.known
            others = others || other.others
        }
    }
}

extension ModelExpression {
    /// Whether the expression is a single value, so that a constant can replace it.
    fileprivate var isValue: Bool {
        switch self {
        case .list, .subquery: false
        default: true
        }
    }

    /// The path through to-manys that a quantifier at this comparison is about: the first at its
    /// left.
    fileprivate func manyPath(where isMany: (ModelExpression) -> Bool) -> ModelExpression? {
        let left: ModelExpression =
            switch self {
            case .comparison(let left, _, _, _), .between(let left, _, _): left
            default: self
            }
        var paths = [left]
        while let next = paths.popLast() {
            if isMany(next) { return next }
            paths += next.operands
        }
        return nil
    }
}
