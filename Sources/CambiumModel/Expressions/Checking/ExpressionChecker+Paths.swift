extension ExpressionChecker {
    /// SQLite joins at most 64 tables, and no person writes such a path.
    static let maximumPathLength = 50

    func path(
        _ root: PathRoot, _ names: [ParsedExpression.Name], at offset: Int
    ) -> Checked? {
        guard names.count <= Self.maximumPathLength else {
            return fail("a path has at most \(Self.maximumPathLength) names", at: offset)
        }
        var root = root
        if case .variable(let name) = root, let scope = fetchedProperty {
            if FetchedPropertyScope.isSource(name) { root = FetchedPropertyScope.source }
            if FetchedPropertyScope.isProperty(name) {
                return described(scope, names, at: offset)
            }
        }
        var start = ObjectPath(root: .subject, entity: entity)
        if case .variable(let name) = root {
            guard let known = variables[name] else {
                return names.isEmpty
                    ? parameter(name, at: offset) : unknownVariable(name, at: offset)
            }
            start = known
        }
        return path(root, from: start, names.flatMap { $0.parts }, at: offset)
    }

    /// Follows names without dots. The tree gets the parts of composite values with their dots.
    private func path(
        _ root: PathRoot, from start: ObjectPath, _ names: [ParsedExpression.Name], at offset: Int
    ) -> Checked? {
        var path = start
        var found: [String] = []
        var index = 0
        while index < names.count {
            var name = names[index]
            var composite: CompositeAttribute?
            while let attribute = model.compositeAttribute(name.text, of: path.entity) {
                composite = attribute
                guard index + 1 < names.count else { break }
                index += 1
                name = .init(
                    text: "\(name.text).\(names[index].text)", offset: names[index].offset)
            }
            found.append(name.text)
            let source = ModelExpression.keyPath(root: root, names: found)
            if let composite, composite.name == name.text {
                return self.composite(
                    composite, of: path, named: found.joined(separator: "."), source: source,
                    at: offset)
            }
            index += 1
            if let attribute = model.attribute(name.text, of: path.entity),
                let declarer = model.declarer(of: name.text, in: path.entity)
            {
                let isLength = Self.isLength(names[index...], of: attribute)
                guard index == names.count || isLength else {
                    return fail(
                        "'\(name.text)' is an attribute and has no properties",
                        at: names[index].offset)
                }
                guard isAllowed(attribute, path, at: offset) else { return nil }
                let typed = TypedExpression.attribute(path, attribute, declarer: declarer)
                if isLength {
                    return Checked(
                        source: .function(.length, [source]),
                        typed: .function(.length, [typed], .integer), offset: offset)
                }
                return Checked(
                    source: source, typed: typed, offset: offset,
                    opaque: attribute.usesExternalForm
                        ? OpaqueOperand(
                            name: attribute.name, isExternal: true, parts: [], typed: [typed])
                        : nil)
            }
            guard let relationship = model.relationship(name.text, of: path.entity),
                let destination = model.entity(named: relationship.destination)
            else {
                guard isIdentity(name, names, index) else {
                    return unknownProperty(name, of: path.entity, within: composite)
                }
                found.removeLast()
                break
            }
            guard isAllowed(relationship, path, at: name.offset) else { return nil }
            guard relationship.isToMany else {
                path = path.appending(relationship, to: destination)
                continue
            }
            guard let element = enter(relationship, of: path, to: destination, at: name) else {
                return nil
            }
            path = element
        }
        guard purpose != .index || path.steps.count <= 1 else {
            return notOfItsRow(at: offset)
        }
        return Checked(
            source: .keyPath(root: root, names: found), typed: .object(path), offset: offset)
    }

    /// Whether the rest of a path after an attribute is `length`, which is the length of a string
    /// or of data in Core Data's format.
    private static func isLength(
        _ rest: ArraySlice<ParsedExpression.Name>, of attribute: Attribute
    ) -> Bool {
        rest.count == 1 && rest.first?.text == "length" && !attribute.usesExternalForm
            && (attribute.type == .string || attribute.type == .data)
    }

    /// Whether a name is `objectID` at the end of a path and not a property. As in Core Data's
    /// texts, it is the object itself.
    private func isIdentity(
        _ name: ParsedExpression.Name, _ names: [ParsedExpression.Name], _ next: Int
    ) -> Bool {
        name.text == "objectID" && next == names.count
    }

    /// Steps through a to-many relationship if the surrounding expression is about many objects.
    private func enter(
        _ relationship: Relationship, of owner: ObjectPath, to destination: Entity,
        at name: ParsedExpression.Name
    ) -> ObjectPath? {
        guard case .open(var collections, let maximum) = capture else {
            _ = fail(
                "'\(name.text)' is a to-many relationship", at: name.offset,
                hint: "write ANY, ALL or NONE before the comparison, or an aggregate such as @count"
            )
            return nil
        }
        let isNext = collections.last.map { owner.root == .variable($0.variable) } ?? true
        guard isNext, collections.count < maximum else {
            let isTooDeep = isNext && maximum > 1
            _ = fail(
                isTooDeep
                    ? "'\(name.text)' is one to-many relationship too many: a path can have "
                        + "\(maximum) at most"
                    : "'\(name.text)' is the second to-many relationship in one path",
                at: name.offset, hint: "use SUBQUERY for one of them")
            return nil
        }
        let collection = TypedCollection(
            owner: owner, relationship: relationship, destination: destination,
            variable: makeVariable())
        collections.append(collection)
        capture = .open(collections, maximum: maximum)
        return ObjectPath(root: .variable(collection.variable), entity: destination)
    }

    /// Checks a path that must contain to-many relationships.
    func collections(
        _ parsed: ParsedExpression, maximum: Int
    ) -> (element: Checked, [TypedCollection])? {
        let outer = capture
        capture = .open([], maximum: maximum)
        defer { capture = outer }
        guard let element = check(parsed) else { return nil }
        guard case .open(let collections, _) = capture, !collections.isEmpty else {
            _ = fail("this is not a to-many relationship", at: parsed.offset)
            return nil
        }
        return (element, collections)
    }

    /// Checks a path that must contain one to-many relationship.
    func firstCollection(
        _ found: (element: Checked, [TypedCollection])?
    ) -> (element: Checked, TypedCollection)? {
        guard let found, let first = found.1.first else { return nil }
        return (found.element, first)
    }

    /// Whether a path contains a to-many relationship; false if the path is invalid.
    func isToMany(_ parsed: ParsedExpression) -> Bool {
        guard case .path(let root, let names) = parsed.kind else { return false }
        var entity: Entity? = self.entity
        if case .variable(let name) = root {
            let isSource = fetchedProperty != nil && FetchedPropertyScope.isSource(name)
            entity = variables[isSource ? FetchedPropertyScope.sourceName : name]?.entity
        }
        for name in names.prefix(Self.maximumPathLength) {
            guard let owner = entity,
                let relationship = model.relationship(name.text, of: owner)
            else { return false }
            if relationship.isToMany { return true }
            entity = model.entity(named: relationship.destination)
        }
        return false
    }

    // MARK: Unknown names

    private func unknownProperty(
        _ name: ParsedExpression.Name, of entity: Entity, within composite: CompositeAttribute?
    ) -> Checked? {
        if let composite {
            return unknownPart(name, of: composite, of: entity)
        }
        let known =
            model.attributes(of: entity).map { $0.name }
            + model.compositeAttributes(of: entity).map { $0.name }
            + model.relationships(of: entity).map { $0.name }
        let count = diagnostics.count
        _ = fail(
            "'\(entity.name)' has no property '\(name.text)'", at: name.offset,
            hint: suggestion(for: name.text, among: known)
                ?? (entity.name == variables[FillScope.former]?.entity.name
                    ? "$\(FillScope.former) has only the stored attributes of the object, and no other "
                        + "object" : nil))
        if diagnostics.count > count { diagnostics[count].lackingEntity = entity.name }
        return nil
    }

    private func unknownPart(
        _ name: ParsedExpression.Name, of composite: CompositeAttribute, of entity: Entity
    ) -> Checked? {
        let prefix = composite.name + "."
        let known =
            (model.attributes(of: entity).map { $0.name }
            + model.compositeAttributes(of: entity).map { $0.name })
            .filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
            .filter { !$0.contains(".") }
        let text = String(name.text.dropFirst(prefix.count))
        let nearest = suggestion(for: text, among: known)
        return fail(
            "'\(composite.composite)' has no attribute '\(text)'", at: name.offset,
            hint: nearest ?? (known.isEmpty ? nil : "it has \(known.joined(separator: ", "))"))
    }

    private func unknownVariable(_ name: String, at offset: Int) -> Checked? {
        if parameters.contains(where: { $0.name == name }) || unusedNames.contains(name)
            || inference?.names?.contains(name) ?? false
        {
            return fail(
                "$\(name) is a parameter, and no path can start at one", at: offset,
                hint: "compare with $\(name) itself, or make the value itself a parameter")
        }
        if purpose == .fill, name == FillScope.former {
            return fail(
                "no object of '\(entity.name)' existed in the version before", at: offset,
                hint: "fill the attribute in the entity that the objects were of")
        }
        let nearest = nearestName(to: name, among: variables.keys.ordered(by: <))
        return fail(
            "there is no variable $\(name)", at: offset,
            hint: nearest.map { "did you mean $\($0)?" })
    }
}

extension ParsedExpression.Name {
    /// The names that its dots separate, as in keys for parts of composite values.
    var parts: [ParsedExpression.Name] {
        guard text.utf8.contains(UInt8(ascii: ".")) else { return [self] }
        return text.split(separator: ".", omittingEmptySubsequences: false).map {
            .init(text: String($0), offset: offset)
        }
    }
}

extension ExpressionChecker {
    func aggregate(
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

    private func isFit(
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
    private func subquery(
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

    /// The aggregated expression, and the object that the variable refers to.
    private func subqueryElement(
        _ found: Checked, _ value: [ParsedExpression.Name], at offset: Int
    ) -> (Checked, ObjectPath)? {
        if case .attribute(let path, _, _) = found.typed, value.isEmpty { return (found, path) }
        guard case .object(let path) = found.typed,
            case .keyPath(let root, let names) = found.source
        else {
            _ = fail("the first operand of SUBQUERY must be a to-many relationship", at: offset)
            return nil
        }
        guard let first = value.first else { return (found, path) }
        let name = value.flatMap { $0.parts }.map { $0.text }.joined(separator: ".")
        guard let attribute = model.attribute(name, of: path.entity),
            let declarer = model.declarer(of: name, in: path.entity)
        else {
            let known = model.attributes(of: path.entity).map { $0.name }
            _ = fail(
                "'\(name)' is not an attribute of \(path.entity.name)", at: first.offset,
                hint: suggestion(for: name, among: known)
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

/// The properties and functions that a derived attribute or an index may not use.
extension ExpressionChecker {
    func notOfItsRow(at offset: Int) -> Checked? {
        fail(
            "an index can only use properties of its own entity", at: offset,
            hint: "make a derived attribute of the path and index that")
    }

    func isAllowed(_ attribute: Attribute, _ path: ObjectPath, at offset: Int) -> Bool {
        guard purpose.isStored else { return true }
        if attribute.isTransient {
            return refuse(
                "'\(attribute.name)' is transient: it is not in the store", at: offset)
        }
        if purpose == .index, !path.steps.isEmpty {
            _ = notOfItsRow(at: offset)
            return false
        }
        return true
    }

    func isAllowed(
        _ relationship: Relationship, _ path: ObjectPath, at offset: Int
    ) -> Bool {
        guard purpose.isStored else { return true }
        if relationship.isTransient {
            return refuse(
                "'\(relationship.name)' is transient: it is not in the store", at: offset)
        }
        if purpose == .index, relationship.isToMany {
            _ = notOfItsRow(at: offset)
            return false
        }
        return true
    }

    func isAllowed(
        _ relation: ComparisonOperator, _ options: ComparisonOptions, at offset: Int
    ) -> Bool {
        guard purpose == .index else { return true }
        if relation == .matches {
            return refuse(
                "SQLite has no regular expressions of its own, so an index cannot use MATCHES",
                at: offset, hint: "write LIKE or BEGINSWITH")
        }
        guard options.subtracting(.normalized).isEmpty else {
            return refuse(
                "SQLite does not know upper and lower case or accents beyond ASCII, so an index "
                    + "cannot use [c] or [d]", at: offset,
                hint: "make a derived attribute with canonical: and index that")
        }
        return true
    }

    func isAllowed(
        _ function: ModelFunction, _ type: ExpressionType?, at offset: Int
    ) -> Bool {
        guard purpose == .fill || function != .uuid else {
            return refuse(
                "'uuid()' has another value for each row", at: offset,
                hint: "only a <fill> can use it")
        }
        guard purpose == .index, !function.descriptor.isInSQLite(type) else { return true }
        guard function != .now else {
            return refuse("'now()' has another value each time", at: offset)
        }
        return refuse(
            "SQLite has no \(function.rawValue)() of its own for this, so an index cannot use it",
            at: offset, hint: "make a derived attribute of it and index that")
    }
}
