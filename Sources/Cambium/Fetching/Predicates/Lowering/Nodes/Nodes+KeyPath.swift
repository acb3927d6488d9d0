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
    /// The property of an object that key paths lead to.
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
                reason: "it is no property of the entity \(object.objectClass.entityName), or a "
                    + "getter that computes something",
                remedy: "Write its condition here, or make it a derived attribute of the model")
        }
    }
}
