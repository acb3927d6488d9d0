extension ExpressionChecker {
    mutating func path(
        _ root: PathRoot, _ names: [ParsedExpression.Name], at offset: Int
    ) -> Checked? {
        var path = ObjectPath(root: .subject, entity: entity)
        if case .variable(let name) = root {
            guard let known = variables[name] else {
                return names.isEmpty
                    ? parameter(name, at: offset) : unknownVariable(name, at: offset)
            }
            path = known
        }
        let source = ModelExpression.keyPath(root: root, names: names.map(\.text))
        for (index, name) in names.enumerated() {
            if let attribute = model.attribute(name.text, of: path.entity),
                let declarer = model.declarer(of: name.text, in: path.entity)
            {
                guard index == names.count - 1 else {
                    return fail(
                        "'\(name.text)' is an attribute and leads to no other property",
                        at: names[index + 1].offset)
                }
                return Checked(
                    source: source, typed: .attribute(path, attribute, declarer: declarer),
                    offset: offset)
            }
            guard let relationship = model.relationship(name.text, of: path.entity),
                let destination = model.entity(named: relationship.destination)
            else { return unknownProperty(name, of: path.entity) }
            guard relationship.isToMany else {
                path = path.appending(relationship, to: destination)
                continue
            }
            guard let element = enter(relationship, of: path, to: destination, at: name) else {
                return nil
            }
            path = element
        }
        return Checked(source: source, typed: .object(path), offset: offset)
    }

    /// Steps through a to-many relationship where something surrounding speaks about many objects.
    private mutating func enter(
        _ relationship: Relationship, of owner: ObjectPath, to destination: Entity,
        at name: ParsedExpression.Name
    ) -> ObjectPath? {
        switch capture {
        case .forbidden:
            _ = fail(
                "'\(name.text)' leads to many objects", at: name.offset,
                hint: "say ANY, ALL or NONE before the comparison, or an aggregate such as @count")
            return nil
        case .taken:
            _ = fail(
                "'\(name.text)' is a second way to many objects in one path", at: name.offset,
                hint: "use SUBQUERY for one of them")
            return nil
        case .open:
            let collection = TypedCollection(
                owner: owner, relationship: relationship, destination: destination,
                variable: makeVariable())
            capture = .taken(collection)
            return ObjectPath(root: .variable(collection.variable), entity: destination)
        }
    }

    /// Checks a part that must lead through a to-many relationship.
    mutating func collection(_ parsed: ParsedExpression) -> (element: Checked, TypedCollection)? {
        let outer = capture
        capture = .open
        defer { capture = outer }
        guard let element = check(parsed) else { return nil }
        guard case .taken(let collection) = capture else {
            _ = fail("this leads to no to-many relationship", at: parsed.offset)
            return nil
        }
        return (element, collection)
    }

    /// Whether a path leads through a to-many relationship; false where it leads nowhere.
    func isToMany(_ parsed: ParsedExpression) -> Bool {
        guard case .path(let root, let names) = parsed.kind else { return false }
        var entity: Entity? = self.entity
        if case .variable(let name) = root { entity = variables[name]?.entity }
        for name in names {
            guard let owner = entity,
                let relationship = model.relationship(name.text, of: owner)
            else { return false }
            if relationship.isToMany { return true }
            entity = model.entity(named: relationship.destination)
        }
        return false
    }

    // MARK: Unknown names

    private mutating func unknownProperty(
        _ name: ParsedExpression.Name, of entity: Entity
    ) -> Checked? {
        let known =
            model.attributes(of: entity).map(\.name)
            + model.relationships(of: entity).map(\.name)
        return fail(
            "\(entity.name) has no property '\(name.text)'", at: name.offset,
            hint: nearestName(to: name.text, among: known).map { "did you mean '\($0)'?" })
    }

    private mutating func unknownVariable(_ name: String, at offset: Int) -> Checked? {
        let nearest = nearestName(to: name, among: variables.keys.sorted())
        return fail(
            "there is no variable $\(name)", at: offset,
            hint: nearest.map { "did you mean $\($0)?" })
    }

    private mutating func parameter(_ name: String, at offset: Int) -> Checked? {
        if let declared = parameters.first(where: { $0.name == name }) {
            return Checked(
                source: .parameter(name),
                typed: .parameter(name, ExpressionType(declared.type)), offset: offset)
        }
        guard allowsUndeclaredParameters else {
            let nearest = nearestName(to: name, among: parameters.map(\.name))
            return fail(
                "there is no parameter $\(name)", at: offset,
                hint: nearest.map { "did you mean $\($0)?" })
        }
        return Checked(
            source: .parameter(name), typed: .parameter(name, .null), offset: offset,
            flexible: .parameter(name))
    }

    // MARK: Aggregates

    mutating func aggregate(
        _ function: AggregateFunction, _ operand: ParsedExpression, at offset: Int
    ) -> Checked? {
        if case .subquery(let path, let variable, let condition) = operand.kind {
            return subquery(function, path, variable, condition, at: operand.offset)
        }
        guard let (element, collection) = collection(operand) else { return nil }
        let type = element.typed.type
        let isFit: Bool =
            switch function {
            case .count: true
            case .sum, .average: type.isNumber
            case .minimum, .maximum: type.isNumber || type == .date || type == .string
            }
        guard isFit else {
            return fail("\(function.rawValue) does not apply to \(type.description)", at: offset)
        }
        return Checked(
            source: .aggregate(function, element.source),
            typed: .aggregate(function, collection, element.typed), offset: offset)
    }

    private mutating func subquery(
        _ function: AggregateFunction, _ path: ParsedExpression, _ variable: String,
        _ condition: ParsedExpression, at offset: Int
    ) -> Checked? {
        guard function == .count else {
            return fail("only @count can follow a SUBQUERY", at: offset)
        }
        guard let (element, plain) = collection(path) else { return nil }
        var collection = plain
        guard case .object(let elementPath) = element.typed else {
            return fail("the first operand of SUBQUERY must lead to objects", at: path.offset)
        }
        let shadowed = variables.updateValue(elementPath, forKey: variable)
        let outer = capture
        capture = .forbidden
        defer {
            variables[variable] = shadowed
            capture = outer
        }
        guard let checked = self.condition(condition) else { return nil }
        collection.condition = checked.typed
        return Checked(
            source: .aggregate(
                function,
                .subquery(element.source, variable: variable, condition: checked.source)),
            typed: .aggregate(function, collection, element.typed), offset: offset)
    }
}
