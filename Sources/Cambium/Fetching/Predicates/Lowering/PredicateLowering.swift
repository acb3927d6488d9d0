import CambiumRecords

extension Condition {
    /// Creates a condition from Foundation's `#Predicate`:
    ///
    /// ```swift
    /// let cheap = try Condition<Product>(
    ///     #Predicate { $0.price < 20 && $0.category?.name == name })
    /// ```
    ///
    /// It becomes the same tree as a condition from keys, runs as one statement, and can be
    /// combined with other conditions. A predicate can use the following:
    ///
    /// - attributes, parts of composite attributes, relationships (`contains(where:)`,
    ///   `allSatisfy`, `filter { … }.count`, `isEmpty`) and `objectID`,
    /// - optionals in all their spellings, arithmetic, ranges, lists, strings, and `is`/`as?`
    ///   between entities,
    /// - values that the closure captures.
    ///
    /// A computed property of the program cannot be used: a store does not run it.
    ///
    /// The meaning is that of all conditions here. Foundation's own `evaluate(_:)` differs: it
    /// compares strings by canonical equivalence, not by their bytes, and `count` counts
    /// characters, not Unicode scalars. It throws at `!` of nil and traps at overflow; here the
    /// comparison is false. Division by zero yields infinity there, here nil. It rounds decimals of
    /// more than 38 digits.
    ///
    /// - Warning: A key path does not tell the name of its property. To find the name, the library
    ///   reads the key path from sample objects that belong to no context. A computed property in a
    ///   predicate therefore runs with values that no row has. If it traps on them
    ///   (`UUID(uuidString: text)!`, `products.first!`), the program traps here, instead of
    ///   throwing an error. The first sample values are plain (small numbers, digits as text), and
    ///   reading stops at the first result that is not the value of a property.
    /// - Throws: ``UnsupportedPredicateError``. It names the part that a store cannot evaluate, and
    ///   a replacement.
    /// - Complexity: O(size of the predicate); the first use of a key path reads it up to 14 times.
    public init(_ predicate: Predicate<Root>) throws {
        guard let compiled = Root.entityReference.model else {
            throw UnsupportedPredicateError(
                part: "\(Root.self)", reason: "the class belongs to no model",
                remedy: "Give the condition as text: filter(format:)")
        }
        var lowering = PredicateLowering(model: compiled.modelDescription)
        lowering.meanings[predicate.variable.key] = .object(
            ObjectMeaning(root: .subject, names: [], objectClass: Root.self))
        let condition = try lowering.value(predicate.expression)
        self.init(condition, objects: lowering.objects)
    }
}

/// Translates the tree of Foundation's `#Predicate` into a condition's tree.
///
/// Each kind of node defines its own meaning; an unknown node is an error that names it.
struct PredicateLowering {
    let model: ModelDescription
    /// The meanings of the variables.
    var meanings = [PredicateExpressions.VariableID: PredicateMeaning]()
    /// The objects of captured identities.
    var objects: [ObjectID] = []
    private var variableCount = 0

    init(model: ModelDescription) {
        self.model = model
    }

    /// Returns a name for the members of a collection.
    mutating func makeVariable() -> String {
        variableCount += 1
        return "member\(variableCount)"
    }

    mutating func meaning(_ node: some PredicateExpression) throws -> PredicateMeaning {
        guard let node = node as? any LowerableNode else {
            throw UnsupportedPredicateError(
                part: Self.name(of: node), reason: "a store cannot compute this",
                remedy: "Compute it before and use the result, or keep it in an attribute")
        }
        return try node.lower(&self)
    }

    /// Returns the meaning of a node as a single value or object. Throws if it is something else.
    mutating func value(_ node: some PredicateExpression) throws -> ModelExpression {
        let meaning = try meaning(node)
        if let value = meaning.value { return value }
        throw UnsupportedPredicateError(
            part: Self.name(of: node), reason: "\(meaning.description) is not a single value",
            remedy: meaning.remedy)
    }

    /// Returns the values of a left and a right operand.
    mutating func values(
        _ left: some PredicateExpression, _ right: some PredicateExpression
    ) throws -> (ModelExpression, ModelExpression) {
        (try value(left), try value(right))
    }

    /// The name of a node in error messages.
    static func name(of node: some PredicateExpression) -> String {
        if let node = node as? any LowerableNode, let name = node.sourceName { return name }
        let name = String(describing: type(of: node))
        return String(name.prefix { $0 != "<" })
    }
}

/// A kind of predicate node that can be translated.
protocol LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning
    /// The spelling of the node in source code, or nil if it is not known.
    var sourceName: String? { get }
}

extension LowerableNode {
    var sourceName: String? { nil }
}

extension PredicateLowering {
    /// Returns the meaning of a captured value.
    mutating func captured(_ value: Any) throws -> PredicateMeaning {
        if let optional = value as? any OptionalValue {
            return try optional.content.map { try captured($0) } ?? .value(.literal(.null))
        }
        switch value {
        case let id as ObjectID:
            objects.append(id)
            return .value(.literal(.int(id.key)))
        case let value as any AttributeValue:
            return .value(.literal(value.attributeValue))
        case let number as any BinaryInteger:
            guard let exact = Int64(exactly: number) else { break }
            return .value(.literal(.int(exact)))
        case let number as any BinaryFloatingPoint:
            return .value(.literal(.double(Double(number))))
        case let text as any StringProtocol:
            return .value(.literal(.string(String(text))))
        case let character as Character:
            return .value(.literal(.string(String(character))))
        case let regex as PredicateExpressions.PredicateRegex:
            return .value(.literal(.string(regex.stringRepresentation)))
        case let range as any CapturedRange:
            return range.meaning
        case let elements as any Sequence:
            return .list(try list(elements))
        default:
            break
        }
        throw UnsupportedPredicateError(
            part: "\(type(of: value))", reason: "a store cannot compare values of this type",
            remedy: "Capture a value of an attribute's type, an ObjectID, or a list of such")
    }

    private mutating func list(_ elements: some Sequence) throws -> [ModelExpression] {
        var values: [ModelExpression] = []
        for element in elements {
            guard let value = try captured(element).value else {
                throw UnsupportedPredicateError(
                    part: "\(type(of: element))", reason: "a list of lists cannot be searched",
                    remedy: "Make one list of them")
            }
            values.append(value)
        }
        return values
    }
}

/// A range of values of attributes.
protocol CapturedRange {
    var meaning: PredicateMeaning { get }
}

extension ClosedRange: CapturedRange where Bound: AttributeValue {
    var meaning: PredicateMeaning {
        .range(
            lower: .literal(lowerBound.attributeValue), upper: .literal(upperBound.attributeValue),
            includesUpper: true)
    }
}

extension Range: CapturedRange where Bound: AttributeValue {
    var meaning: PredicateMeaning {
        .range(
            lower: .literal(lowerBound.attributeValue), upper: .literal(upperBound.attributeValue),
            includesUpper: false)
    }
}

extension PartialRangeFrom: CapturedRange where Bound: AttributeValue {
    var meaning: PredicateMeaning {
        .range(lower: .literal(lowerBound.attributeValue), upper: nil, includesUpper: true)
    }
}

extension PartialRangeThrough: CapturedRange where Bound: AttributeValue {
    var meaning: PredicateMeaning {
        .range(lower: nil, upper: .literal(upperBound.attributeValue), includesUpper: true)
    }
}

extension PartialRangeUpTo: CapturedRange where Bound: AttributeValue {
    var meaning: PredicateMeaning {
        .range(lower: nil, upper: .literal(upperBound.attributeValue), includesUpper: false)
    }
}

/// The meaning of a part of a `#Predicate`.
enum PredicateMeaning {
    case value(ModelExpression)
    case object(ObjectMeaning)
    /// A composite value of an object, with its key paths and its name.
    case composite(ObjectMeaning, [AnyKeyPath], String)
    /// The members of a to-many relationship.
    case members(MembersMeaning)
    /// Values that were captured.
    case list([ModelExpression])
    /// The range between two values; nil means no bound.
    case range(lower: ModelExpression?, upper: ModelExpression?, includesUpper: Bool)

    /// The meaning as a single value or object, or nil if it is something else.
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

/// The object at the end of a path.
struct ObjectMeaning {
    let root: PathRoot
    let names: [String]
    let objectClass: ManagedObject.Type

    var expression: ModelExpression { .keyPath(root: root, names: names) }

    func appending(_ name: String) -> ModelExpression {
        .keyPath(root: root, names: names + [name])
    }
}

/// The members of a to-many relationship, or the members that meet a condition.
struct MembersMeaning {
    let path: ModelExpression
    let objectClass: ManagedObject.Type
    /// The name of a member in the condition.
    let variable: String
    var condition: ModelExpression?

    /// A member, for conditions on it.
    var member: PredicateMeaning {
        .object(ObjectMeaning(root: .variable(variable), names: [], objectClass: objectClass))
    }

    /// Returns the number of members that also meet another condition.
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

/// An error for a part of a `#Predicate` that a store cannot evaluate. The library never filters in
/// memory instead: that would read every row.
public struct UnsupportedPredicateError: Error, Sendable, Hashable {
    /// The part, as close to its spelling in source code as possible.
    public let part: String
    /// The reason why a store cannot evaluate it.
    public let reason: String
    /// The replacement for the part.
    public let remedy: String
}

extension UnsupportedPredicateError: CustomStringConvertible {
    /// The part and the reason, and the remedy.
    public var description: String { "\(part): \(reason). \(remedy)." }
}
