// Questions for the class of an object.

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

    /// The names of the entity of a class and of its sub-entities.
    fileprivate func entities(of type: Any.Type) throws -> [String] {
        guard let type = type as? ManagedObject.Type, let entity = model[type.entityName] else {
            throw UnsupportedPredicateError(
                part: "\(type)", reason: "it is the class of no entity of the model",
                remedy: "Use the class of an entity")
        }
        return model.families[entity.index].map { model.entities[$0].name }
    }

    /// An object as one of a class that it surely is of. (What only some objects have, a sub-entity's
    /// property, cannot be asked of all.)
    fileprivate mutating func cast(
        _ node: some PredicateExpression, to type: Any.Type
    ) throws -> PredicateMeaning {
        let object = try object(node)
        let wanted = try entities(of: type)
        guard wanted.contains(object.objectClass.entityName) else {
            throw UnsupportedPredicateError(
                part: "\(Self.name(of: node)) as \(type)",
                reason: "properties of a sub-entity cannot be asked of all objects",
                remedy: "Fetch \(type), or ask with `is` for the class")
        }
        return .object(object)
    }
}
