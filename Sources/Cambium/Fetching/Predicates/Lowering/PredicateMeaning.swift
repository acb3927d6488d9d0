/// What a part of a `#Predicate` stands for.
enum PredicateMeaning {
    case value(ModelExpression)
    case object(ObjectMeaning)
    /// A composite value of an object, the key paths that led to it, and its name.
    case composite(ObjectMeaning, [AnyKeyPath], String)
    /// The members of a to-many relationship.
    case members(MembersMeaning)
    /// Values that were captured.
    case list([ModelExpression])
    /// What lies between two values; nil is no bound.
    case range(lower: ModelExpression?, upper: ModelExpression?, includesUpper: Bool)

    /// The one value or object that it is.
    var value: ModelExpression? {
        switch self {
        case .value(let value): value
        case .object(let object): object.expression
        case .composite(let object, _, let name): object.appending(name)
        case .members, .list, .range: nil
        }
    }

    var description: String {
        switch self {
        case .value: "a value"
        case .object(let object): "an object of \(object.objectClass)"
        case .composite(_, _, let name): "the composite value \(name)"
        case .members: "a to-many relationship"
        case .list: "a list"
        case .range: "a range"
        }
    }

    var remedy: String {
        switch self {
        case .members: "Use contains(where:), allSatisfy, isEmpty or count of it"
        case .list, .range: "Use contains(_:) of it"
        case .value, .object, .composite: "Compare one of its properties"
        }
    }
}

/// An object that a path leads to.
struct ObjectMeaning {
    let root: PathRoot
    let names: [String]
    let objectClass: ManagedObject.Type

    var expression: ModelExpression { .keyPath(root: root, names: names) }

    func appending(_ name: String) -> ModelExpression {
        .keyPath(root: root, names: names + [name])
    }
}

/// The members of a to-many relationship, or those that meet a condition.
struct MembersMeaning {
    let path: ModelExpression
    let objectClass: ManagedObject.Type
    /// What the condition calls a member.
    let variable: String
    var condition: ModelExpression?

    /// A member, for conditions about it.
    var member: PredicateMeaning {
        .object(ObjectMeaning(root: .variable(variable), names: [], objectClass: objectClass))
    }

    /// How many meet one more condition.
    func count(where further: ModelExpression? = nil) -> ModelExpression {
        let conditions = [condition, further].compactMap(\.self)
        guard let first = conditions.first else { return .aggregate(.count, path) }
        return .aggregate(
            .count,
            .subquery(
                path, variable: variable,
                condition: conditions.count == 1 ? first : .and(conditions)))
    }
}
