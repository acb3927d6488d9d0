/// A checked expression, the common input for SQL and for evaluation in memory. Names are resolved,
/// and every conversion is explicit. Conditions and values over many objects are always ``exists``
/// or ``aggregate``.
package indirect enum TypedExpression: Sendable {
    case literal(Value, ExpressionType)
    case parameter(String, ExpressionType)
    case attribute(ObjectPath, Attribute, declarer: Entity)
    case object(ObjectPath)
    case and([TypedExpression])
    case or([TypedExpression])
    case not(TypedExpression)
    /// Only `==`, `!=` and the four orders. Both sides are numbers, or of one type, or one is nil.
    case comparison(TypedExpression, ComparisonOperator, TypedExpression)
    /// Equal to one of the constants, which are not nil.
    case among(TypedExpression, ValueSet)
    /// A comparison with a list that is supplied later. Before it is evaluated or becomes SQL, its
    /// values replace its name.
    case amongList(TypedExpression, String)
    /// One of the operators over strings.
    case text(TypedExpression, ComparisonOperator, TypedExpression, ComparisonOptions)
    /// Whether the collection has an element.
    case exists(TypedCollection)
    /// The second is evaluated for each element; nil ones do not take part.
    case aggregate(AggregateFunction, TypedCollection, TypedExpression)
    case arithmetic(TypedExpression, ArithmeticOperator, TypedExpression, ExpressionType)
    /// A number as one of another type.
    case convert(TypedExpression, ExpressionType)
    case function(ModelFunction, [TypedExpression], ExpressionType)
    case conditional(TypedExpression, TypedExpression, TypedExpression)

    package var type: ExpressionType {
        switch self {
        case .literal(_, let type), .parameter(_, let type), .arithmetic(_, _, _, let type),
            .convert(_, let type), .function(_, _, let type):
            type
        case .attribute(_, let attribute, _): ExpressionType(attribute.type)
        case .object(let path): .object(path.entity.name)
        case .and, .or, .not, .comparison, .among, .amongList, .text, .exists: .bool
        case .conditional(_, let first, _): first.type
        case .aggregate(let function, _, let element):
            switch function {
            case .count: .integer
            case .average: element.type == .anyDecimal ? .anyDecimal : .double
            case .sum, .minimum, .maximum: element.type
            }
        }
    }

    /// Whether the value is nil for every object.
    package var isNull: Bool {
        if case .literal(.null, _) = self { return true }
        return false
    }

    /// A number as a floating-point one; nil if the value is not a number.
    var floating: TypedExpression? {
        if type.isFloatingPoint { return self }
        return type.isNumber ? .convert(self, .double) : nil
    }
}

/// The way to one object: from the subject or an element of a collection through to-ones.
package struct ObjectPath: Sendable, Hashable {
    package enum Root: Sendable, Hashable {
        case subject
        /// The element of the collection with that variable.
        case variable(Int)
    }

    package final class Step: Sendable, Hashable {
        package let relationship: Relationship
        /// The entity that the step starts from.
        package let source: Entity

        init(relationship: Relationship, source: Entity) {
            self.relationship = relationship
            self.source = source
        }

        package static func == (one: Step, other: Step) -> Bool {
            one === other || one.relationship == other.relationship && one.source == other.source
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(relationship.name)
        }
    }

    package let root: Root
    package private(set) var steps: [Step] = []
    /// The entity of the object at the end of the path.
    package private(set) var entity: Entity

    init(root: Root, entity: Entity) {
        self.root = root
        self.entity = entity
    }

    func appending(_ relationship: Relationship, to destination: Entity) -> ObjectPath {
        var path = self
        path.steps.append(Step(relationship: relationship, source: entity))
        path.entity = destination
        return path
    }
}

/// The objects of a to-many relationship that meet a condition.
///
/// It is a class because it is large, and the checker's recursion has to fit small stacks.
package final class TypedCollection: Sendable {
    /// The object that has the relationship.
    package let owner: ObjectPath
    package let relationship: Relationship
    package let destination: Entity
    /// The variable for an element in the condition.
    package let variable: Int
    package let condition: TypedExpression?

    init(
        owner: ObjectPath, relationship: Relationship, destination: Entity, variable: Int,
        condition: TypedExpression? = nil
    ) {
        self.owner = owner
        self.relationship = relationship
        self.destination = destination
        self.variable = variable
        self.condition = condition
    }

    /// Returns the collection with another condition on its objects.
    func filtered(by condition: TypedExpression) -> TypedCollection {
        TypedCollection(
            owner: owner, relationship: relationship, destination: destination,
            variable: variable, condition: condition)
    }
}

extension TypedExpression {
    /// The least and the greatest possible value, as an integer or in units of a decimal number. It
    /// is nil if 64 bits may not be enough, or if the bounds are unknown.
    ///
    /// A bounded value needs no test for overflow, so its SQL stays flat.
    package var bounds: ClosedRange<Int64>? {
        switch self {
        case .literal(let value, let type):
            type.scale.flatMap { Self.units(value, scale: $0) }.map { $0...$0 }
        case .attribute(_, let attribute, _):
            attribute.derivation == nil ? attribute.type.narrowIntegers : nil
        case .arithmetic(let left, let operation, let right, let type):
            type.scale.flatMap { Self.bounds(left, operation, right, scale: $0) }
        case .convert(let operand, let type):
            type.scale.flatMap { operand.bounds(rescaledTo: $0) }
        case .function(let function, let operands, _):
            function.descriptor.bounds(operands)
        case .conditional(_, let first, let second):
            first.bounds.flatMap { one in second.bounds.map { one.hull(with: $0) } }
        case .aggregate(.count, _, _):
            // The maximum number of bytes of a database.
            0...(1 << 48)
        case .aggregate(.minimum, _, let element), .aggregate(.maximum, _, let element):
            element.bounds
        case .parameter, .object, .and, .or, .not, .comparison, .among, .amongList, .text, .exists,
            .aggregate:
            nil
        }
    }

    /// The bounds in units of a greater scale.
    package func bounds(rescaledTo scale: Int) -> ClosedRange<Int64>? {
        guard let bounds, let own = type.scale else { return nil }
        guard scale > own else { return bounds }
        let factor = DecimalStorage.powerOfTen(scale - own)
        return Self.corners(bounds, .multiply, factor...factor)
    }

    private static func units(_ value: Value, scale: Int) -> Int64? {
        switch value {
        case .int(let value): DecimalStorage.units(of: Decimal(value), scale: scale)
        case .decimal(let value): DecimalStorage.units(of: value, scale: scale)
        default: nil
        }
    }

    private static func bounds(
        _ left: TypedExpression, _ operation: ArithmeticOperator, _ right: TypedExpression,
        scale: Int
    ) -> ClosedRange<Int64>? {
        switch operation {
        case .add, .subtract:
            guard let one = left.bounds(rescaledTo: scale),
                let other = right.bounds(rescaledTo: scale)
            else { return nil }
            return corners(one, operation, other)
        case .multiply, .divide, .bitwiseAnd, .bitwiseOr, .power:
            guard let one = left.bounds, let other = right.bounds else { return nil }
            switch operation {
            case .multiply: return corners(one, .multiply, other)
            case .divide: return corners(one.hull(with: 0...0), .multiply, -1...1)
            case .bitwiseAnd where one.lowerBound >= 0 && other.lowerBound >= 0:
                return 0...min(one.upperBound, other.upperBound)
            case .bitwiseOr where one.lowerBound >= 0 && other.lowerBound >= 0:
                return corners(0...one.upperBound, .add, 0...other.upperBound)
            default: return nil
            }
        }
    }

    /// Whether 64 bits hold its number of units without the sign, too.
    package var hasMagnitude: Bool { bounds.flatMap(Self.magnitudes) != nil }

    /// Returns the possible values of integers without their signs.
    static func magnitudes(of bounds: ClosedRange<Int64>) -> ClosedRange<Int64>? {
        corners(bounds.hull(with: 0...0), .multiply, -1...1)
    }

    /// Returns the least and the greatest result of an operation that is monotonous in both
    /// operands.
    private static func corners(
        _ left: ClosedRange<Int64>, _ operation: ArithmeticOperator, _ right: ClosedRange<Int64>
    ) -> ClosedRange<Int64>? {
        var result: ClosedRange<Int64>?
        for one in [left.lowerBound, left.upperBound] {
            for other in [right.lowerBound, right.upperBound] {
                guard let corner = NumberFunctions.integer(one, operation, other) else {
                    return nil
                }
                result = result?.hull(with: corner...corner) ?? corner...corner
            }
        }
        return result
    }
}

extension ClosedRange<Int64> {
    /// The least range that contains both.
    func hull(with other: ClosedRange<Int64>) -> ClosedRange<Int64> {
        Swift.min(lowerBound, other.lowerBound)...Swift.max(upperBound, other.upperBound)
    }
}

extension TypedExpression {
    /// Returns a test for existence in place of a comparison of a count that asks only whether
    /// there are any objects. Neither the store nor the memory then has to count them all. The
    /// result is nil for other comparisons.
    static func existence(
        _ left: TypedExpression, _ relation: ComparisonOperator, _ right: TypedExpression
    ) -> TypedExpression? {
        guard case .aggregate(.count, let collection, let element) = left,
            case .literal(.int(let number), _) = right
        else { return nil }
        let exists: Bool
        switch (relation, number) {
        case (.greater, 0), (.greaterOrEqual, 1), (.notEqual, 0): exists = true
        case (.equal, 0), (.less, 1), (.lessOrEqual, 0): exists = false
        default: return nil
        }
        let test = TypedExpression.exists(collection.restricted(toValuesOf: element))
        return exists ? test : .not(test)
    }
}

extension TypedCollection {
    /// Returns the collection without the objects for which a value is nil.
    fileprivate func restricted(toValuesOf element: TypedExpression) -> TypedCollection {
        if case .object(let path) = element, path.steps.isEmpty { return self }
        let test = TypedExpression.comparison(element, .notEqual, .literal(.null, element.type))
        return filtered(by: condition.map { .and([$0, test]) } ?? test)
    }
}

extension [TypedExpression] {
    /// The terms of a long chain, with all comparisons of one attribute with constants joined into
    /// one term. `a == 1 OR a == 2 OR …` becomes `a IN {1, 2, …}`, and `a != 1 AND a != 2 AND …`
    /// becomes its complement.
    ///
    /// SQLite compares each constant of a statement with all constants before it. For some ten
    /// thousand constants, this takes seconds. A list is one constant.
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
