// Constants, variables, arithmetic and choices.

extension PredicateExpressions.Value: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        try lowering.captured(value)
    }
}

extension PredicateExpressions.NilLiteral: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        .value(.literal(.null))
    }
}

extension PredicateExpressions.Variable: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        guard let meaning = lowering.meanings[key] else {
            throw UnsupportedPredicateError(
                part: "a variable of \(Output.self)",
                reason: "it is not defined where it is used",
                remedy: "Use the variables of the predicate's own closures")
        }
        return meaning
    }
}

extension PredicateExpressions.Arithmetic: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let (left, right) = try lowering.values(lhs, rhs)
        let operation: ArithmeticOperator =
            switch op {
            case .add: .add
            case .subtract: .subtract
            case .multiply: .multiply
            @unknown default:
                throw UnsupportedPredicateError(
                    part: "\(op)", reason: "this operation is not known",
                    remedy: "Write it with +, -, * or /")
            }
        return .value(.arithmetic(left, operation, right))
    }
}

extension PredicateExpressions.UnaryMinus: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        .value(.arithmetic(.literal(.int(0)), .subtract, try lowering.value(wrapped)))
    }
}

extension PredicateExpressions.FloatDivision: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let (left, right) = try lowering.values(lhs, rhs)
        return .value(.arithmetic(left, .divide, right))
    }
}

extension PredicateExpressions.IntDivision: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let (left, right) = try lowering.values(lhs, rhs)
        return .value(.arithmetic(left, .divide, right))
    }
}

extension PredicateExpressions.IntRemainder: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let (left, right) = try lowering.values(lhs, rhs)
        return .value(.function(.modulus, [left, right]))
    }
}

extension PredicateExpressions.Conditional: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let test = try lowering.value(test)
        let (first, second) = try lowering.values(trueBranch, falseBranch)
        return .value(.conditional(test, then: first, otherwise: second))
    }
}

extension PredicateExpressions.KeyPath: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        switch try lowering.meaning(root) {
        case .object(let object):
            return try lowering.property([keyPath], of: object, sourceName)
        case .composite(let object, let chain, _):
            return try lowering.property(chain + [keyPath], of: object, sourceName)
        case .members(let members):
            if isCount { return .value(members.count()) }
            if isEmptiness {
                return .value(.comparison(members.count(), .equal, .literal(.int(0)), []))
            }
        case .list(let values):
            if isCount { return .value(.literal(.int(Int64(values.count)))) }
            if isEmptiness { return .value(values.isEmpty ? .and([]) : .or([])) }
        case .value(let value):
            if isCount { return .value(.function(.length, [value])) }
            if isEmptiness {
                return .value(
                    .comparison(.function(.length, [value]), .equal, .literal(.int(0)), []))
            }
            if keyPath == \Date.timeIntervalSinceReferenceDate {
                return .value(.function(.number, [value]))
            }
        case .range:
            break
        }
        throw UnsupportedPredicateError(
            part: sourceName ?? "a key path",
            reason: "a store does not have this of \(Root.Output.self)",
            remedy: "Compare the value itself, or keep what is wanted in an attribute")
    }

    var sourceName: String? { "\(keyPath)" }

    private var isCount: Bool {
        if case .collectionCount = kind { return true }
        return (Root.Output.self as? any ToManyValue.Type)?.isCount(keyPath) ?? false
    }

    private var isEmptiness: Bool {
        if case .collectionIsEmpty = kind { return true }
        return (Root.Output.self as? any ToManyValue.Type)?.isEmptiness(keyPath) ?? false
    }
}

extension PredicateLowering {
    /// Returns the meaning of the property that key paths name.
    fileprivate mutating func property(
        _ chain: [AnyKeyPath], of object: ObjectMeaning, _ name: String?
    ) throws -> PredicateMeaning {
        switch PropertyFinder.property(chain, of: object.objectClass, model) {
        case .attribute(let name): return .value(object.appending(name))
        case .composite(let name): return .composite(object, chain, name)
        case .identity: return .value(object.expression)
        case .toOne(let name, let type):
            return .object(
                ObjectMeaning(root: object.root, names: object.names + [name], objectClass: type))
        case .toMany(let name, let type):
            return .members(
                MembersMeaning(
                    path: object.appending(name), objectClass: type, variable: makeVariable()))
        case nil:
            throw UnsupportedPredicateError(
                part: name ?? "a key path",
                reason: "it is not a property of the entity \(object.objectClass.entityName), or a "
                    + "getter that computes something",
                remedy: "Write its condition here, or make it a derived attribute of the model")
        }
    }
}

// Strings.

extension PredicateExpressions.CollectionContainsCollection: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let (text, part) = try lowering.values(base, other)
        return .value(.comparison(text, .contains, part, []))
    }
}

extension PredicateExpressions.SequenceStartsWith: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let (text, start) = try lowering.values(base, prefix)
        return .value(.comparison(text, .beginsWith, start, []))
    }
}

extension PredicateExpressions.StringContainsRegex: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let (text, pattern) = try lowering.values(subject, regex)
        guard case .literal(.string(let pattern)) = pattern else {
            throw UnsupportedPredicateError(
                part: PredicateLowering.name(of: regex), reason: "it is not a constant pattern",
                remedy: "Use a regular expression that the closure captures")
        }
        // MATCHES compares complete strings, with other options than Swift's regular expressions.
        let whole = "(?s:.*)(?-sm:\(pattern))(?s:.*)"
        return .value(.comparison(text, .matches, .literal(.string(whole)), []))
    }
}

// Type checks and casts of objects.

extension PredicateExpressions.TypeCheck: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let object = try lowering.object(input)
        let names = try lowering.entities(of: Desired.self)
        return .value(
            .comparison(
                .function(.entity, [object.expression]), .in,
                .list(names.map { .literal(.string($0)) }), []))
    }
}

extension PredicateExpressions.ConditionalCast: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        try lowering.cast(input, to: Desired.self)
    }
}

extension PredicateExpressions.ForceCast: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        try lowering.cast(input, to: Desired.self)
    }
}

extension PredicateLowering {
    fileprivate mutating func object(_ node: some PredicateExpression) throws -> ObjectMeaning {
        let meaning = try meaning(node)
        if case .object(let object) = meaning { return object }
        throw UnsupportedPredicateError(
            part: Self.name(of: node), reason: "\(meaning.description) is of a type that is known",
            remedy: "Use the value as it is")
    }

    /// Returns the names of a class's entity and of its sub-entities.
    fileprivate func entities(of type: Any.Type) throws -> [String] {
        guard let type = type as? ManagedObject.Type, let entity = model[type.entityName] else {
            throw UnsupportedPredicateError(
                part: "\(type)", reason: "no entity of the model has this class",
                remedy: "Use the class of an entity")
        }
        return model.families[entity.index].map { model.entities[$0].name }
    }

    /// Casts an object to its own class or a superclass. (A sub-entity's property exists only in
    /// some objects, so a condition on all objects cannot use it.)
    fileprivate mutating func cast(
        _ node: some PredicateExpression, to type: Any.Type
    ) throws -> PredicateMeaning {
        let object = try object(node)
        let wanted = try entities(of: type)
        guard wanted.contains(object.objectClass.entityName) else {
            throw UnsupportedPredicateError(
                part: "\(Self.name(of: node)) as \(type)",
                reason: "the other objects have no properties of a sub-entity",
                remedy: "Fetch \(type), or ask with `is` for the class")
        }
        return .object(object)
    }
}
